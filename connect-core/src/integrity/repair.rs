//! Repairs on a walk: writes to make failed claims hold.
//!
//! Each commit expects the rows that it follows from, and the clock of the partition: beside a server
//! that writes, it is refused, and the next walk comes by again.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{
    Problem,
    claim::{Mend, judge},
    findings::Findings,
    partition::Partition,
};
use crate::{
    resources::see_to,
    storage::{Commit, Expectation, Key, Value, Write},
    transaction::{ChangeClock, Fault, ReadKey, Salvage, Store, clock_key, keys::Family},
};

/// The repairs of a walk.
pub(super) struct Repairs<'r> {
    pub(super) store: &'r Store,
    /// Takes each former problem, with the repair.
    pub(super) tell: &'r mut (dyn FnMut(&str, &str) + Send),
    /// The number of commits.
    pub(super) count: u64,
    /// The records of the partition with a loss, each with its first problem and its stray entries.
    pub(super) records: BTreeMap<(Family, Uuid), (Problem, Vec<Key>)>,
}

impl Repairs<'_> {
    /// Mends index entries of rows, which were read after the clock of their partition.
    pub(super) async fn rows(
        &mut self,
        partition: Uuid,
        clock: Option<Value>,
        findings: Findings,
    ) -> Result<(), Fault> {
        let (mut expects, mut writes) = (BTreeMap::new(), BTreeMap::new());
        let mut done = Vec::new();
        let failed = judge(&Salvage::new(self.store), findings.claims).await?;
        for (problem, claim, found) in failed {
            let (source, row) = claim.source;
            match (claim.mend, claim.concerns, found) {
                (mend, Some(record), None) => {
                    let of_record = self.records.entry(record);
                    let (_, entries) = of_record.or_insert_with(|| (problem, Vec::new()));
                    entries.extend(mend.map(|_| source));
                    continue;
                }
                (Some(Mend::Write(value)), _, None) => {
                    done.push((name(&claim.on), problem.message, "written"));
                    expects.insert(claim.on.clone(), Expectation::Absent);
                    writes.insert(claim.on, Write::Put(value));
                }
                (Some(Mend::Remove), _, found) => {
                    done.push((name(&source), problem.message, "removed"));
                    expects.extend(found.map(|row| (claim.on, Expectation::Is(row))));
                    writes.insert(source.clone(), Write::Remove);
                }
                _ => continue,
            }
            expects.insert(source, Expectation::Is(row));
        }
        if writes.is_empty() {
            return Ok(());
        }
        let key = clock_key(partition);
        let commit = match (ChangeClock::read(&key, clock.as_ref()), clock) {
            (Ok(clock), Some(row)) => {
                let time = clock.updated_at;
                clock.moving_to(time, self.store.nonce(), (key, Some(row)))?
            }
            (_, None) => Commit::default(),
            // Nobody writes beside a clock that cannot be parsed.
            (Err(_), Some(_)) => return Ok(()),
        };
        let commit = Commit {
            expects: expects.into_iter().collect(),
            writes: writes.into_iter().collect(),
            ..commit
        };
        if self.store.commit(commit).await? {
            self.count += 1;
            for (family, message, done) in done {
                (self.tell)(&format!("{family}: {message}"), done);
            }
        }
        Ok(())
    }

    /// Mends a partition as a whole, once all its rows were seen.
    pub(super) async fn partition(&mut self, partition: &Partition) -> Result<(), Fault> {
        let records = std::mem::take(&mut self.records);
        // A clock that is behind would give the numbers of others to events.
        if records.is_empty() || partition.is_behind() {
            if let Some(commit) = partition.mend(self.store.nonce())?
                && self.store.commit(commit).await?
            {
                self.count += 1;
                let problem = format!(
                    "clock, counts or sums of {} do not follow from its rows",
                    partition.id
                );
                (self.tell)(&problem, "made anew");
            }
            return Ok(());
        }
        for ((rows, id), (problem, entries)) in records {
            let problem = format!("{} {id}: {}", rows.name(), problem.message);
            match see_to(self.store, partition.id, (rows, id), &entries).await {
                Ok(done) => {
                    self.count += 1;
                    (self.tell)(&problem, done);
                }
                // A row in the way cannot be parsed, say.
                Err(error) => {
                    let fault = error.cause();
                    tracing::warn!(%fault, problem, "this could not be repaired");
                }
            }
        }
        Ok(())
    }
}

/// The name of the family that a key is of.
fn name(key: &[u8]) -> &'static str {
    ReadKey::of(key).map_or("", |at| at.family.name())
}
