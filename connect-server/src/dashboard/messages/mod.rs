//! The texts of the pages, in the languages of their readers.
//!
//! A language is a file of messages in Fluent syntax and a line of [`LANGUAGES`]. A page names a message by its
//! id: `text!("stock-empty")`, with arguments `text!("stock-of", product = name)`, or with elements in it:
//! `marked!("overview-no-screen", a = |words| html! { a href=(SCREENS) { (words) } })` for
//! `Until you <a>add one</a>, …`. A test compares the ids and arguments of the sources with those of each file.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use connect_core::Language;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use fluent_langneg::{NegotiationStrategy, negotiate_languages, parse_accepted_languages};
use http::{HeaderMap, header::ACCEPT_LANGUAGE};
use unic_langid::LanguageIdentifier;

/// The languages, each with its tag and its file. The first is the default.
pub(super) const LANGUAGES: [(Language, &str, &str); 2] = [
    (Language::En, "en", include_str!("en.ftl")),
    (Language::Nl, "nl", include_str!("nl.ftl")),
];

/// Makes the text of a message in the reader's language.
macro_rules! text {
    ($id:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::dashboard::messages::message($id, &[$((stringify!($name), $value.into())),*])
    };
}

/// Makes the text of the message of a family with this name, if it has one.
///
/// `text_of!("notice", name)` is the message `notice-…`.
macro_rules! text_of {
    ($family:literal, $name:expr) => {
        $crate::dashboard::messages::member($family, $name)
    };
}

// After the macros, to have them in scope.
pub(super) mod dates;
#[macro_use]
pub(super) mod markup;
pub(super) mod numbers;
pub(super) mod problems;
#[cfg(test)]
mod tests;

type Messages = FluentBundle<FluentResource>;

/// The messages of each language, parsed once.
static MESSAGES: LazyLock<HashMap<&str, Messages>> = LazyLock::new(|| {
    let languages = LANGUAGES.into_iter();
    languages
        .map(|(_, tag, file)| (tag, messages(tag, file)))
        .collect()
});

tokio::task_local! {
    /// The language of the reader of the page in work.
    static READER: Language;
}

/// Answers a request in a language: that of all messages made by this work.
pub(super) async fn in_language<T>(language: Language, work: impl Future<Output = T>) -> T {
    READER.scope(language, work).await
}

/// Makes a text or a page in a language.
pub(super) fn made_in_language<T>(language: Language, make: impl FnOnce() -> T) -> T {
    READER.sync_scope(language, make)
}

/// Returns the language of the page in work; the default outside of requests.
pub(super) fn language() -> Language {
    READER.try_with(|language| *language).unwrap_or_default()
}

/// Returns the tag of a language, such as `nl`.
pub(super) fn tag(language: Language) -> &'static str {
    let of = LANGUAGES.iter().find(|(it, ..)| *it == language);
    of.map_or(LANGUAGES[0].1, |(_, tag, _)| tag)
}

/// Returns the language with this tag.
pub(super) fn of_tag(tag: &str) -> Option<Language> {
    let of = LANGUAGES.iter().find(|(_, it, _)| *it == tag);
    of.map(|(language, ..)| *language)
}

/// Returns the name of a language, in itself.
pub(super) fn name_of(language: Language) -> Cow<'static, str> {
    made_in_language(language, || text!("language"))
}

/// Returns the first language of a browser's list with a file of ours, else the default.
pub(crate) fn of_browser(headers: &HeaderMap) -> Language {
    let asked = headers.get(ACCEPT_LANGUAGE);
    let asked = asked.and_then(|value| value.to_str().ok());
    let asked = parse_accepted_languages(asked.unwrap_or_default());
    let ours: Vec<LanguageIdentifier> = LANGUAGES.iter().map(|(_, tag, _)| id(tag)).collect();
    let strategy = NegotiationStrategy::Lookup;
    let found = negotiate_languages(&asked, &ours, ours.first(), strategy);
    let found = found.first().map(|id| id.language.as_str());
    found.and_then(of_tag).unwrap_or_default()
}

/// See [`text!`].
pub(super) fn message(id: &str, arguments: &[(&str, FluentValue<'_>)]) -> Cow<'static, str> {
    match find(id, arguments) {
        Some(text) => text,
        // A test holds that each message exists.
        None => Cow::Owned(id.to_owned()),
    }
}

/// See [`text_of!`].
pub(super) fn member(family: &str, name: &str) -> Option<Cow<'static, str>> {
    find(&format!("{family}-{name}"), &[])
}

fn find(id: &str, arguments: &[(&str, FluentValue<'_>)]) -> Option<Cow<'static, str>> {
    let messages = MESSAGES.get(tag(language()))?;
    let pattern = messages.get_message(id)?.value()?;
    let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
    let mut problems = Vec::new();
    let text = messages.format_pattern(pattern, Some(&arguments), &mut problems);
    debug_assert!(problems.is_empty(), "{id}: {problems:?}");
    Some(text)
}

fn id(tag: &str) -> LanguageIdentifier {
    tag.parse().unwrap_or_default()
}

/// Parses a file. A test holds that it has no errors.
fn messages(tag: &str, file: &str) -> Messages {
    let file = FluentResource::try_new(file.to_owned()).unwrap_or_else(|(parsed, _)| parsed);
    let mut messages = FluentBundle::new_concurrent(vec![id(tag)]);
    // Marks around arguments are for texts of mixed direction, and would be copied with them.
    messages.set_use_isolating(false);
    messages.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) => Some(numbers::number(number.value as i64)),
        _ => None,
    }));
    messages.add_resource_overriding(file);
    messages
}
