//! What has to be so, as the notes of all processes on one store tell.

use std::collections::{HashMap, HashSet};

use connect_core::wire::{Category, Id, Timestamp};

use super::{
    check::Totals,
    notes::Note,
    op::{BATCH, Op},
};

/// What was acknowledged or shown.
#[derive(Default)]
pub(super) struct Facts {
    /// The version of each product, by name, that was acknowledged; a later one may be there.
    pub(super) versions: HashMap<String, i64>,
    /// The last state of each product that was shown.
    pub(super) shown: HashMap<String, (Timestamp, i64)>,
    /// The version of the category that was made last, unless its deletion may have begun.
    pub(super) filled: Option<i64>,
    /// The categories whose deletion was acknowledged.
    pub(super) deleted: HashSet<Id<Category>>,
    /// The writes of the last process that were sent and not acknowledged.
    pub(super) pending: Vec<Op>,
    /// The last writes that were acknowledged.
    pub(super) recent: Vec<Op>,
}

/// How many acknowledged writes are sent again.
const RECENT: usize = 5;

impl Facts {
    /// Adds the notes of one more process.
    pub(super) fn hear(&mut self, notes: Vec<Note>, totals: &mut Totals) {
        self.pending.clear();
        self.recent.clear();
        totals.kills_while_opening += usize::from(notes.is_empty());
        for note in notes {
            match note {
                Note::Opened => {}
                Note::Sent(op) => {
                    if matches!(op, Op::DeleteCategory { .. }) {
                        totals.deletions += 1;
                        self.filled = None;
                    }
                    self.pending.push(op);
                }
                Note::Done(op) => {
                    totals.acknowledged += 1;
                    self.pending.retain(|pending| *pending != op);
                    self.acknowledge(op);
                }
                Note::Shown(products) => {
                    totals.shown += products.len();
                    for (name, version, time) in products {
                        let last = self.shown.entry(name).or_insert((time, version));
                        *last = (*last).max((time, version));
                    }
                }
            }
        }
        let old = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..old);
    }

    fn acknowledge(&mut self, op: Op) {
        match &op {
            Op::Create { name, version } | Op::Update { name, version, .. } => {
                self.versions.insert(name.clone(), *version);
            }
            Op::Batch { version } => {
                let names = (1..BATCH).map(|number| format!("B-{number}"));
                let all = names.chain([format!("X-{version}")]);
                self.versions.extend(all.map(|name| (name, *version)));
            }
            Op::Fill {
                segment, version, ..
            } => {
                let names = (segment * BATCH..(segment + 1) * BATCH).map(|n| format!("D-{n}"));
                self.versions.extend(names.map(|name| (name, *version)));
            }
            Op::CreateCategory { version } => self.filled = Some(*version),
            Op::DeleteCategory { id } => {
                self.deleted.insert(*id);
            }
        }
        self.recent.push(op);
    }
}
