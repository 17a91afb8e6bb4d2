//! The status of a token: in use, near expiry, or ended.

use std::borrow::Cow;

use connect_core::{
    Token,
    wire::{Timestamp, limits::EXPIRY_WARNING_DAYS},
};
use maud::{Markup, html};

use crate::dashboard::page_request::SignedIn;

/// The seconds of a day.
const DAY: i64 = 24 * 3600;

/// The status of a token in a word or two.
pub(super) fn words(to: &SignedIn<'_>, token: &Token) -> Cow<'static, str> {
    if token.revoked_at.is_some() {
        text!("tokens-status-revoked")
    } else if to.connect.has_ended(token) {
        text!("tokens-status-expired")
    } else if let Some(days) = days_left(token.expires_at, to.connect.now()) {
        text!("tokens-status-expires-in", days = days)
    } else {
        text!("tokens-status-in-use")
    }
}

/// The status of a token as a badge.
pub(super) fn badge(to: &SignedIn<'_>, token: &Token) -> Markup {
    let words = words(to, token);
    let expires_soon = days_left(token.expires_at, to.connect.now()).is_some();
    html! {
        @if token.revoked_at.is_some() { span.tag { (words) } }
        @else if to.connect.has_ended(token) { span.tag.bad { (words) } }
        @else { span.tag.warn[expires_soon].good[!expires_soon] { (words) } }
    }
}

/// The days until an expiry, from the time of the warning on.
fn days_left(expires_at: Option<Timestamp>, now: Timestamp) -> Option<i64> {
    let seconds = expires_at?.seconds() - now.seconds();
    let days = (seconds + DAY - 1) / DAY;
    (days <= EXPIRY_WARNING_DAYS).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_days_of_a_token_are_counted() {
        let now = Timestamp::EPOCH;
        for (seconds, days) in [
            (None, None),
            (Some(90 * DAY), None),
            (Some(14 * DAY + 1), None),
            (Some(14 * DAY), Some(14)),
            (Some(13 * DAY + 1), Some(14)),
            (Some(DAY), Some(1)),
            (Some(60), Some(1)),
        ] {
            let expires_at = seconds.map(|seconds| now.plus_seconds(seconds));
            assert_eq!(days_left(expires_at, now), days, "{seconds:?}");
        }
    }
}
