//! The problems found by the core, in the language of their reader.
//!
//! The core writes English. As in gettext, the English text is the key of its translation: a message
//! `problem-…` of the English file is a text of the core, with its arguments, and that of another file is its
//! translation. So the core needs no ids for its texts. A test compares the messages with the sources, to
//! notice a reworded text. Problems of the server itself, such as a provider's, are translated the same way.

use std::{borrow::Cow, cmp::Reverse, iter, sync::LazyLock};

use connect_core::{Reason, wire::ErrorDetail};
use fluent_bundle::FluentValue;

use super::{LANGUAGES, find, language};

/// The beginning of the ids.
const FAMILY: &str = "problem-";

/// The texts of the core, the longest first.
static PATTERNS: LazyLock<Vec<Pattern<'static>>> = LazyLock::new(|| {
    let [(_, _, english), ..] = LANGUAGES;
    let lines = english.lines().filter(|line| line.starts_with(FAMILY));
    let mut patterns: Vec<_> = lines.filter_map(Pattern::parse).collect();
    patterns.sort_by_key(|pattern| Reverse(pattern.pieces().map(str::len).sum::<usize>()));
    patterns
});

/// A text of the core, with gaps for its arguments.
struct Pattern<'p> {
    /// The id of the message.
    id: &'p str,
    /// The text up to the first argument.
    start: &'p str,
    /// The arguments, each with the text after it.
    rest: Vec<(&'p str, &'p str)>,
}

impl<'p> Pattern<'p> {
    /// Parses a line of a file, such as `problem-days = must be { $least } to { $most } days`.
    fn parse(line: &'p str) -> Option<Self> {
        let (id, text) = line.split_once(" = ")?;
        let mut parts = text.split("{ $");
        let start = parts.next()?;
        let rest: Option<_> = parts.map(|part| part.split_once(" }")).collect();
        Some(Self {
            id,
            start,
            rest: rest?,
        })
    }

    /// Returns the texts between the arguments.
    fn pieces(&self) -> impl Iterator<Item = &'p str> {
        let rest = self.rest.iter().map(|(_, after)| *after);
        iter::once(self.start).chain(rest)
    }

    /// Finds the arguments in a text, if all of it matches.
    /// An argument has one character or more.
    fn arguments<'t>(&self, text: &'t str) -> Option<Vec<(&'p str, &'t str)>> {
        let mut text = text.strip_prefix(self.start)?;
        let Some(((last, end), others)) = self.rest.split_last() else {
            return text.is_empty().then(Vec::new);
        };
        let mut found = Vec::with_capacity(self.rest.len());
        for (name, after) in others {
            let first = text.chars().next()?.len_utf8();
            let length = first + text.get(first..)?.find(after)?;
            let (argument, rest) = text.split_at_checked(length)?;
            found.push((*name, argument));
            text = rest.strip_prefix(after)?;
        }
        let argument = text.strip_suffix(end)?;
        found.push((*last, argument));
        (!argument.is_empty()).then_some(found)
    }
}

/// Translates a problem; one without a translation stays as it is.
pub(in crate::dashboard) fn translated(problem: &str) -> Cow<'_, str> {
    let [(default, ..), ..] = LANGUAGES;
    match language() {
        language if language == default => Cow::Borrowed(problem),
        _ => translation(problem).unwrap_or(Cow::Borrowed(problem)),
    }
}

/// Writes a reason with the name of its field, both translated.
pub(in crate::dashboard) fn reason(reason: &Reason) -> String {
    with_field(reason.field.as_deref(), &reason.problem)
}

/// Writes the error of one of many records, as [`reason`] does.
pub(in crate::dashboard) fn detail(error: &ErrorDetail) -> String {
    let (field, problem) = without_field(error.field.as_deref(), &error.message);
    with_field(field, problem)
}

/// Translates the problem of each field at fault, with the name of the field in the core.
pub(in crate::dashboard) fn of_fields(error: &ErrorDetail) -> Vec<(Option<&str>, Cow<'_, str>)> {
    let first = (error.field.as_deref(), &*error.message);
    let all = error.details.iter();
    let mut all: Vec<_> = all.map(|it| (Some(&*it.field), &*it.message)).collect();
    if all.is_empty() {
        all.push(first);
    }
    let all = all.into_iter();
    all.map(|(field, message)| {
        let (field, problem) = without_field(field, message);
        (field, translated(problem))
    })
    .collect()
}

/// Splits a message of the core into the field at its beginning, if any, and the problem.
fn without_field<'m>(field: Option<&'m str>, message: &'m str) -> (Option<&'m str>, &'m str) {
    let split = field.and_then(|field| {
        let problem = message.strip_prefix(field)?.strip_prefix(": ")?;
        Some((Some(field), problem))
    });
    split.unwrap_or((None, message))
}

fn with_field(field: Option<&str>, problem: &str) -> String {
    let problem = translated(problem);
    let Some(field) = field else {
        return problem.into_owned();
    };
    let named = text_of!("field", field);
    let name = named.as_deref().unwrap_or(field);
    format!("{name}: {problem}")
}

fn translation(problem: &str) -> Option<Cow<'static, str>> {
    PATTERNS.iter().find_map(|pattern| {
        let found = pattern.arguments(problem)?;
        let arguments = found
            .into_iter()
            .map(|(name, text)| Some((name, argument(name, text)?)));
        find(pattern.id, &arguments.collect::<Option<Vec<_>>>()?)
    })
}

/// Returns an argument for the translation; `None` if the text cannot be it.
/// A name or an id stays as it is, but a problem in a problem, or a noun such as `products`, is English.
fn argument<'t>(name: &str, text: &'t str) -> Option<FluentValue<'t>> {
    match name {
        "problem" => Some(translated(text).into()),
        "word" | "verb" => translation(text).map(Into::into),
        _ => Some(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::Path};

    use connect_core::{
        Error, Language,
        storage::StorageError,
        wire::{
            Date, Quantity, VatRate,
            form::{Email, Form, Name, WebLink},
        },
    };

    use super::*;
    use crate::{
        dashboard::messages::{READER, tests::sources},
        workers::outbound::LinkRefusal,
    };

    /// The words of the page of an error, of the same family by their ids.
    const OF_PAGE: [&str; 3] = ["problem-other", "problem-not-found", "problem-to-overview"];

    fn refused<F: Form<Value = String>>(text: &str) -> String {
        F::check(&mut text.to_owned(), "name").unwrap_err().problem
    }

    fn in_dutch<T>(work: impl FnOnce() -> T) -> T {
        READER.sync_scope(Language::Nl, work)
    }

    /// The text of a message with these arguments.
    fn filled(pattern: &Pattern<'_>) -> String {
        let rest = pattern.rest.iter().map(|(name, after)| {
            let argument = match *name {
                "problem" => "is wrong",
                "word" => "products",
                "verb" => "delete",
                _ => "7",
            };
            format!("{argument}{after}")
        });
        iter::once(pattern.start.to_owned()).chain(rest).collect()
    }

    #[test]
    fn problems_of_the_core_are_in_the_language_of_the_reader() {
        let broken = Error::from(StorageError::new("the disk does not answer"));
        for (english, dutch) in [
            (
                "1.2345".parse::<Quantity>().unwrap_err().to_string(),
                "moet een getal zijn van hoogstens 1000000000, ook onder nul, met \
                 hoogstens drie decimalen",
            ),
            (
                "101".parse::<VatRate>().unwrap_err().to_string(),
                "moet een percentage van 0 tot en met 100 zijn, met hoogstens twee \
                 decimalen, zoals 9 of 5,5",
            ),
            (
                "now".parse::<Date>().unwrap_err().to_string(),
                "moet een datum zijn in de vorm JJJJ-MM-DD, zoals 2026-11-20",
            ),
            (
                refused::<Name<100>>(""),
                "moet 1 tot 100 tekens hebben, niet 0",
            ),
            (
                refused::<Name<100>>("a\u{7}"),
                "mag geen onzichtbare stuurtekens hebben (U+0007); typ het opnieuw",
            ),
            (
                refused::<Email<254>>("kim"),
                "moet een e-mailadres zijn, zoals naam@example.com",
            ),
            (
                refused::<WebLink<2000>>("https://kim@shop.example"),
                "mag geen gebruikersnaam of wachtwoord hebben",
            ),
            (
                LinkRefusal::Address.to_string(),
                "gaat niet naar een openbaar adres op internet",
            ),
            (
                Error::lacks_right().problem().problem,
                "dit hoort niet bij je rol; vraag het aan een eigenaar van het account",
            ),
            (
                broken.problem_for_people().problem,
                "de server kon dit nu niet doen; kijk of het gedaan is, en probeer het \
                 opnieuw als dat niet zo is",
            ),
            (
                "this account has 100 tokens in use, the maximum; revoke one first".to_owned(),
                "dit account heeft 100 tokens in gebruik, en dat is het maximum; je moet \
                 er eerst een intrekken",
            ),
            (
                "your provider gives no usable answer: its address must not name a port".to_owned(),
                "je aanbieder geeft geen bruikbaar antwoord: het adres mag geen poort noemen",
            ),
            (
                "there is no product 00-é at this location".to_owned(),
                "er is geen product 00-é op deze locatie",
            ),
            // Not of the core, so not translated, and not in part.
            (
                "there is no unicorn 7 at this location".to_owned(),
                "there is no unicorn 7 at this location",
            ),
            (
                "must have at most  characters".to_owned(),
                "must have at most  characters",
            ),
            ("is wrong.".to_owned(), "is wrong."),
            (String::new(), ""),
        ] {
            assert_eq!(translated(&english), english);
            assert_eq!(in_dutch(|| translated(&english).into_owned()), dutch);
        }
    }

    #[test]
    fn a_reason_begins_with_the_name_of_its_field() {
        let of_record = |reason: Reason| detail(&Error::Conflict(reason).detail());
        for (field, english, dutch) in [
            (
                "currentPassword",
                "Current password: is wrong",
                "Huidig wachtwoord: is onjuist",
            ),
            (
                "roles[0].role",
                "roles[0].role: is wrong",
                "roles[0].role: is onjuist",
            ),
        ] {
            let wrong = Reason::of(field, "is wrong");
            assert_eq!(reason(&wrong), english);
            assert_eq!(of_record(wrong.clone()), english);
            assert_eq!(in_dutch(|| reason(&wrong)), dutch);
            assert_eq!(in_dutch(|| of_record(wrong)), dutch);
        }
        let gone = Reason::new("no longer exists");
        assert_eq!(in_dutch(|| reason(&gone)), "bestaat niet meer");
        assert_eq!(in_dutch(|| of_record(gone)), "bestaat niet meer");
    }

    #[test]
    fn no_message_takes_the_texts_of_another() {
        for pattern in PATTERNS.iter() {
            let text = filled(pattern);
            let first = PATTERNS.iter().find(|it| it.arguments(&text).is_some());
            assert_eq!(first.map(|it| it.id), Some(pattern.id), "{text}");
            assert!(in_dutch(|| translation(&text)).is_some(), "{text}");
        }
    }

    #[test]
    fn the_texts_are_those_of_the_sources() {
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let core = server.join("../../connect-core/src");
        let mut texts = String::new();
        for source in [sources(&core), sources(&server)].concat() {
            // The texts of tests prove nothing.
            let code = source.split("\nmod tests {").next().unwrap_or_default();
            // A string goes on after a backslash at the end of its line.
            for (number, part) in code.split("\\\n").enumerate() {
                let part = if number == 0 { part } else { part.trim_start() };
                texts.push_str(part);
            }
        }
        let texts = texts.replace("\\\"", "\"");
        let lost: BTreeMap<_, _> = PATTERNS
            .iter()
            .filter(|pattern| !OF_PAGE.contains(&pattern.id))
            .filter_map(|pattern| Some((pattern.id, pattern.pieces().max_by_key(|it| it.len())?)))
            .filter(|(_, piece)| !texts.contains(piece))
            .collect();
        assert_eq!(lost, BTreeMap::new(), "the core has reworded these texts");
    }
}
