//! What texts may hold.

use icu_casemap::CaseMapper;
use icu_normalizer::DecomposingNormalizerBorrowed;

use crate::wire::read::Invalid;

/// `text` without white space around it, if it then has 1 to `longest` characters and no control
/// characters. For names.
pub(crate) fn name(field: &str, text: &str, longest: usize) -> Result<String, Invalid> {
    let text = text.trim();
    length(field, text, longest)?;
    no_controls(field, text, "")?;
    Ok(text.to_owned())
}

/// A text of at most `longest` characters without control characters, line feeds excepted.
pub(crate) fn prose(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    if text.chars().count() > longest {
        return Err(Invalid::new(
            field,
            format!("must have at most {longest} characters"),
        ));
    }
    no_controls(field, text, "\n")
}

/// A code such as a barcode: 1 to `longest` characters, no control characters.
pub(crate) fn code(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    length(field, text, longest)?;
    no_controls(field, text, "")
}

/// An external id: 1 to `longest` letters, digits, blanks and `. _ - /`, no blank at either end.
pub(crate) fn external_id(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || " ._-/".contains(c);
    if !text.chars().all(allowed) {
        let problem = "may only have the letters A to Z and a to z, digits, blanks and . _ - /";
        return Err(Invalid::new(field, problem));
    }
    length(field, text, longest)?;
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(Invalid::new(field, "must not start or end with a blank"));
    }
    Ok(())
}

/// An HTTPS link of at most `longest` characters without user information.
pub(crate) fn https_link(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    let invalid = |problem: &str| Err(Invalid::new(field, problem));
    length(field, text, longest)?;
    let Ok(link) = url::Url::parse(text) else {
        return invalid("must be an absolute link such as https://example.com/bread.jpg");
    };
    // The parser repairs what it can; a link that needed repair is not what somebody meant.
    if text
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return invalid("must not have white space, control characters or backslashes");
    }
    if link.scheme() != "https" || !text.to_ascii_lowercase().starts_with("https://") {
        return invalid("must start with https://");
    }
    if !link.username().is_empty() || link.password().is_some() || has_user_info(text) {
        return invalid("must not have a user name or password");
    }
    // The parser takes "https:///x" for "https://x".
    let host = text.as_bytes().get("https://".len());
    if host.is_none_or(|first| b"/?#:".contains(first)) || link.host_str().is_none_or(str::is_empty)
    {
        return invalid("must name a host");
    }
    Ok(())
}

/// Whether the authority of a link has an `@`, even one with nothing before it, which the parser
/// drops.
fn has_user_info(link: &str) -> bool {
    let authority = link.get("https://".len()..).unwrap_or_default();
    authority
        .split(['/', '?', '#'])
        .next()
        .is_some_and(|authority| authority.contains('@'))
}

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

fn length(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    let count = text.chars().count();
    if (1..=longest).contains(&count) {
        Ok(())
    } else {
        Err(Invalid::new(
            field,
            format!("must have 1 to {longest} characters, not {count}"),
        ))
    }
}

fn no_controls(field: &str, text: &str, except: &str) -> Result<(), Invalid> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    match text
        .chars()
        .find(|c| c.is_control() && !except.contains(*c))
    {
        Some(control) => {
            let problem = format!(
                "must not have control characters (U+{:04X})",
                control as u32
            );
            Err(Invalid::new(field, problem))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(name("name", "  Brød \u{a0}", 5).unwrap(), "Brød");
        assert_eq!(name("name", "éééé", 4).unwrap(), "éééé");
        for bad in ["", "   ", "éééée", "a\tb", "a\nb", "a\u{7f}b", "a\u{85}b"] {
            assert!(name("name", bad, 4).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn prose_may_have_lines() {
        assert!(prose("d", "", 9).is_ok() && prose("d", "two\nlines", 9).is_ok());
        for bad in ["tab\t", "cr\r\n", "0123456789"] {
            assert!(prose("d", bad, 9).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn external_ids_have_a_small_alphabet() {
        for good in ["A", "a b", "A.b_c-d/9", &"x".repeat(100)] {
            assert!(external_id("e", good, 100).is_ok(), "{good:?}");
        }
        for bad in [
            "",
            " a",
            "a ",
            "é",
            "a\n",
            "a,b",
            "a\u{1F600}",
            &"x".repeat(101),
        ] {
            assert!(external_id("e", bad, 100).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn image_links_are_plain_https() {
        for good in [
            "https://a.example/x.png",
            "HTTPS://a.example",
            "https://a.example/a@b?c=@",
        ] {
            assert!(https_link("u", good, 2000).is_ok(), "{good:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(2000));
        for bad in [
            "",
            "x.png",
            "http://a.example/x.png",
            "https://",
            "https://u@a.example/",
            "https://u:p@a.example/",
            "https:///a.png",
            "https://:80/",
            "https://@a.example/",
            "https:a.example",
            "https:/a.example",
            " https://a.example",
            "https://a.example/a b",
            "ftp://a.example",
            "https:\\\\a.example",
            "data:image/png;base64,AA==",
            &long,
        ] {
            assert!(https_link("u", bad, 2000).is_err(), "{bad:?}");
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
