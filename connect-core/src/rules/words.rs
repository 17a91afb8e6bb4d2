//! The words of names, for searches.

use icu_casemap::CaseMapper;
use icu_normalizer::{
    DecomposingNormalizerBorrowed, properties::CanonicalCombiningClassMapBorrowed,
};
use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{Alphabetic, GeneralCategory, GeneralCategoryGroup},
};

use crate::transaction::MAX_WORD;

/// Returns the different words of a text in order, with case and accents folded.
///
/// A word is a run of letters and digits: `Crème brûlée (2×)` has `creme`, `brulee` and `2`. Compatibility forms
/// are those of their letters: `№` is `no`. A mark such as `™` is no letter. The tables of case, accents, letters
/// and digits are those of pinned crates and not of the compiler, as words are stored. A name is short enough to
/// need no bound of its words.
pub(crate) fn words(text: &str) -> Vec<String> {
    different(all_words(text))
}

/// Returns each word once.
fn different(all: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in all {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Returns the words of a text in order, folded and cut.
fn all_words(text: &str) -> Vec<String> {
    let plain = match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => plain(text),
    };
    let words = plain.split(|letter| !is_of_word(letter));
    let words = words.map(cut).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns whether a character is a letter or a digit.
fn is_of_word(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric();
    }
    let category = CodePointMapData::<GeneralCategory>::new().get(letter);
    CodePointSetData::new::<Alphabetic>().contains(letter)
        || GeneralCategoryGroup::Number.contains(category)
}

/// Returns the beginning of a word with room in an index.
fn cut(word: &str) -> &str {
    let ends = word
        .char_indices()
        .map(|(start, letter)| start + letter.len_utf8());
    let end = ends.take_while(|end| *end <= MAX_WORD).last();
    word.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Folds case, accents and compatibility forms.
/// Compatibility forms come first, as some have capital letters. Folding the result changes nothing.
fn plain(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd();
    let classes = CanonicalCombiningClassMapBorrowed::new();
    // Of these alone, the compatibility form would be taken for letters of the word before.
    let without_marks = text.replace(['™', '℠'], " ");
    let folded = CaseMapper::new()
        .fold_string(&decomposed.normalize(&without_marks))
        .into_owned();
    let is_base = |letter: &char| classes.get_u8(*letter) == 0;
    decomposed
        .normalize(&folded)
        .chars()
        .filter(is_base)
        .collect()
}

/// The words of a search. Names have each of them; the last may be the beginning of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchWords {
    words: Vec<String>,
    /// Set unless the last word is repeated.
    ends_with_beginning: bool,
}

impl SearchWords {
    /// Reads a typed text; `None` for one without a letter or digit.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut all = all_words(text);
        let last = all.pop()?;
        let mut words = different(all);
        let ends_with_beginning = !words.contains(&last);
        if ends_with_beginning {
            words.push(last);
        }
        Some(Self {
            words,
            ends_with_beginning,
        })
    }

    /// Returns the words.
    pub(crate) fn all(&self) -> &[String] {
        &self.words
    }

    /// Returns whether the word at a place may be the beginning of one.
    pub(crate) fn is_beginning(&self, place: usize) -> bool {
        self.ends_with_beginning && place + 1 == self.words.len()
    }

    /// Returns whether a word of a name is the one at a place of the search.
    pub(crate) fn matches(&self, place: usize, word: &str) -> bool {
        let sought = self.words.get(place);
        sought.is_some_and(|sought| match self.is_beginning(place) {
            true => word.starts_with(sought.as_str()),
            false => word == sought,
        })
    }

    /// Returns whether a name with these words is found.
    pub(crate) fn find_in(&self, words: &[String]) -> bool {
        (0..self.words.len()).all(|place| words.iter().any(|word| self.matches(place, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_and_digits_without_case_and_accents() {
        for (text, expected) in [
            ("Country loaf", &["country", "loaf"][..]),
            ("Crème brûlée (2×)", &["creme", "brulee", "2"]),
            ("creme BRULEE, crème", &["creme", "brulee"]),
            ("Straße 0,5l", &["strasse", "0", "5l"]),
            ("Ångström ﬁne", &["angstrom", "fine"]),
            ("寿司 ラーメン", &["寿司", "ラーメン"]),
            ("Coca-Cola™ Zero", &["coca", "cola", "zero"]),
            ("Brand℠ Red® ©2026", &["brand", "red", "2026"]),
            ("№ 5 ＳＵＳＨＩ ㎏", &["no", "5", "sushi", "kg"]),
            ("½ Ⅷ ⅷ", &["1", "2", "viii"]),
            ("ΟΔΌΣ οδός", &["οδοσ"]),
            ("  - ! ", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(words(&"é".repeat(100))[0].len(), MAX_WORD);
        assert_eq!(words(&"日".repeat(100))[0].len(), 63);
        let many: Vec<String> = (0..50).map(|word| word.to_string()).collect();
        assert_eq!(words(&many.join(" ")), many);
    }

    /// A name is compared with the words of a search, so both are folded to the same end.
    #[test]
    fn each_name_finds_itself_and_folding_twice_changes_nothing() {
        let long: Vec<String> = (0..100).map(|word| word.to_string()).collect();
        for name in [
            "Coca-Cola™ Zero",
            "№ 5",
            "ℌ ℕ ㎒ ㏂ Ⓐ ㍱",
            "Straße ẞ ŉ İ ı ǅ",
            "ᾳ ΑΙ \u{345}a ϓ ϔ",
            "한국 パン ｶﾞ ﷺ",
            &long.join(" "),
        ] {
            let search = SearchWords::of(name).unwrap();
            assert!(search.find_in(&words(name)), "{name}");
            assert_eq!(words(&words(name).join(" ")), words(name), "{name}");
        }
        // Each in a text of its own.
        let all: String = ('\u{80}'..='\u{1FFFF}')
            .flat_map(|letter| [letter, ' '])
            .collect();
        let once = plain(&all);
        assert!(plain(&once) == once);
    }

    #[test]
    fn a_name_has_every_word_and_the_last_may_go_on() {
        for (search, name, is_found) in [
            ("choc", "Chocolate croissant", true),
            ("choc cro", "Chocolate croissant", false),
            ("chocolate cro", "Chocolate croissant", true),
            ("croissant choc", "Chocolate croissant", true),
            ("brulee", "Crème brûlée", true),
            ("brûl", "CREME BRULEE", true),
            ("loaf bread", "Country loaf", false),
            ("brood brood", "Broodje kaas", false),
            ("kaas brood kaas", "Brood met kaas", true),
            ("kaas brood kaa", "Broodje kaas", false),
        ] {
            let found = SearchWords::of(search).unwrap().find_in(&words(name));
            assert_eq!(found, is_found, "{search} in {name}");
        }
        assert_eq!(SearchWords::of(" ,!"), None);
    }
}
