//! The links from objects to their changes.

use std::fmt::Display;

use connect_core::UserRight;
use maud::{Markup, html};

use crate::dashboard::page_request::SignedIn;

pub(super) const PATH: &str = "/dashboard/activity";

/// The filter by object, as named in the address.
pub(super) const OBJECT: &str = "object";

/// Returns the address of the changes of an object; `None` without the right to read them.
fn of_object(to: &SignedIn<'_>, id: impl Display) -> Option<String> {
    let may_read = to.session.has(UserRight::ReadTrail);
    may_read.then(|| format!("{PATH}?{OBJECT}={id}"))
}

/// The link to the changes of an object in a list.
pub(crate) fn changes_link(to: &SignedIn<'_>, id: impl Display, name: &str) -> Markup {
    html! {
        @if let Some(changes) = of_object(to, id) {
            a href=(changes) aria-label=(text!("products-changes-of", product = name)) {
                (text!("products-changes"))
            }
        }
    }
}

/// The line with the link to the changes of an object, on its page.
pub(crate) fn changes_line(to: &SignedIn<'_>, id: impl Display, name: &str) -> Markup {
    html! {
        @if let Some(changes) = of_object(to, id) {
            p { a.wide href=(changes) { (text!("products-changes-of", product = name)) } }
        }
    }
}
