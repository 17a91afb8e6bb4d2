//! Repairs on a walk: writes to make failed claims hold.
//!
//! A commit for rows expects the rows it was derived from, and the clock of the partition. Except for global
//! rows, it is made under the lock of the partition. If other writes refuse it all the same, the next walk
//! makes it.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{
    Problem,
    claim::{Mend, judge},
    findings::Findings,
    partition::Partition,
};
use crate::{
    resources::repair_record,
    storage::{Commit, Entry, Expectation, Key, Value, Write},
    transaction::{
        ChangeClock, Fault, LenientReader, ReadKey, Store, clock_key, keys::Family, woken_key,
    },
};

/// The repairs of a walk.
pub(super) struct Repairs<'r> {
    pub(super) store: &'r Store,
    /// Takes each former problem, with the repair.
    pub(super) tell: &'r mut (dyn FnMut(&str, &str) + Send),
    /// The number of commits.
    pub(super) count: u64,
    /// Set when other writes have refused a repair.
    /// The next walk finds any remaining problem.
    pub(super) is_refused: bool,
    /// The records of the partition with a loss.
    pub(super) records: BTreeMap<(Family, Uuid), Loss>,
}

/// The loss of a record.
pub(super) struct Loss {
    problem: Problem,
    /// The first row with a sign of the loss.
    told_by: Entry,
    /// The stray index entries.
    entries: Vec<Key>,
}

impl Repairs<'_> {
    /// Repairs index entries of rows.
    /// The reader has read them after the clock of their partition.
    pub(super) async fn rows(
        &mut self,
        reader: LenientReader<'_>,
        partition: Uuid,
        clock: Option<Value>,
        findings: Findings,
    ) -> Result<(), Fault> {
        let (mut expects, mut writes) = (BTreeMap::new(), BTreeMap::new());
        let mut done = Vec::new();
        let failed = judge(&reader, findings.claims).await?;
        for (problem, claim, found) in failed {
            let (source, row) = claim.source;
            match (claim.mend, claim.concerns, found) {
                (mend, Some(record), None) => {
                    let of_record = self.records.entry(record);
                    let loss = of_record.or_insert_with(|| Loss {
                        problem,
                        told_by: (source.clone(), row),
                        entries: Vec::new(),
                    });
                    loss.entries.extend(mend.map(|_| source));
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
            // A partition with an unparsable clock takes no writes.
            (Err(_), Some(_)) => return Ok(()),
        };
        let commit = Commit {
            expects: expects.into_iter().collect(),
            writes: writes.into_iter().collect(),
            ..commit
        };
        if reader.commit(commit).await? {
            self.count += 1;
            for (family, message, done) in done {
                (self.tell)(&format!("{family}: {message}"), done);
            }
        } else {
            self.is_refused = true;
        }
        Ok(())
    }

    /// Repairs a partition as a whole, after all its rows.
    /// `problems` are those of the partition as a whole.
    pub(super) async fn partition(
        &mut self,
        partition: &Partition,
        problems: &[Problem],
    ) -> Result<(), Fault> {
        let records = std::mem::take(&mut self.records);
        let before = self.count;
        self.wake(partition.id, problems).await?;
        // A clock behind its rows would give new events the numbers of existing ones.
        if !partition.is_behind() {
            for (record, loss) in records {
                self.record(partition.id, record, &loss).await?;
            }
        }
        // A repair has moved the clock; then the next walk makes this commit.
        if self.count == before
            && let Some(commit) = partition.mend(self.store.nonce())?
        {
            let problem = format!(
                "clock, counts or sums of {} do not follow from its rows",
                partition.id
            );
            self.whole(commit, &problem, "made anew").await?;
        }
        Ok(())
    }

    /// Repairs a record with a loss.
    async fn record(
        &mut self,
        location: Uuid,
        (rows, id): (Family, Uuid),
        loss: &Loss,
    ) -> Result<(), Fault> {
        let problem = format!("{} {id}: {}", rows.name(), loss.problem.message);
        let record = (rows, id);
        match repair_record(self.store, location, record, &loss.told_by, &loss.entries).await {
            Ok(Some(done)) => {
                self.count += 1;
                (self.tell)(&problem, done);
            }
            Ok(None) => self.is_refused = true,
            Err(error) => {
                if let Some(fault) = error.failed_write() {
                    return Err(fault);
                }
                // For example, a row of the repair is unparsable.
                let fault = error.cause();
                tracing::warn!(%fault, problem, "this could not be repaired");
            }
        }
        Ok(())
    }

    /// Wakes a worker for a webhook with unattended deliveries.
    async fn wake(&mut self, webhook: Uuid, problems: &[Problem]) -> Result<(), Fault> {
        let note = woken_key(webhook.into());
        let reported = hex::encode(&note);
        let Some(problem) = problems.iter().find(|problem| problem.key == reported) else {
            return Ok(());
        };
        let commit = Commit {
            expects: vec![(note.clone(), Expectation::Absent)],
            writes: vec![(note, Write::Put(webhook.as_bytes().as_slice().into()))],
            ..Commit::default()
        };
        let problem = format!("WebhookWoken: {}", problem.message);
        self.whole(commit, &problem, "written").await
    }

    /// Commits a repair of a partition as a whole.
    async fn whole(&mut self, commit: Commit, problem: &str, done: &str) -> Result<(), Fault> {
        if self.store.commit(commit).await? {
            self.count += 1;
            (self.tell)(problem, done);
        }
        Ok(())
    }
}

/// Returns the name of a key's family; empty for an unknown key.
fn name(key: &[u8]) -> &'static str {
    ReadKey::of(key).map_or("", |at| at.family.name())
}
