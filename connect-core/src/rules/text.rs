//! Names given by owners, and the comparison of names.

use icu_casemap::CaseMapper;
use icu_normalizer::DecomposingNormalizerBorrowed;

use crate::wire::{form::name, is_hidden, limits::MAX_OWNER_NAME, read::Invalid};

/// Reads the name of an account, a location, a screen or a token.
///
/// It has 1 to 100 characters, is trimmed, and has only visible characters.
///
/// People tell tokens and screens apart by these names, also in the log. So hidden characters are refused,
/// except where scripts and emoji need them: joiners (U+200C, U+200D) between two characters beyond ASCII,
/// as in Persian, Sinhala and `👩‍🍳`, and the variation selectors U+FE0E and U+FE0F after such a character,
/// or in a keycap such as `1️⃣`. Regional flags spelled in tag characters are refused too: these characters
/// could hide any text.
pub(crate) fn owner_name(text: &str) -> Result<String, Invalid> {
    const FIELD: &str = "name";
    let name = name(FIELD, text, MAX_OWNER_NAME)?;
    match hidden(&name) {
        None => Ok(name),
        Some(hidden) => {
            let problem = format!(
                "must not have hidden characters (U+{:04X}); type the name again without it",
                hidden as u32
            );
            Err(Invalid::new(FIELD, problem))
        }
    }
}

/// Returns the first hidden character not needed at its position.
fn hidden(name: &str) -> Option<char> {
    if name.is_ascii() {
        return None;
    }
    let all: Vec<char> = name.chars().collect();
    let at = |place: Option<usize>| place.and_then(|place| all.get(place)).copied();
    let is_letter = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    let is_selector = |c: Option<char>| matches!(c, Some('\u{FE0E}' | '\u{FE0F}'));
    let is_needed = |place: usize| {
        let (before, after) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        match all[place] {
            '\u{200C}' | '\u{200D}' => {
                (is_letter(before) || is_selector(before)) && is_letter(after)
            }
            '\u{FE0E}' | '\u{FE0F}' => is_letter(before) || after == Some('\u{20E3}'),
            _ => false,
        }
    };
    let mut places = 0..all.len();
    let found = places.find(|place| is_hidden(all[*place]) && !is_needed(*place));
    found.map(|place| all[place])
}

/// The folded form of a name, for comparison without regard to case.
///
/// This is Unicode's canonical caseless matching. Full case folding makes `Straße`, `STRAẞE` and `STRASSE`
/// one name. Canonical decomposition makes an `é` typed as one character equal to one typed as two.
/// Compatibility forms stay distinct, since people see the difference: `m²` is not `m2`. Folding follows no
/// language's own rules: a Turkish dotless `ı` and an `i` are two letters.
///
/// The tables come from a pinned crate and not from the compiler, as this form is stored: with other
/// tables, names stored before would no longer be found.
pub fn folded(name: &str) -> String {
    let name = name.trim();
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfd();
    let fold = CaseMapper::new();
    decomposed
        .normalize(&fold.fold_string(&decomposed.normalize(name)))
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_give_names_that_can_be_seen() {
        for good in [
            "Kassensystem",
            "Brød & Café\u{301}",
            "Till 1\u{FE0F}\u{20E3}",
            "Bakery 👩🏽\u{200D}🍳 ❤\u{FE0F}",
            "🏳\u{FE0F}\u{200D}🌈",
            "می\u{200C}خواهم",
            "ශ්\u{200D}රී",
            "日本\u{3000}店",
        ] {
            assert_eq!(owner_name(&format!(" {good} ")).unwrap(), good);
        }
        for (bad, named) in [
            ("Sync\u{202E}gpj.exe", "U+202E"),
            ("Sy\u{200B}nc", "U+200B"),
            ("Sy\u{200C}nc", "U+200C"),
            ("Sy\u{200D}nc", "U+200D"),
            ("Sync\u{FE0F}", "U+FE0F"),
            ("Sync\u{2028}INFO all is well", "U+2028"),
            ("Sync\u{2029}", ""),
            ("Sy\u{AD}nc", "U+00AD"),
            ("Sync\u{2066}x\u{2069}", "U+2066"),
            ("\u{FEFF}Sync", "U+FEFF"),
            ("\u{3164}", "U+3164"),
            ("é\u{200D}", "U+200D"),
            ("é\u{200D}\u{200D}é", "U+200D"),
            ("é\u{FE0F}\u{FE0F}é", "U+FE0F"),
            ("🏴\u{E0067}\u{E007F}", "U+E0067"),
            ("a\u{7}b", "U+0007"),
            ("a\u{9b}b", "U+009B"),
        ] {
            match owner_name(bad) {
                // White space at either end is dropped, whatever kind it is.
                Ok(name) => assert!(named.is_empty(), "{name:?}"),
                Err(refused) => {
                    assert_eq!(refused.field, "name");
                    let said = refused.problem;
                    assert!(said.contains(&format!("({named})")), "{bad:?}: {said}");
                }
            }
        }
    }

    #[test]
    fn names_are_the_same_in_any_case() {
        for (one, other) in [
            ("Bread", "BREAD "),
            ("Straße", "STRASSE"),
            ("Straße", "STRAẞE"),
            ("ΟΔΟΣ", "οδος"),
            ("É", "é"),
            ("Cafe\u{301}", "CAFÉ"),
            ("ᾳ", "ΑΙ"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        for (one, other) in [("Bread", "Breads"), ("ı", "I"), ("m²", "m2"), ("e", "é")] {
            assert_ne!(folded(one), folded(other), "{one} {other}");
        }
    }

    /// The folded name is part of stored keys.
    /// A crate with a different folding of one of these must not be adopted without rewriting the stored
    /// keys.
    #[test]
    fn folding_stays_what_it_was() {
        for (name, stored) in [
            ("  Bread & Co. ", "bread & co."),
            ("ß", "ss"),
            ("ẞ", "ss"),
            ("İ", "i\u{307}"),
            ("I", "i"),
            ("ı", "ı"),
            ("ΣΑΣ", "σασ"),
            ("ς", "σ"),
            ("ΐ", "ι\u{308}\u{301}"),
            ("ᾳ", "αι"),
            ("\u{345}", "ι"),
            ("Ꭰ", "Ꭰ"),
            ("\u{AB70}", "Ꭰ"),
            ("\u{13F8}", "\u{13F0}"),
            ("ﬁ", "fi"),
            ("ﬃ", "ffi"),
            ("ŉ", "\u{2BC}n"),
            ("Ǆ", "ǆ"),
            ("ǅ", "ǆ"),
            ("\u{212A}", "k"),
            ("\u{C5}", "a\u{30A}"),
            ("\u{212B}", "a\u{30A}"),
            ("e\u{323}\u{301}", "e\u{323}\u{301}"),
            ("E\u{301}\u{323}", "e\u{323}\u{301}"),
            ("Ж", "ж"),
            ("Ა", "ა"),
            ("Ա", "ա"),
            ("և", "եւ"),
            ("𐐀", "𐐨"),
            ("Ａ", "ａ"),
            ("m²", "m²"),
            ("Ⅷ", "ⅷ"),
            ("한", "\u{1112}\u{1161}\u{11AB}"),
            ("日本", "日本"),
            ("🍞", "🍞"),
        ] {
            assert_eq!(folded(name), stored, "{name:?}");
            assert_eq!(folded(stored), stored, "folding twice: {name:?}");
        }
    }
}
