//! The messages of mail, in the languages of users.
//!
//! A language is a file of messages in Fluent syntax and a line of [`LANGUAGES`]. Code names a message by its id,
//! with its arguments. A test compares both with those of each file.

use std::{borrow::Cow, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};

use crate::transaction::Language;

/// The languages, each with its tag and its file. The default is for messages missing elsewhere.
pub(in crate::jobs) const LANGUAGES: &[(Language, &str, &str)] = &[
    (Language::En, "en", include_str!("en.ftl")),
    (Language::Nl, "nl", include_str!("nl.ftl")),
];

type Messages = FluentBundle<FluentResource>;

/// The messages of each language, parsed once.
static MESSAGES: LazyLock<Vec<(Language, Messages)>> = LazyLock::new(|| {
    let languages = LANGUAGES.iter();
    languages
        .map(|(language, tag, file)| (*language, messages(tag, file)))
        .collect()
});

/// A message with its arguments, to be written in any language.
pub(in crate::jobs) struct MailText<'a> {
    id: &'static str,
    arguments: FluentArgs<'a>,
}

impl<'a> MailText<'a> {
    /// Names a message.
    pub(in crate::jobs) fn of(id: &'static str) -> Self {
        Self {
            id,
            arguments: FluentArgs::new(),
        }
    }

    /// Adds an argument.
    pub(in crate::jobs) fn with(
        mut self,
        name: &'static str,
        value: impl Into<FluentValue<'a>>,
    ) -> Self {
        self.arguments.set(name, value);
        self
    }

    /// Writes the line of the message: of a mail, its subject.
    pub(in crate::jobs) fn line(&self, language: Language) -> String {
        self.written(language, None)
    }

    /// Writes the text below the subject.
    pub(super) fn text(&self, language: Language) -> String {
        self.written(language, Some("text"))
    }

    /// Writes the message, or an attribute of it.
    fn written(&self, language: Language, attribute: Option<&str>) -> String {
        let languages = [language, Language::default()];
        let found = languages.iter().find_map(|of| self.find(*of, attribute));
        // A test holds that each message exists.
        found.map_or_else(|| self.id.to_owned(), Cow::into_owned)
    }

    fn find(&self, language: Language, attribute: Option<&str>) -> Option<Cow<'static, str>> {
        let (_, messages) = MESSAGES.iter().find(|(of, _)| *of == language)?;
        let message = messages.get_message(self.id)?;
        let pattern = match attribute {
            None => message.value()?,
            Some(name) => message.get_attribute(name)?.value(),
        };
        let mut problems = Vec::new();
        let text = messages.format_pattern(pattern, Some(&self.arguments), &mut problems);
        debug_assert!(problems.is_empty(), "{}: {problems:?}", self.id);
        Some(text)
    }
}

/// Parses a file. A test holds that it has no errors.
fn messages(tag: &str, file: &str) -> Messages {
    let file = FluentResource::try_new(file.to_owned()).unwrap_or_else(|(parsed, _)| parsed);
    let mut messages = FluentBundle::new_concurrent(vec![tag.parse().unwrap_or_default()]);
    // Marks around arguments are for texts of mixed direction, and would be copied with links.
    messages.set_use_isolating(false);
    messages.add_resource_overriding(file);
    messages
}
