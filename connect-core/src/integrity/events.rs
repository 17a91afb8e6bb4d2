//! The rules for rows of events.

use serde::Deserialize;

use super::{ProblemKind, claim::Claim, findings::Findings, partition::missing_events};
use crate::{
    storage::Value,
    transaction::{
        ReadKey,
        keys::{Family, KeyPart, key},
        number_in,
    },
    wire::Event,
};

/// Checks an event.
/// Its number agrees with its key, and follows the previous number.
pub(super) fn event(findings: &mut Findings, at: &ReadKey, row: &Value) {
    let Some(sequence) = at.number() else { return };
    let before = findings.partition.last_event.replace((sequence, None));
    if let Some((last, _)) = before
        && sequence != last + 1
    {
        let (first, until) = (last + 1, sequence - 1);
        // Old events are purged from the front: then the previous one is gone by now, too.
        let test = move |found: Option<&Value>| found.map(|_| missing_events(first, until));
        let last = key(at.partition, Family::Event, &[KeyPart::Number(last)]);
        let mut claim = Claim::on(last, ProblemKind::BrokenEvents, test);
        claim.reported = key(at.partition, Family::Event, &[KeyPart::Number(first)]);
        findings.claim(claim);
    }
    let Some(event) = findings.parse::<Event<Held>>(row) else {
        return;
    };
    if event.sequence != Some(sequence) || event.location_id != Some(at.partition.into()) {
        return findings.bad("the event is another one than its key says".to_owned());
    }
    if number_in(event.id.uuid()) != sequence {
        findings.bad(format!("the id of event {sequence} does not lead to it"));
    }
    findings.changed(event.created_at);
    findings.partition.last_event = Some((sequence, Some(event.created_at)));
    if let Some((_, Some(earlier))) = before
        && event.created_at < earlier
    {
        let message = format!("event {sequence} was created before the event in front of it");
        findings.problem(ProblemKind::BrokenEvents, message);
    }
}

/// The data of an event. It must not be missing.
#[derive(Deserialize)]
struct Held {}
