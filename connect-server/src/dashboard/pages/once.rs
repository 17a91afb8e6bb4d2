//! Actions done once for each form, however often it is sent.
//! They show a value once, add something, or belong to the sandbox.

use std::borrow::Cow;

use connect_core::Error;
use http::StatusCode;
use maud::html;

use crate::dashboard::{Answer, layout, page_request::SignedIn};

/// A text in the language of the reader.
type Text = fn() -> Cow<'static, str>;

/// The advice after a missed answer of such an action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    section: &'static str,
    advice: Text,
    /// The label of the link onward.
    onward: Text,
}

pub(super) const TOKEN: Once = Once {
    section: "/dashboard/tokens",
    advice: || text!("once-token"),
    onward: || text!("once-to-tokens"),
};

pub(super) const WEBHOOK: Once = Once {
    section: "/dashboard/webhooks",
    advice: || text!("once-webhook"),
    onward: || text!("once-to-webhooks"),
};

pub(super) const WEBHOOK_SECRET: Once = Once {
    section: "/dashboard/webhooks",
    advice: || text!("once-webhook-secret"),
    onward: || text!("once-to-webhooks"),
};

pub(super) const RESEND: Once = Once {
    section: "/dashboard/webhooks",
    advice: || text!("once-resend"),
    onward: || text!("once-to-webhooks"),
};

pub(super) const SCREEN: Once = Once {
    section: "/dashboard/screens",
    advice: || text!("once-screen"),
    onward: || text!("once-to-screens"),
};

pub(super) const SCREEN_KEY: Once = Once {
    section: "/dashboard/screens",
    advice: || text!("once-screen-key"),
    onward: || text!("once-to-screens"),
};

pub(super) const SANDBOX: Once = Once {
    section: "/dashboard/sandbox",
    advice: || text!("once-sandbox"),
    onward: || text!("once-to-sandbox"),
};

pub(super) const STOCK: Once = Once {
    section: "/dashboard/stock",
    advice: || text!("once-stock"),
    onward: || text!("once-to-stock"),
};

pub(super) const PRODUCTS: Once = Once {
    section: "/dashboard/products",
    advice: || text!("once-products"),
    onward: || text!("once-to-products"),
};

pub(super) const USER: Once = Once {
    section: "/dashboard/users",
    advice: || text!("once-user"),
    onward: || text!("once-to-users"),
};

pub(super) const INVITATION: Once = Once {
    section: "/dashboard/users",
    advice: || text!("once-invitation"),
    onward: || text!("once-to-users"),
};

pub(super) const RECOVERY_CODES: Once = Once {
    section: "/dashboard/account/second-factor",
    advice: || text!("once-recovery-codes"),
    onward: || text!("once-to-second-factor"),
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
            p { (text!("once-explained", advice = (self.advice)())) }
            p { a.button href=(self.section) { ((self.onward)()) } }
        };
        let answer = layout::page(to, self.section, &text!("once-title"), content);
        answer.with_status(StatusCode::CONFLICT)
    }
}
