//! The parts of which pages are made.

use connect_core::{
    Error, Reason, local_time,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

use super::csrf;

/// A form, with the token that says that it is ours.
pub(super) fn form(action: &str, csrf: &str, content: Markup) -> Markup {
    html! {
        form method="post" action=(action) { (hidden(csrf)) (content) }
    }
}

/// The field that says that a form is ours.
pub(super) fn hidden(csrf: &str) -> Markup {
    html! { input type="hidden" name=(csrf::FIELD) value=(csrf); }
}

/// A field of a form.
pub(super) struct Field<'f> {
    pub(super) label: &'f str,
    pub(super) name: &'f str,
    /// The type of the input, such as `text`.
    pub(super) kind: &'f str,
    pub(super) value: &'f str,
    /// A sentence that helps to fill it in, or "".
    pub(super) hint: &'f str,
    pub(super) autocomplete: &'f str,
}

impl Field<'_> {
    /// Renders the field, with the problem if it is the one that has it.
    pub(super) fn render(&self, refused: Option<&Reason>) -> Markup {
        let problem = refused.filter(|reason| reason.field.as_deref() == Some(self.name));
        let hint_id = format!("{}-hint", self.name);
        let problem_id = format!("{}-problem", self.name);
        let described = match (self.hint, problem) {
            ("", None) => None,
            (_, None) => Some(hint_id.clone()),
            (_, Some(_)) => Some(problem_id.clone()),
        };
        html! {
            div.field {
                label for=(self.name) { (self.label) }
                @if !self.hint.is_empty() { p.hint id=(hint_id) { (self.hint) } }
                input id=(self.name) name=(self.name) type=(self.kind) value=(self.value) required
                    autocomplete=(self.autocomplete) aria-invalid=[problem.map(|_| "true")]
                    aria-describedby=[described];
                @if let Some(reason) = problem {
                    p.problem id=(problem_id) { (self.label) " " (reason.problem) "." }
                }
            }
        }
    }
}

/// The problem of a form that none of these fields has, or nothing.
pub(super) fn problem(refused: Option<&Reason>, fields: &[&str]) -> Markup {
    let is_theirs = |reason: &&Reason| {
        let field = reason.field.as_deref();
        field.is_some_and(|field| fields.contains(&field))
    };
    html! {
        @if let Some(reason) = refused.filter(|reason| !is_theirs(reason)) {
            p.problem role="alert" { (sentence(&reason.to_string())) }
        }
    }
}

/// Returns the reason of an error that the reader of a form can mend; others go on.
///
/// # Errors
/// The error, when it is no fault of what was filled in.
pub(super) fn mendable(error: Error) -> Result<Reason, Error> {
    match error {
        Error::Invalid(reason)
        | Error::Malformed(reason)
        | Error::Conflict(reason)
        | Error::RateLimited(reason) => Ok(reason),
        other => Err(other),
    }
}

/// Reads an id in a path.
///
/// # Errors
/// [`Error::NotFound`]: it is none, so there is nothing with it.
pub(super) fn id<T>(text: &str) -> Result<Id<T>, Error> {
    text.parse().map_err(|_| gone())
}

/// Makes the error of a page whose subject is not there.
pub(super) fn gone() -> Error {
    let problem = "there is no such page, or what it is about is no longer there";
    Error::NotFound(Reason::new(problem))
}

/// A text with a capital in front and a full stop behind.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    let stop = if text.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{}{}{stop}", first.unwrap_or_default(), characters.as_str())
}

/// A time as the clocks at the locations show it.
pub(super) fn time(time: Timestamp) -> Markup {
    let local = local_time(time);
    html! {
        time datetime=(time) { (local.format("%-d %b %Y, %H:%M").to_string()) }
    }
}

/// A choice of one among several: the value of each, and its words.
pub(super) fn choice<'c>(
    label: &str,
    name: &str,
    choices: impl Iterator<Item = (&'c str, &'c str)>,
    chosen: &str,
) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for (value, words) in choices {
                    option value=(value) selected[value == chosen] { (words) }
                }
            }
        }
    }
}

/// An action that has to be opened before it can be done. `full` names it for those who hear the page.
pub(super) fn confirmed(full: &str, short: &str, consequence: &str, action: Markup) -> Markup {
    html! {
        details.confirmed {
            summary aria-label=(full) { (short) }
            div { p { (consequence) } (action) }
        }
    }
}

/// A table, of which `head` has the cells of the first row. Where the page is narrow it scrolls by itself.
pub(super) fn table(caption: &str, head: Markup, rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table { thead { tr { (head) } } tbody { (rows) } }
        }
    }
}

/// The place of a list that has nothing in it: it says what to do.
pub(super) fn empty(text: &str, action: Markup) -> Markup {
    html! {
        div.empty { p { (text) } (action) }
    }
}

/// A value that is shown this once, to be copied.
pub(super) fn shown_once(label: &str, value: &str) -> Markup {
    html! {
        div.secret {
            label for="shown-once" { (label) }
            input id="shown-once" type="text" readonly value=(value);
            p.hint { "It is shown this once. Copy it now; nobody can look it up later." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_and_end_as_sentences_do() {
        for (text, expected) in [
            ("name: must not be empty", "Name: must not be empty."),
            ("Wait.", "Wait."),
            ("", "."),
            ("émail?", "Émail?"),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn times_are_those_of_the_location() {
        let summer = "2026-07-01T22:30:00Z".parse().unwrap();
        let shown = time(summer).into_string();
        assert!(shown.contains("2 Jul 2026, 00:30"), "{shown}");
    }

    #[test]
    fn the_problem_stands_at_its_field() {
        let field = Field {
            label: "Name",
            name: "name",
            kind: "text",
            value: "<b>",
            hint: "",
            autocomplete: "off",
        };
        let reason = Reason::of("name", "must not be <b>");
        let shown = field.render(Some(&reason)).into_string();
        assert!(shown.contains("Name must not be &lt;b&gt;."), "{shown}");
        assert!(
            shown.contains("aria-describedby=\"name-problem\""),
            "{shown}"
        );
        assert!(!shown.contains("<b>"), "{shown}");
        assert_eq!(problem(Some(&reason), &["name"]).into_string(), "");
        let other = problem(Some(&reason), &["other"]).into_string();
        assert!(other.contains("Name: must not be"), "{other}");
    }
}
