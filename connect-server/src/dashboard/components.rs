//! The building blocks of pages.

use connect_core::{
    Error, Reason,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};

pub(super) use super::wording::sentence;
use super::{
    Answer,
    csrf::{self, FormTokens},
    inputs::is_about,
    messages::{dates, problems},
};
use crate::commands::ShownOnce;

/// A form with its CSRF token.
pub(super) fn form(action: &str, csrf: &FormTokens, content: Markup) -> Markup {
    html! {
        form method="post" action=(action) { (hidden(csrf)) (content) }
    }
}

/// The hidden field with the CSRF token of a form.
pub(super) fn hidden(csrf: &FormTokens) -> Markup {
    html! { input type="hidden" name=(csrf::FIELD) value=(csrf.next()); }
}

/// The problem of a form, unless it belongs to one of these fields.
pub(super) fn problem(refused: Option<&Reason>, fields: &[&str]) -> Markup {
    let is_theirs = |reason: &&Reason| fields.iter().any(|name| is_about(reason, name));
    html! {
        @if let Some(reason) = refused.filter(|reason| !is_theirs(reason)) {
            p.problem role="alert" { (sentence(&problems::reason(reason))) }
        }
    }
}

/// Shows a form again, with the problem and status of an error.
///
/// # Errors
/// The error itself, if the reader of the form cannot correct it.
pub(super) async fn again(
    error: Error,
    form: impl AsyncFnOnce(&Reason) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let reason = mendable(error.clone())?;
    Ok(form(&reason).await?.refused(&error))
}

/// Returns the reason of an error, if the reader can correct it.
///
/// # Errors
/// The error itself, if the reader of the form cannot correct it.
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
/// [`Error::NotFound`]: the text is not an ID, so no record has it.
pub(super) fn id<T>(text: &str) -> Result<Id<T>, Error> {
    text.parse().map_err(|_| gone())
}

/// The error for a missing page or a missing record.
pub(super) fn gone() -> Error {
    Error::NotFound(Reason::new(text!("gone")))
}

/// A time in the time zone of the locations.
pub(super) fn time(time: Timestamp) -> Markup {
    html! {
        time datetime=(time) { (dates::date_time(time)) }
    }
}

/// A table, with the cells of its first row in `head`.
/// On a narrow page it scrolls by itself.
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

/// A button with a dialog, to confirm an action by its consequence.
/// `full` is its name for screen readers, and the title.
pub(super) fn confirmed(full: &str, short: &str, consequence: &str, action: Markup) -> Markup {
    let id = dialog_id(full, &action);
    // Without `type` the buttons would send a form around them.
    html! {
        button.quiet type="button" popovertarget=(id) aria-haspopup="dialog" aria-label=(full) {
            (short)
        }
        div.dialog id=(id) popover role="dialog" aria-labelledby={ (id) "-title" }
            aria-describedby={ (id) "-text" } {
            (asked(&id, full, consequence))
            div.answers {
                (action)
                button.quiet type="button" popovertarget=(id) popovertargetaction="hide" autofocus {
                    (text!("word-cancel"))
                }
            }
        }
    }
}

/// The same question open on the page, with its refused form.
pub(super) fn asked_again(full: &str, consequence: &str, action: Markup) -> Markup {
    html! {
        section.card { (asked(&dialog_id(full, &action), full, consequence)) (action) }
    }
}

/// The title and the consequence of a dialog.
fn asked(id: &str, full: &str, consequence: &str) -> Markup {
    html! {
        // An ellipsis promises the dialog.
        h2 id={ (id) "-title" } { (full.replace('…', "")) }
        p id={ (id) "-text" } { (consequence) }
    }
}

/// Derives the id of a dialog from its name and form.
fn dialog_id(full: &str, action: &Markup) -> String {
    let address = action.0.split("action=\"").nth(1);
    let address = address.and_then(|rest| rest.split('"').next());
    let digest = Sha256::digest(format!("{full} {}", address.unwrap_or_default()));
    format!("dialog-{}", hex::encode(&digest[..6]))
}

/// The placeholder of an empty list, with the next step.
pub(super) fn empty(text: &str, action: Markup) -> Markup {
    html! {
        div.empty { p { (text) } (action) }
    }
}

/// A value to copy, shown only once.
pub(super) fn shown_once(label: &str, value: Option<&ShownOnce>) -> Markup {
    html! {
        div.secret {
            label for="shown-once" { (label) }
            input id="shown-once" type="text" readonly value=[value.map(ShownOnce::expose)] aria-describedby="shown-once-hint";
            p.hint id="shown-once-hint" { (text!("copy-now")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialog_is_opened_by_its_own_button() {
        let csrf = FormTokens::of("cookie");
        let dialog = |name: &str, path: &str| {
            let action = form(path, &csrf, html! { button { "Remove" } });
            let name = format!("Remove… {name}");
            confirmed(&name, "Remove…", "It is gone.", action).into_string()
        };
        let id = |shown: &str| {
            let ids = shown.split(" id=\"").skip(1);
            let ids: Vec<_> = ids.map(|rest| rest.split('"').next().unwrap()).collect();
            let id = ids[0].to_owned();
            assert_eq!(ids, [&*id, &format!("{id}-title"), &format!("{id}-text")]);
            id
        };
        let shown = dialog("<b>\"", "/tills/1");
        let own = id(&shown);
        for part in [
            "<h2 id=\"ID-title\">Remove &lt;b&gt;&quot;</h2>",
            "<button class=\"quiet\" type=\"button\" popovertarget=\"ID\" aria-haspopup=\"dialog\" \
             aria-label=\"Remove… &lt;b&gt;&quot;\">Remove…</button>",
            "aria-labelledby=\"ID-title\" aria-describedby=\"ID-text\"",
            "popovertarget=\"ID\" popovertargetaction=\"hide\" autofocus>Cancel</button>",
        ] {
            assert!(shown.contains(&part.replace("ID", &own)), "{part}: {shown}");
        }
        // The same at each reading, though the token of its form is not, and another for another action.
        assert_eq!(id(&dialog("<b>\"", "/tills/1")), own);
        let others = [dialog("<b>\"", "/tills/2"), dialog("Till", "/tills/1")];
        for other in others {
            assert_ne!(id(&other), own);
        }
    }

    #[test]
    fn a_problem_that_no_field_has_stands_by_itself() {
        let reason = Reason::of("name", "must not be <b>");
        assert_eq!(problem(Some(&reason), &["name"]).into_string(), "");
        let shown = problem(Some(&reason), &["other"]).into_string();
        assert!(shown.contains("Name: must not be &lt;b&gt;."), "{shown}");
    }
}
