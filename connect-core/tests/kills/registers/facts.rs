//! What has to be so, as the notes of all processes on one store tell.

use std::collections::{BTreeMap, HashMap};

use connect_core::wire::{Id, Timestamp, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    check::Totals,
    op::{Op, What},
    place::Place,
    seen::Seen,
};

/// A line of the notes of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Note {
    /// The store is open.
    Opened,
    /// A write is about to be sent.
    Sent(Op),
    /// It was acknowledged, with this record.
    Done(Op, Value),
    /// Journal rows were shown.
    Shown(Vec<(u64, Id<Transaction>)>),
}

/// What was acknowledged or shown.
#[derive(Default)]
pub(super) struct Facts {
    acknowledged: Vec<(Op, Value)>,
    shown: BTreeMap<u64, Id<Transaction>>,
    /// The writes of the last process that were sent and not acknowledged.
    pending: Vec<Op>,
    /// The place of the first acknowledged write of the last process.
    last_run: usize,
}

/// How many acknowledged writes are sent again.
const RECENT: usize = 20;

impl Facts {
    /// Adds the notes of one more process.
    pub(super) fn hear(&mut self, notes: Vec<Note>, totals: &mut Totals) {
        self.pending.clear();
        self.last_run = self.acknowledged.len();
        totals.kills_while_opening += usize::from(notes.is_empty());
        for note in notes {
            match note {
                Note::Opened => {}
                Note::Sent(op) => self.pending.push(op),
                Note::Done(op, data) => {
                    totals.acknowledge(&op.what);
                    self.pending.retain(|pending| *pending != op);
                    self.acknowledged.push((op, data));
                }
                Note::Shown(rows) => {
                    totals.shown += rows.len();
                    self.shown.extend(rows);
                }
            }
        }
    }

    /// Sends the writes without an answer twice: each is done once, and both answers are one. Sends
    /// some that were answered as well: they are not done again.
    pub(super) async fn send_again(&self, place: &Place, totals: &mut Totals) {
        for op in &self.pending {
            let first = op.send(place).await;
            match first.replayed {
                true => totals.retried_and_done_before += 1,
                false => totals.retried_and_done_now += 1,
            }
            let again = op.send(place).await;
            assert!(again.replayed, "{op:?} was done twice");
            assert_eq!(first.data, again.data);
        }
        let of_last_run = &self.acknowledged[self.last_run..];
        for (op, data) in of_last_run.iter().rev().take(RECENT) {
            let again = op.send(place).await;
            assert!(again.replayed, "{op:?} was acknowledged and is done again");
            assert_eq!(again.data, *data);
        }
    }

    /// Checks that nothing is lost that was acknowledged or shown.
    pub(super) fn check(&self, seen: &Seen) {
        for (number, id) in &self.shown {
            let row = seen.row(*number);
            assert_eq!(row.map(|row| row.id), Some(*id), "receipt {number}");
        }
        let by_id = |records: Vec<Value>| -> HashMap<String, Value> {
            let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
            records.into_iter().map(|one| (id(&one), one)).collect()
        };
        let reports = by_id(seen.reports.iter().map(|one| json!(one)).collect());
        let movements = by_id(seen.movements.iter().map(|one| json!(one)).collect());
        let orders = by_id(seen.orders.iter().map(|one| json!(one)).collect());
        for (op, data) in &self.acknowledged {
            let id = data["id"].as_str().unwrap_or_default();
            match &op.what {
                What::Sale { .. } | What::Refund { .. } | What::Cash { .. } => {
                    let number = data["receiptNumber"].as_u64().unwrap();
                    let row = seen.row(number).map(|row| json!(row));
                    assert_eq!(row.as_ref(), Some(data));
                }
                What::Close { .. } => assert_eq!(reports.get(id), Some(data)),
                What::Adjust => assert_eq!(movements.get(id), Some(data)),
                What::Order | What::Move { .. } => is_there(orders.get(id), data),
                What::Count => {
                    let level = seen.levels.iter().map(|level| json!(level));
                    let mut level = level.filter(|level| level["productId"] == data["productId"]);
                    is_there(level.next().as_ref(), data);
                }
                What::CountMany => {
                    let note = Some(op.number.to_string());
                    let made = seen.movements.iter().filter(|one| one.note == note);
                    assert_eq!(json!(made.count()), data["updated"], "{op:?}");
                }
            }
        }
    }
}

/// Checks that a record is there as it was acknowledged, or as a later write left it.
fn is_there(record: Option<&Value>, acknowledged: &Value) {
    let record = record.unwrap_or_else(|| panic!("lost: {acknowledged}"));
    let time = |of: &Value| -> Timestamp { of["updatedAt"].as_str().unwrap().parse().unwrap() };
    assert!(
        record == acknowledged || time(record) > time(acknowledged),
        "{record} was acknowledged as {acknowledged}"
    );
}
