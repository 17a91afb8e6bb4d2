//! Texts.

use serde::Deserializer;

use super::{Form, string};
use crate::wire::{is_hidden, read::Invalid};

/// A name: 1 to `MAX` characters without control characters.
/// White space around it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<const MAX: usize>;

/// A text of at most `MAX` characters, without control characters except line feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prose<const MAX: usize>;

/// A code such as a barcode: 1 to `MAX` characters without control characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code<const MAX: usize>;

/// A client's own key: 1 to `MAX` characters.
/// Allowed are letters and digits of ASCII, blanks and `. _ - /`, without a blank at either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalId<const MAX: usize>;

/// A link over HTTP or HTTPS of at most `MAX` characters.
/// It has a host, and no user name or password. A field may allow fewer links by a rule of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebLink<const MAX: usize>;

/// An e-mail address of at most `MAX` characters.
///
/// It is a name and a host with an `@` between, without white space or hidden characters.
/// White space around it is dropped. Delivery of mail is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Email<const MAX: usize>;

macro_rules! text_form {
    ($form:ident, $check:ident) => {
        impl<const MAX: usize> Form for $form<MAX> {
            type Value = String;

            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
                string(deserializer)
            }

            fn check(text: &mut String, field: &str) -> Result<(), Invalid> {
                $check(field, text, MAX)
            }
        }
    };
}

text_form!(Name, trim_name);
text_form!(Prose, prose);
text_form!(Code, code);
text_form!(ExternalId, external_id);
text_form!(WebLink, web_link);
text_form!(Email, email);

/// Returns `text` without white space around it.
/// It must then have 1 to `longest` characters and no control characters.
#[cfg(feature = "logic")]
pub(crate) fn name(field: &str, text: &str, longest: usize) -> Result<String, Invalid> {
    let mut name = text.to_owned();
    trim_name(field, &mut name, longest)?;
    Ok(name)
}

fn trim_name(field: &str, text: &mut String, longest: usize) -> Result<(), Invalid> {
    let name = text.trim();
    length(field, name, longest)?;
    no_controls(field, name, "")?;
    if name.len() < text.len() {
        *text = name.to_owned();
    }
    Ok(())
}

/// Checks a text of at most `longest` characters.
/// Control characters are refused, line feeds excepted.
fn prose(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    if text.chars().count() > longest {
        return Err(Invalid::new(
            field,
            format!("must have at most {longest} characters"),
        ));
    }
    no_controls(field, text, "\n")
}

/// Checks a code: 1 to `longest` characters, no control characters.
fn code(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    length(field, text, longest)?;
    no_controls(field, text, "")
}

/// Checks an external id of 1 to `longest` characters.
/// Allowed are letters, digits, blanks and `. _ - /`, with no blank at either end.
fn external_id(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
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

/// Checks a link over HTTP or HTTPS of at most `longest` characters.
/// It has a host and no user information.
fn web_link(field: &str, text: &str, longest: usize) -> Result<(), Invalid> {
    let invalid = |problem: &str| Err(Invalid::new(field, problem));
    length(field, text, longest)?;
    // The parser repairs some errors; a link in need of repair is probably a mistake.
    if text
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return invalid("must not have white space, control characters or backslashes");
    }
    if let Some(hidden) = text.chars().find(|c| is_hidden(*c)) {
        let problem = format!(
            "must not have invisible characters (U+{:04X})",
            hidden as u32
        );
        return invalid(&problem);
    }
    let Ok(link) = url::Url::parse(text) else {
        return invalid("must be an absolute link such as https://example.com/bread.jpg");
    };
    // The parser takes "https:x" and "https:///x" for "https://x".
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(link.scheme()) => rest,
        _ => return invalid("must start with https://"),
    };
    if !matches!(link.scheme(), "http" | "https") {
        return invalid("must start with https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // The parser drops an "@" with nothing before it.
    if authority.contains('@') {
        return invalid("must not have a user name or password");
    }
    if authority.is_empty() || authority.starts_with(':') {
        return invalid("must name a host");
    }
    Ok(())
}

/// Checks and trims an e-mail address of at most `longest` characters.
fn email(field: &str, text: &mut String, longest: usize) -> Result<(), Invalid> {
    trim_name(field, text, longest)?;
    if let Some(hidden) = text.chars().find(|c| is_hidden(*c)) {
        let problem = format!(
            "must not have hidden characters (U+{:04X}); type it again",
            hidden as u32
        );
        return Err(Invalid::new(field, problem));
    }
    let has_both = text
        .rsplit_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if has_both && !text.chars().any(char::is_whitespace) {
        return Ok(());
    }
    let problem = "must be an e-mail address, such as name@example.com";
    Err(Invalid::new(field, problem))
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
        let name = |field, text: &str, longest| {
            let mut text = text.to_owned();
            trim_name(field, &mut text, longest).map(|()| text)
        };
        assert_eq!(name("name", "  Brød \u{a0}", 5).unwrap(), "Brød");
        assert_eq!(name("name", "éééé", 4).unwrap(), "éééé");
        for bad in ["", "   ", "éééée", "a\tb", "a\nb", "a\u{7f}b", "a\u{85}b"] {
            assert!(name("name", bad, 4).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_e_mail_address_has_a_name_and_a_host() {
        let read = |text: &str| {
            let mut text = text.to_owned();
            email("ownerEmail", &mut text, 30).map(|()| text)
        };
        for good in [
            "noor@rye.example",
            "a@b",
            "\"a@b\"@c.example",
            "nørå@bröd.example",
        ] {
            assert_eq!(read(&format!("  {good} ")).unwrap(), good);
        }
        for (bad, says) in [
            ("", "1 to 30"),
            ("nobody", "name@example.com"),
            ("@rye.example", "name@example.com"),
            ("noor@", "name@example.com"),
            ("noor rye@rye.example", "name@example.com"),
            ("noor@rye.example\nbcc: x", "control"),
            ("noor@\u{200b}rye.example", "U+200B"),
            ("noor@rye.example.example.example", "1 to 30"),
        ] {
            let refused = read(bad).unwrap_err();
            assert_eq!(refused.field, "ownerEmail");
            assert!(refused.problem.contains(says), "{bad:?}: {refused:?}");
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
    fn links_have_a_host_and_no_user() {
        for good in [
            "https://a.example/x.png",
            "HTTPS://a.example",
            "http://a.example:8080/x.png",
            "https://[::1]/x.png",
            "https://a.example/a@b?c=@",
        ] {
            assert!(web_link("u", good, 2000).is_ok(), "{good:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(2000));
        for bad in [
            "",
            "x.png",
            "https://",
            "http://",
            "http:///a.png",
            "http://u@a.example/",
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
            "view-source://a.example",
            "//a.example",
            "https:\\\\a.example",
            "data:image/png;base64,AA==",
            &long,
        ] {
            assert!(web_link("u", bad, 2000).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn links_have_no_invisible_characters() {
        for hidden in [
            '\u{AD}',
            '\u{200B}',
            '\u{200D}',
            '\u{202E}',
            '\u{2060}',
            '\u{2066}',
            '\u{FE0F}',
            '\u{FEFF}',
            '\u{E0041}',
        ] {
            for bad in [
                format!("https://a{hidden}.example/"),
                format!("https://a.example/x{hidden}.png"),
                format!("https://a.example/?key={hidden}"),
            ] {
                let refused = web_link("imageUrl", &bad, 2000).unwrap_err();
                assert_eq!(refused.field, "imageUrl");
                let named = format!("(U+{:04X})", hidden as u32);
                assert!(refused.problem.ends_with(&named), "{refused:?}");
            }
        }
        for good in ["https://bröd.example/råg.png", "https://a.example/面包"] {
            assert!(web_link("u", good, 2000).is_ok(), "{good:?}");
        }
    }
}
