//! The warning about a switched-off webhook: by whom, and why.

use connect_core::{
    Author, Error, MOST_WAITING_COUNTED, SwitchOffReason, SwitchedOff, TrailFilter, TrailScope,
    UserRight, Webhook,
};
use maud::{Markup, html};

use crate::dashboard::{components, page_request::SignedIn};

/// The seconds around a switch-off with its entry in the trail.
const AROUND: i64 = 60;

/// The author of a switch-off, as far as the reader may know.
enum Switcher {
    /// The reader.
    Reader,
    /// Another user, by name.
    User(String),
    Operator,
    Unknown,
}

/// Makes the warning, with the number of waiting events.
///
/// # Errors
/// The storage failed.
pub(super) async fn warning(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    off: &SwitchedOff,
    waiting: usize,
) -> Result<Markup, Error> {
    let time = |_: &str| components::time(off.at);
    let reason = match off.reason {
        SwitchOffReason::Failures => marked!("webhooks-off-by-failures", time = time),
        SwitchOffReason::Owner => match switcher(to, webhook, off).await? {
            Switcher::Reader => marked!("webhooks-off-by-owner", time = time),
            Switcher::User(name) => marked!("webhooks-off-by-user", [name = name], time = time),
            Switcher::Operator => marked!("webhooks-off-by-operator", time = time),
            Switcher::Unknown => marked!("webhooks-off-by-somebody", time = time),
        },
    };
    let waiting = match waiting {
        0 => text!("webhooks-none-wait"),
        MOST_WAITING_COUNTED.. => text!("webhooks-more-wait", count = MOST_WAITING_COUNTED - 1),
        some => text!("webhooks-some-wait", count = some),
    };
    Ok(html! { p.warning { (reason) " " (waiting) } })
}

/// Finds the author of a switch-off in the trail.
async fn switcher(
    to: &SignedIn<'_>,
    webhook: &Webhook,
    off: &SwitchedOff,
) -> Result<Switcher, Error> {
    if !to.session.has(UserRight::ReadTrail) {
        return Ok(Switcher::Unknown);
    }
    let filter = TrailFilter {
        object: Some(webhook.id.uuid()),
        since: Some(off.at.plus_seconds(-AROUND)),
        until: Some(off.at.plus_seconds(AROUND)),
        ..TrailFilter::default()
    };
    let scope = TrailScope::Account(to.account().id);
    let page = to.connect.trail(scope, &filter, None, 20).await?;
    let found = page.entries.into_iter().find(|entry| {
        let mut changes = entry.changes.iter();
        changes.any(|change| {
            let after = change.after.get("switchedOff");
            after.is_some_and(|after| !after.is_null())
        })
    });
    Ok(match found.map(|entry| entry.author) {
        Some(Author::User { id }) if id == to.user().id => Switcher::Reader,
        Some(Author::User { id }) => {
            let mut users = to.account().users.iter();
            let user = users.find(|user| user.id == id);
            user.map_or(Switcher::Unknown, |user| Switcher::User(user.name.clone()))
        }
        Some(Author::Operator { .. }) => Switcher::Operator,
        _ => Switcher::Unknown,
    })
}
