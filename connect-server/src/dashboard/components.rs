//! The parts of which pages are made.

use connect_core::{
    Error, Reason, local_time,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

pub(super) use super::wording::sentence;
use super::{
    Answer,
    csrf::{self, FormTokens},
    inputs::is_about,
};

/// A form, with the token that says that it is ours.
pub(super) fn form(action: &str, csrf: &FormTokens, content: Markup) -> Markup {
    html! {
        form method="post" action=(action) { (hidden(csrf)) (content) }
    }
}

/// The field that says that a form is ours.
pub(super) fn hidden(csrf: &FormTokens) -> Markup {
    html! { input type="hidden" name=(csrf::FIELD) value=(csrf.next()); }
}

/// The problem of a form that none of these fields has, or nothing.
pub(super) fn problem(refused: Option<&Reason>, fields: &[&str]) -> Markup {
    let is_theirs = |reason: &&Reason| fields.iter().any(|name| is_about(reason, name));
    html! {
        @if let Some(reason) = refused.filter(|reason| !is_theirs(reason)) {
            p.problem role="alert" { (sentence(&reason.to_string())) }
        }
    }
}

/// Shows a form again, with what is wrong with it, and with the status of that.
///
/// # Errors
/// The error, when it is no fault of what was filled in.
pub(super) async fn again(
    error: Error,
    form: impl AsyncFnOnce(&Reason) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let reason = mendable(error.clone())?;
    Ok(form(&reason).await?.refused(&error))
}

/// Returns the reason of an error that the reader of a form can mend; others go on.
///
/// # Errors
/// The error, when it is no fault of what was filled in.
fn mendable(error: Error) -> Result<Reason, Error> {
    match error {
        Error::Invalid(reason)
        | Error::Malformed(reason)
        | Error::Conflict(reason)
        | Error::LimitReached(reason)
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

/// A time as the clocks at the locations show it.
pub(super) fn time(time: Timestamp) -> Markup {
    let local = local_time(time);
    html! {
        time datetime=(time) { (local.format("%-d %b %Y, %H:%M").to_string()) }
    }
}

/// A table, of which `head` has the cells of the first row. Where the page is narrow it scrolls by itself.
pub(super) fn table(caption: &str, head: Markup, rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table {
                caption.hidden { (caption) }
                thead { tr { (head) } }
                tbody { (rows) }
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
            input id="shown-once" type="text" readonly value=(value) aria-describedby="shown-once-hint";
            p.hint id="shown-once-hint" { "Copy it now. It is not shown again." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_location() {
        let summer = "2026-07-01T22:30:00Z".parse().unwrap();
        let shown = time(summer).into_string();
        assert!(shown.contains("2 Jul 2026, 00:30"), "{shown}");
    }

    #[test]
    fn a_problem_that_no_field_has_stands_by_itself() {
        let reason = Reason::of("name", "must not be <b>");
        assert_eq!(problem(Some(&reason), &["name"]).into_string(), "");
        let shown = problem(Some(&reason), &["other"]).into_string();
        assert!(shown.contains("Name: must not be &lt;b&gt;."), "{shown}");
    }
}
