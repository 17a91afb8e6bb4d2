//! Actions done once for each form, however often it is sent.
//! They show a value once, add something, or belong to the sandbox.

use connect_core::Error;
use http::StatusCode;
use maud::html;

use crate::dashboard::{Answer, layout, page_request::SignedIn};

/// The advice after a missed answer of such an action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    section: &'static str,
    advice: &'static str,
    /// The label of the link onward.
    onward: &'static str,
}

pub(super) const TOKEN: Once = Once {
    section: "/dashboard/tokens",
    advice: "If you did not see the token, revoke it and create another one.",
    onward: "Go to the tokens",
};

pub(super) const WEBHOOK: Once = Once {
    section: "/dashboard/webhooks",
    advice: "If you did not see the webhook's secret, open the webhook and roll its secret.",
    onward: "Go to the webhooks",
};

pub(super) const WEBHOOK_SECRET: Once = Once {
    section: "/dashboard/webhooks",
    advice: "If you did not see the new secret, open the webhook and roll its secret again.",
    onward: "Go to the webhooks",
};

pub(super) const SCREEN: Once = Once {
    section: "/dashboard/screens",
    advice: "If the screen is not in the list, fill in the form again.",
    onward: "Go to the screens",
};

pub(super) const SCREEN_KEY: Once = Once {
    section: "/dashboard/screens",
    advice: "If you did not see the key, replace it by another one.",
    onward: "Go to the screens",
};

pub(super) const SANDBOX: Once = Once {
    section: "/dashboard/sandbox",
    advice: "To have the same happen once more, press the button on the page as it is now.",
    onward: "Go to the sandbox",
};

pub(super) const USER: Once = Once {
    section: "/dashboard/users",
    advice: "If the user is not in the list, fill in the form again.",
    onward: "Go to the users",
};

pub(super) const INVITATION: Once = Once {
    section: "/dashboard/users",
    advice: "If you did not see the link, make another invitation.",
    onward: "Go to the users",
};

pub(super) const RECOVERY_CODES: Once = Once {
    section: "/dashboard/account/second-factor",
    advice: "If you did not see the recovery codes, make new ones.",
    onward: "Go to the second factor",
};

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
