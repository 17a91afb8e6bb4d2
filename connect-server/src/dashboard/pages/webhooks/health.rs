//! The health of a webhook in words and numbers.

use std::borrow::Cow;

use connect_core::{
    AttemptStats, DeliveryStats, FailedAttempt, MOST_WAITING_COUNTED, SwitchOffReason, Webhook,
    WebhookHealth, wire::Timestamp,
};
use maud::{Markup, html};

use super::PATH;
use crate::dashboard::{components, messages::problems};

/// A webhook with its health and its numbers.
pub(super) struct WatchedWebhook {
    pub(super) webhook: Webhook,
    pub(super) health: WebhookHealth,
    pub(super) stats: DeliveryStats,
    /// Set while its secret does not open.
    pub(super) is_unsigned: bool,
}

impl WatchedWebhook {
    /// The first of the failures in a row; `None` while the webhook is off.
    pub(super) fn failing_since(&self) -> Option<Timestamp> {
        let since = self.health.failing_since;
        since.filter(|_| self.webhook.is_enabled() && !self.is_unsigned)
    }
}

/// Returns the state of a webhook in a word or two, as a tag and as words.
pub(super) fn state(of: &WatchedWebhook) -> (Markup, Cow<'static, str>) {
    let count = of.health.failures_in_a_row;
    let (class, words) = match &of.webhook.switched_off {
        Some(off) if off.reason == SwitchOffReason::Failures => {
            ("tag bad", text!("webhooks-switched-off"))
        }
        Some(_) => ("tag", text!("webhooks-off")),
        None if of.is_unsigned => ("tag bad", text!("webhooks-waits-for-key")),
        None if of.health.is_probed() => ("tag bad", text!("webhooks-probed", count = count)),
        None if count > 0 => ("tag bad", text!("webhooks-failing", count = count)),
        None => ("tag good", text!("webhooks-on")),
    };
    (html! { span class=(class) { (words) } }, words)
}

/// The state of a webhook in a sentence; empty where a warning above has it.
pub(super) fn sentence(of: &WatchedWebhook) -> Markup {
    if !of.webhook.is_enabled() || of.is_unsigned {
        return html! {};
    }
    let count = of.health.failures_in_a_row;
    let next = of.stats.next_attempt_at;
    let has_succeeded = of.health.last_success_at.is_some();
    html! {
        @match (of.failing_since(), next) {
            (Some(since), Some(next)) => (marked!(
                "webhooks-fails-next",
                [count = count],
                since = |_: &str| components::time(since),
                next = |_: &str| components::time(next),
            )),
            (Some(since), None) => (marked!(
                "webhooks-fails",
                [count = count],
                since = |_: &str| components::time(since),
            )),
            (None, _) if has_succeeded => (text!("webhooks-works")),
            (None, _) => (text!("webhooks-untried")),
        }
    }
}

/// The facts about the recent deliveries.
pub(super) fn facts(of: &WatchedWebhook) -> Markup {
    let stats = &of.stats;
    html! {
        dt { (text!("webhooks-last-success")) } dd { (moment(of.health.last_success_at)) }
        dt { (text!("webhooks-last-failure")) }
        dd {
            (moment(of.health.last_failure_at))
            @if let Some(last) = &stats.last_failure { (failure(&of.webhook, last)) }
        }
        dt { (text!("webhooks-day")) } dd { (attempts(&stats.day, stats)) }
        dt { (text!("webhooks-week")) } dd { (attempts(&stats.week, stats)) }
        dt { (text!("webhooks-waiting")) } dd { (waiting(stats)) }
    }
}

/// The reason of the last failure, with a link to its delivery.
fn failure(webhook: &Webhook, last: &FailedAttempt) -> Markup {
    let address = format!("{PATH}/{}/deliveries/{}", webhook.id, last.delivery);
    html! {
        @if let Some(reason) = &last.attempt.reason {
            br;
            (components::sentence(&problems::translated(reason)))
        }
        " " a href=(address) { (text!("webhooks-see-failure")) }
    }
}

/// The attempts of a time: their number, the share of success and the times of answers.
fn attempts(of: &AttemptStats, stats: &DeliveryStats) -> Markup {
    let Some(percent) = percent(of) else {
        return html! { (text!("webhooks-no-attempts")) };
    };
    html! {
        (text!("webhooks-attempts-succeeded", percent = percent, count = of.attempts))
        @if let (Some(median), Some(slowest)) = (of.median_ms, of.slowest_ms) {
            " " (text!(
                "webhooks-answer-times",
                median = median.to_string(),
                slowest = slowest.to_string(),
            ))
        }
        @if of.is_part { " " (text!("webhooks-of-last", count = stats.deliveries)) }
    }
}

/// Returns the share of successful attempts in whole percent; 100 only if all succeeded.
pub(super) fn percent(of: &AttemptStats) -> Option<u32> {
    let share = (of.succeeded * 100).checked_div(of.attempts)?;
    u32::try_from(share).ok()
}

/// The number of waiting events.
pub(super) fn waiting(stats: &DeliveryStats) -> Cow<'static, str> {
    match stats.waiting {
        MOST_WAITING_COUNTED.. => {
            text!("webhooks-waiting-more", count = MOST_WAITING_COUNTED - 1)
        }
        count => count.to_string().into(),
    }
}

fn moment(at: Option<Timestamp>) -> Markup {
    html! { @match at { Some(at) => (components::time(at)), None => (text!("word-never")) } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn watched(failures: u32, since: Option<&str>, next: Option<&str>) -> WatchedWebhook {
        let id = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
        let webhook = json!({
            "id": id, "accountId": id, "url": "https://hooks.example/in", "events": [],
            "locationIds": [], "createdAt": "2026-11-20T09:15:30Z",
            "enabledAt": "2026-11-20T09:15:30Z", "switchedOff": null,
        });
        let time = |text: Option<&str>| text.map(|text| text.parse().unwrap());
        WatchedWebhook {
            webhook: serde_json::from_value(webhook).unwrap(),
            health: WebhookHealth {
                failures_in_a_row: failures,
                last_success_at: None,
                last_failure_at: time(since),
                failing_since: time(since),
            },
            stats: DeliveryStats {
                next_attempt_at: time(next),
                ..DeliveryStats::default()
            },
            is_unsigned: false,
        }
    }

    #[test]
    fn a_state_is_told_in_a_sentence() {
        let (since, next) = (Some("2026-11-20T09:15:30Z"), Some("2026-11-20T10:00:00Z"));
        for (of, parts) in [
            (watched(0, None, None), &["Nothing was attempted"][..]),
            (watched(3, since, None), &["Failing since", "3 attempts"]),
            (
                watched(1, since, next),
                &["one attempt", "Next attempt", "2026-11-20T10:00:00"],
            ),
        ] {
            let shown = sentence(&of).into_string();
            for part in parts {
                assert!(shown.contains(part), "{part}: {shown}");
            }
        }
        let mut works = watched(0, None, None);
        works.health.last_success_at = Some(Timestamp::EPOCH);
        assert_eq!(sentence(&works).into_string(), "It works.");
        works.is_unsigned = true;
        assert_eq!(sentence(&works).into_string(), "");
    }

    #[test]
    fn numbers_of_attempts_say_how_much_they_cover() {
        let of = |attempts, succeeded, is_part| AttemptStats {
            attempts,
            succeeded,
            median_ms: Some(12),
            slowest_ms: Some(340),
            is_part,
        };
        let stats = DeliveryStats {
            deliveries: 500,
            ..DeliveryStats::default()
        };
        for (of, expected) in [
            (AttemptStats::default(), "No attempts"),
            (
                of(3, 2, false),
                "66 % of 3 attempts succeeded. Median answer time 12 ms, slowest 340 ms.",
            ),
            (
                of(1000, 999, true),
                "99 % of 1,000 attempts succeeded. Median answer time 12 ms, slowest 340 ms. \
                 This is of the last 500 deliveries.",
            ),
        ] {
            assert_eq!(attempts(&of, &stats).into_string(), expected);
        }
    }
}
