//! Actions done once for each form, however often it is sent.
//! They show a value once, add something, or belong to the sandbox.

use connect_core::Error;
use http::StatusCode;
use maud::html;

use crate::dashboard::{Answer, layout, page_request::SignedIn};

/// An action done once, with advice after a missed answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    section: &'static str,
    advice: &'static str,
    /// The label of the link onward.
    onward: &'static str,
}

/// Finds the action at a place, if it is one of these.
pub(super) fn of(place: &[&str]) -> Option<Once> {
    let (section, advice, onward) = match place {
        ["tokens"] => (
            "/dashboard/tokens",
            "If you did not see the token, revoke it and create another one.",
            "Go to the tokens",
        ),
        ["webhooks"] => (
            "/dashboard/webhooks",
            "If you did not see the webhook's secret, open the webhook and roll its secret.",
            "Go to the webhooks",
        ),
        ["webhooks", _, "roll"] => (
            "/dashboard/webhooks",
            "If you did not see the new secret, open the webhook and roll its secret again.",
            "Go to the webhooks",
        ),
        ["screens"] => (
            "/dashboard/screens",
            "If the screen is not in the list, fill in the form again.",
            "Go to the screens",
        ),
        ["screens", _, "key"] => (
            "/dashboard/screens",
            "If you did not see the key, replace it by another one.",
            "Go to the screens",
        ),
        ["sandbox"] => (
            "/dashboard/sandbox",
            "To have the same happen once more, press the button on the page as it is now.",
            "Go to the sandbox",
        ),
        _ => return None,
    };
    Some(Once {
        section,
        advice,
        onward,
    })
}

impl Once {
    /// Performs the action, unless the same form already did.
    /// A form without effect may be sent again.
    pub(super) async fn run(
        self,
        to: &SignedIn<'_>,
        act: impl Future<Output = Result<Answer, Error>>,
    ) -> Result<Answer, Error> {
        let Some(turn) = to.context.used.begin(&to.path, &to.form).await else {
            return Ok(self.done_before(to));
        };
        let answer = act.await;
        let is_done = |answer: &Answer| !answer.status.is_client_error();
        if answer.as_ref().is_ok_and(is_done) {
            turn.done();
        }
        answer
    }

    fn done_before(self, to: &SignedIn<'_>) -> Answer {
        let content = html! {
            p { "You sent this form before, so nothing was done this time. " (self.advice) }
            p { a.button href=(self.section) { (self.onward) } }
        };
        let answer = layout::page(to, self.section, "This was already done", content);
        answer.with_status(StatusCode::CONFLICT)
    }
}
