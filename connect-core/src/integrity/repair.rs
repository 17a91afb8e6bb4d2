//! Repairs on a walk: writes to make failed claims hold.
//!
//! Each commit expects the rows that it follows from, and the clock of the partition, whose other writers wait for
//! it. One that is refused all the same, as others have written, is made on the next walk.

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
    /// Set when others have written what a repair follows from: the next walk tells what is left of it.
    pub(super) is_refused: bool,
    /// The records of the partition with a loss.
    pub(super) records: BTreeMap<(Family, Uuid), Loss>,
}

/// The loss of a record.
pub(super) struct Loss {
    problem: Problem,
    /// The first row that told of it.
    told_by: Entry,
    /// The stray index entries.
    entries: Vec<Key>,
}

impl Repairs<'_> {
    /// Mends index entries of rows, which the reader has read after the clock of their partition.
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
            // Nobody writes beside a clock that cannot be parsed.
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

    /// Mends a partition as a whole, once all its rows were seen, and have these problems as a whole.
    pub(super) async fn partition(
        &mut self,
        partition: &Partition,
        problems: &[Problem],
    ) -> Result<(), Fault> {
        let records = std::mem::take(&mut self.records);
        let before = self.count;
        self.wake(partition.id, problems).await?;
        // A clock that is behind would give the numbers of others to events.
        if !partition.is_behind() {
            for (record, loss) in records {
                self.record(partition.id, record, &loss).await?;
            }
        }
        // What was repaired has moved the clock.
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
        match see_to(self.store, location, record, &loss.told_by, &loss.entries).await {
            Ok(Some(done)) => {
                self.count += 1;
                (self.tell)(&problem, done);
            }
            Ok(None) => self.is_refused = true,
            Err(error) => {
                if let Some(fault) = error.failed_write() {
                    return Err(fault);
                }
                // A row in the way cannot be parsed, say.
                let fault = error.cause();
                tracing::warn!(%fault, problem, "this could not be repaired");
            }
        }
        Ok(())
    }

    /// Has a worker look at the deliveries of a webhook, when none would.
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

    /// Commits what mends a partition as a whole.
    async fn whole(&mut self, commit: Commit, problem: &str, done: &str) -> Result<(), Fault> {
        if self.store.commit(commit).await? {
            self.count += 1;
            (self.tell)(problem, done);
        }
        Ok(())
    }
}

/// The name of the family that a key is of.
fn name(key: &[u8]) -> &'static str {
    ReadKey::of(key).map_or("", |at| at.family.name())
}
