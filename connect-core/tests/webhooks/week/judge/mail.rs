//! The rules of messages to owners.
//!
//! The core sends a message while the webhook says that it is due, and then marks it as sent. So
//! each time that a webhook is switched off for its failures its owner is written to once. Only when
//! the process that sent a message dies before the mark is committed does another one send it again:
//! once more for each such death.

use std::collections::HashMap;

use serde_json::Value as Json;
use uuid::Uuid;

use super::{super::World, Deed, id_of};
use crate::webhooks::week::mail::Letter;

/// The time in which a message is due.
struct Due {
    /// The number of deeds before it, and of those before its end.
    from: usize,
    until: Option<usize>,
    /// It ended since the message was marked as sent.
    is_sent: bool,
}

pub(super) fn judge(world: &World, deeds: &[Deed]) {
    let mut dues: HashMap<Uuid, Vec<Due>> = HashMap::new();
    for (place, deed) in deeds.iter().enumerate() {
        let Deed::Webhooks(all) = deed else { continue };
        let mail = |webhook: Uuid| {
            let own = all.iter().find(|own| id_of(&own["webhook"]) == webhook);
            own.map_or(
                &Json::Null,
                |own| &own["webhook"]["switchedOff"]["ownerMail"],
            )
        };
        for (webhook, dues) in &mut dues {
            let last = dues.last_mut().filter(|due| due.until.is_none());
            if let Some(last) = last.filter(|_| mail(*webhook) != "due") {
                last.until = Some(place);
                last.is_sent = mail(*webhook) == "sent";
            }
        }
        for webhook in all.iter().map(|own| id_of(&own["webhook"])) {
            let dues = dues.entry(webhook).or_default();
            if mail(webhook) == "due" && dues.last().is_none_or(|due| due.until.is_some()) {
                dues.push(Due {
                    from: place,
                    until: None,
                    is_sent: false,
                });
            }
        }
    }
    let mut letters = world.post.letters();
    for (webhook, dues) in &dues {
        for (number, due) in dues.iter().enumerate() {
            let next = dues.get(number + 1).map_or(usize::MAX, |next| next.from);
            let is_of = |letter: &mut Letter| {
                letter.webhook == *webhook && (due.from + 1..=next).contains(&letter.place)
            };
            let of: Vec<Letter> = letters.extract_if(.., is_of).collect();
            assert!(due.until.is_some(), "never told: {webhook}");
            assert!(
                !due.is_sent || !of.is_empty(),
                "marked, and not sent: {webhook}"
            );
            for pair in of.windows(2).filter(|pair| !pair[1].is_near_step) {
                let death = world.endpoints.death_of(pair[0].life);
                let has_died = death.is_some_and(|death| death <= pair[1].place);
                assert!(has_died, "sent twice: {pair:?}");
                let is_marked = due.is_sent && due.until.is_some_and(|end| end < pair[1].place);
                assert!(!is_marked, "sent after the mark: {pair:?}");
            }
        }
    }
    assert!(letters.is_empty(), "of no webhook that is off: {letters:?}");
    let sent = dues.values().flatten().filter(|due| due.is_sent).count();
    assert!(sent > 0 || !world.is_unhurried(), "nobody was written to");
}
