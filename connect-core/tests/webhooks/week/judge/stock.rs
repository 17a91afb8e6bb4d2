//! The rules of bursts: `stock.changed` of a product goes to a webhook once a minute at most.

use std::{collections::HashMap, time::Duration};

use super::{
    super::{
        clock::SKEW,
        history::{Deed, Release},
    },
    Truth,
};

/// The minute, by the clock of the one who releases.
const MINUTE: i64 = 60_000_000;

/// The minute in which two workers may differ, in time that passed.
const PASSED: Duration = Duration::from_secs(60 - 2 * SKEW as u64);

pub(super) fn judge(deeds: &[Deed], truth: &Truth) {
    let mut last: HashMap<_, &Release> = HashMap::new();
    for deed in deeds {
        let Deed::Release(release) = deed else {
            continue;
        };
        let event = &truth.event(release.delivery.event_id.uuid()).event;
        let product = event.data["productId"].to_string();
        let before = last.insert((release.delivery.webhook_id, product), release);
        // A clock that went forward and back has forgotten what was sent meanwhile.
        let Some(before) = before.filter(|_| !release.is_near_step) else {
            continue;
        };
        let at = |release: &Release| release.delivery.next_attempt_at.unwrap().micros();
        let between = at(release) - at(before);
        // Before zero: the clock was set back, or it is another one.
        assert!(!(0..MINUTE).contains(&between), "{before:?}\n{release:?}");
        let passed = release.passed - before.passed;
        assert!(passed >= PASSED, "{before:?}\n{release:?}");
    }
    assert!(last.len() > 5, "{}", last.len());
}
