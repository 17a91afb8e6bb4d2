//! Form fields, each with its problem beside it.

use std::borrow::Cow;

use connect_core::Reason;
use maud::{Markup, Render, html};

use super::{messages::problems, wording::sentence};

/// A field of a form.
pub(super) struct Field<'f> {
    pub(super) label: Cow<'f, str>,
    pub(super) name: &'f str,
    /// The type of the input, such as `text`.
    pub(super) kind: &'f str,
    pub(super) value: &'f str,
    /// A sentence of help, or "".
    pub(super) hint: Cow<'f, str>,
    pub(super) autocomplete: &'f str,
}

impl Field<'_> {
    /// Renders the field, with the problem if it is about this field.
    pub(super) fn render(&self, refused: Option<&Reason>) -> Markup {
        self.render_as(self.name, refused)
    }

    /// Renders the field, which may be empty if `is_optional`.
    pub(super) fn render_optional(&self, is_optional: bool, refused: Option<&Reason>) -> Markup {
        self.rendered(self.name, !is_optional, refused)
    }

    /// Renders it under this id, for pages with repeated field names.
    pub(super) fn render_as(&self, id: &str, refused: Option<&Reason>) -> Markup {
        self.rendered(id, true, refused)
    }

    fn rendered(&self, id: &str, is_required: bool, refused: Option<&Reason>) -> Markup {
        let problem = Problem {
            id,
            ..Problem::of(self.name, refused)
        };
        let hint = (!self.hint.is_empty()).then(|| format!("{id}-hint"));
        let described: Vec<String> = problem.id().into_iter().chain(hint.clone()).collect();
        let described = (!described.is_empty()).then(|| described.join(" "));
        html! {
            div.field {
                label for=(id) { (self.label) }
                @if let Some(hint) = hint { p.hint id=(hint) { (self.hint) } }
                input id=(id) name=(self.name) type=(self.kind) value=(self.value) required[is_required]
                    autocomplete=(self.autocomplete) aria-invalid=[problem.invalid()]
                    aria-describedby=[described];
                (problem.render(&self.label))
            }
        }
    }
}

/// The field for the current password of a signed-in user.
pub(super) fn current_password() -> Field<'static> {
    Field {
        label: text!("field-currentPassword"),
        name: "currentPassword",
        kind: "password",
        value: "",
        hint: Cow::default(),
        autocomplete: "current-password",
    }
}

/// The field for a code of the second factor.
pub(super) fn code() -> Field<'static> {
    Field {
        label: text!("word-code"),
        name: "code",
        kind: "text",
        value: "",
        hint: Cow::default(),
        autocomplete: "one-time-code",
    }
}

/// The hidden user name, for password managers.
pub(super) fn username(email: &str) -> Markup {
    html! { input type="hidden" name="username" autocomplete="username" value=(email); }
}

/// The problem of a field or a group of check boxes, if any.
pub(super) struct Problem<'p> {
    /// The id of the field.
    id: &'p str,
    reason: Option<&'p Reason>,
}

impl<'p> Problem<'p> {
    /// Finds the problem of the field with this name.
    pub(super) fn of(name: &'p str, refused: Option<&'p Reason>) -> Self {
        Self {
            id: name,
            reason: refused.filter(|reason| is_about(reason, name)),
        }
    }

    /// Returns the value of the input's `aria-invalid`.
    pub(super) fn invalid(&self) -> Option<&'static str> {
        self.reason.map(|_| "true")
    }

    /// Returns the value of the input's `aria-describedby`.
    pub(super) fn id(&self) -> Option<String> {
        self.reason.map(|_| format!("{}-problem", self.id))
    }

    /// Renders the sentence beside the input, beginning with the field's name.
    pub(super) fn render(&self, label: &str) -> Markup {
        html! {
            @if let (Some(reason), Some(id)) = (self.reason, self.id()) {
                @let problem = problems::translated(&reason.problem);
                p.problem id=(id) { (sentence(&format!("{label} {problem}"))) }
            }
        }
    }
}

/// Returns whether a problem is about a field.
/// An entry of the field counts too, such as `grants[0].scopes`.
pub(super) fn is_about(reason: &Reason, name: &str) -> bool {
    let field = reason.field.as_deref().unwrap_or_default();
    let rest = field.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

/// A choice of one option, each with its value and label.
pub(super) fn choice<'c>(
    label: &str,
    name: &str,
    choices: impl IntoIterator<Item = (&'c str, impl Render)>,
    chosen: &str,
    refused: Option<&Reason>,
) -> Markup {
    let problem = Problem::of(name, refused);
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) aria-invalid=[problem.invalid()] aria-describedby=[problem.id()] {
                @for (value, words) in choices {
                    option value=(value) selected[value == chosen] { (words) }
                }
            }
            (problem.render(label))
        }
    }
}

/// A check box of a group, marked with the group's problem.
pub(super) fn check_box(
    name: &str,
    value: &str,
    checked: bool,
    words: Markup,
    problem: &Problem<'_>,
) -> Markup {
    html! {
        label {
            input type="checkbox" name=(name) value=(value) checked[checked]
                aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
            (words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_stands_at_its_field() {
        let field = Field {
            label: "Name".into(),
            name: "name",
            kind: "text",
            value: "<b>",
            hint: Cow::default(),
            autocomplete: "off",
        };
        let reason = Reason::of("name", "must not be <b>");
        let shown = field.render(Some(&reason)).into_string();
        assert!(shown.contains("Name must not be &lt;b&gt;."), "{shown}");
        assert!(shown.contains("aria-invalid=\"true\""), "{shown}");
        assert!(
            shown.contains("aria-describedby=\"name-problem\""),
            "{shown}"
        );
        assert!(!shown.contains("<b>"), "{shown}");
        let hinted = Field {
            hint: "As on the door.".into(),
            ..field
        };
        let one_of_several = hinted.render_as("till-1", Some(&reason)).into_string();
        for part in [
            "<label for=\"till-1\">",
            "<input id=\"till-1\" name=\"name\"",
            "aria-describedby=\"till-1-problem till-1-hint\"",
            "<p class=\"problem\" id=\"till-1-problem\">",
        ] {
            assert!(one_of_several.contains(part), "{part}: {one_of_several}");
        }
        let both = hinted.render(Some(&reason)).into_string();
        assert!(
            both.contains("aria-describedby=\"name-problem name-hint\""),
            "{both}"
        );
        let fine = hinted.render(None).into_string();
        assert!(fine.contains("aria-describedby=\"name-hint\"") && !fine.contains("aria-invalid"));
        for (field, is_it) in [
            ("name", true),
            ("name[3].part", true),
            ("names", false),
            ("", false),
        ] {
            assert_eq!(
                is_about(&Reason::of(field, "is odd"), "name"),
                is_it,
                "{field}"
            );
        }
    }
}
