//! The comparison of names.

use icu_casemap::CaseMapper;
use icu_normalizer::DecomposingNormalizerBorrowed;

pub(crate) use crate::wire::form::name;

/// The form of a name by which names are compared without regard to case.
///
/// This is Unicode's canonical caseless matching: full case folding, so that `Straße`, `STRAẞE`
/// and `STRASSE` are one name, and canonical decomposition, so that an `é` typed as one character
/// and one typed as two are. Compatibility forms stay apart, since people can see that they
/// differ: `m²` is not `m2`. Folding follows no language's own rules: a Turkish dotless `ı` and an
/// `i` are two letters.
///
/// The tables are a pinned crate's and not the compiler's, as this form is stored: with other
/// tables a name that was stored before would no longer be found.
pub(crate) fn folded(name: &str) -> String {
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

    /// The folded name is part of stored keys. A crate that folds one of these differently must
    /// not be taken over without rewriting what is stored.
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
