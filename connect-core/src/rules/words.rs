//! The words of names, for searches.

use icu_normalizer::{
    DecomposingNormalizerBorrowed, properties::CanonicalCombiningClassMapBorrowed,
};

use super::text::folded;
use crate::transaction::MAX_WORD;

/// The most words of a name in the index, and of a search.
const MOST_WORDS: usize = 16;

/// Returns the different words of a text in order, with case and accents folded.
///
/// A word is a run of letters and digits: `Crème brûlée (2×)` has `creme`, `brulee` and `2`. The tables of case
/// and accents are those of a pinned crate, as words are stored.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in all_words(text) {
        if words.len() < MOST_WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Returns the words of a text in order, folded and cut.
fn all_words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let plain = match folded.is_ascii() {
        true => folded,
        false => without_accents(&folded),
    };
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    let words = words.map(cut).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns the beginning of a word that has room.
fn cut(word: &str) -> &str {
    let ends = word
        .char_indices()
        .map(|(start, letter)| start + letter.len_utf8());
    let end = ends.take_while(|end| *end <= MAX_WORD).last();
    word.get(..end.unwrap_or(0)).unwrap_or_default()
}

fn without_accents(folded: &str) -> String {
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(folded);
    let is_base = |letter: &char| classes.get_u8(*letter) == 0;
    decomposed.chars().filter(is_base).collect()
}

/// The words of a search. Names have each of them; the last may be the beginning of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchWords {
    words: Vec<String>,
    /// Set unless the last word is also one of the others.
    ends_with_beginning: bool,
}

impl SearchWords {
    /// Reads a typed text; `None` for one without a letter or digit.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let all = all_words(text);
        let (last, others) = all.split_last()?;
        let mut words = words(&others.join(" "));
        words.truncate(MOST_WORDS - 1);
        let ends_with_beginning = !words.contains(last);
        if ends_with_beginning {
            words.push(last.clone());
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
            ("  - ! ", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(words(&"é".repeat(100))[0].len(), MAX_WORD);
        assert_eq!(words(&"日".repeat(100))[0].len(), 63);
        let many: Vec<String> = (0..50).map(|word| word.to_string()).collect();
        assert_eq!(words(&many.join(" ")).len(), MOST_WORDS);
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
