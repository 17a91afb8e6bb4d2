//! The walk through the whole key space.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{
    CheckProgress, CheckReport, Problem, ProblemKind, claim, findings::Findings, owners,
    partition::Partition, registers::Registers, repair::Repairs, rows,
};
use crate::{
    engine::Connect,
    storage::{Entry, Key},
    transaction::{
        Account, Erasing, Fault, LenientReader, Lookup, Store, clock_key,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::Timestamp,
};

/// The number of rows read at a time.
const PIECE: usize = 500;

/// The most readings of a piece during other writes.
/// The third and later ones hold the lock of the location.
const MOST_READINGS: usize = 6;

/// Checks all rows of a store, and repairs them if given `repairs`.
pub(super) async fn walk<'s>(
    store: &'s Store,
    now: Timestamp,
    progress: &mut (dyn FnMut(CheckProgress) + Send),
    repairs: Option<&mut Repairs<'s>>,
) -> Result<CheckReport, Fault> {
    // Older programs left none: missing words are no damage then.
    let has_words = Connect::has_words(store).await?;
    let mut walk = IntegrityWalk {
        store,
        has_words,
        reader: LenientReader::new(store),
        now,
        partition: Partition::new(GLOBAL, has_words),
        locations: BTreeSet::new(),
        report: CheckReport::default(),
        repairs,
    };
    let mut from = Some(Key::default());
    while let Some(start) = from {
        let piece = walk.reader.piece(&start, None, PIECE).await?;
        if let Some((key, error)) = piece.damaged {
            walk.damaged(&key, &error).await?;
        }
        for entries in piece
            .entries
            .chunk_by(|one, next| owner(&one.0) == owner(&next.0))
        {
            walk.rows(entries).await?;
        }
        from = piece.next;
        progress(CheckProgress {
            rows: walk.report.rows,
            problems: walk.report.problem_count,
        });
        tokio::task::yield_now().await;
    }
    walk.finish().await?;
    Ok(walk.report)
}

struct IntegrityWalk<'s, 'r> {
    store: &'s Store,
    reader: LenientReader<'s>,
    now: Timestamp,
    has_words: bool,
    /// The current partition.
    partition: Partition,
    /// The known locations of accounts.
    locations: BTreeSet<Uuid>,
    report: CheckReport,
    repairs: Option<&'r mut Repairs<'s>>,
}

impl IntegrityWalk<'_, '_> {
    /// Records a row the storage cannot return.
    async fn damaged(&mut self, key: &[u8], error: &dyn std::fmt::Display) -> Result<(), Fault> {
        self.enter(owner(key)).await?;
        self.partition.unreadable(key);
        self.report.rows += 1;
        let kind = ProblemKind::Unreadable;
        self.report
            .add(vec![Problem::new(kind, key, error.to_string())]);
        Ok(())
    }

    /// Checks some rows of one partition.
    async fn rows(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else {
            return Ok(());
        };
        self.enter(owner(first)).await?;
        let findings = rows::look_at(entries, self.partition.clone(), self.now);
        let (mut partition, mut problems) = judge(&self.reader, findings).await?;
        if !problems.is_empty() {
            (partition, problems) = self.read_again(first, last, problems).await?;
            match self.is_erased().await? {
                true => problems.clear(),
                false => self.repair(first, last).await?,
            }
        }
        self.report.rows += entries.len() as u64;
        self.partition = partition;
        self.partition.stock.settle();
        self.partition.has_problems |= !problems.is_empty();
        self.report.add(problems);
        Ok(())
    }

    /// Repairs rows, on a walk with repairs.
    async fn repair(&mut self, first: &Key, last: &Key) -> Result<(), Fault> {
        let Some(repairs) = &mut self.repairs else {
            return Ok(());
        };
        let (id, end) = (self.partition.id, [&last[..], &[0]].concat());
        let reader = match id {
            GLOBAL => LenientReader::new(self.store),
            _ => LenientReader::under_lock(self.store, id).await?,
        };
        let Some(Lookup::Found(clock)) = reader.values(&[clock_key(id)]).await?.pop() else {
            // A partition with an unreadable clock takes no writes.
            return Ok(());
        };
        let piece = reader.piece(first, Some(&end), PIECE).await?;
        let findings = rows::look_at(&piece.entries, self.partition.clone(), self.now);
        repairs.rows(reader, id, clock, findings).await
    }

    /// Reads rows with problems again, until two readings in a row agree.
    /// The clock must not move during the second of them. After [`MOST_READINGS`], the problems common to the
    /// last two readings are returned.
    async fn read_again(
        &self,
        first: &Key,
        last: &Key,
        mut before: Vec<Problem>,
    ) -> Result<(Partition, Vec<Problem>), Fault> {
        let (id, end) = (self.partition.id, [&last[..], &[0]].concat());
        let clock = [clock_key(id)];
        let mut lock = None;
        let mut reading = 2;
        loop {
            if reading > 2 && id != GLOBAL {
                // Released first: the lock cannot be taken twice at a time.
                drop(lock.take());
                lock = Some(LenientReader::under_lock(self.store, id).await?);
            }
            let reader = lock.as_ref().unwrap_or(&self.reader);
            let stood_at = reader.values(&clock).await?;
            let mut entries = Vec::new();
            let mut from = Some(first.clone());
            let mut partition = self.partition.clone();
            let mut damaged = Vec::new();
            while let Some(start) = from {
                let piece = reader.piece(&start, Some(&end), PIECE).await?;
                damaged.extend(piece.damaged);
                entries.extend(piece.entries);
                from = piece.next;
            }
            for (key, _) in &damaged {
                partition.unreadable(key);
            }
            let findings = rows::look_at(&entries, partition, self.now);
            let (partition, mut problems) = judge(reader, findings).await?;
            problems.extend(
                damaged.iter().map(|(key, error)| {
                    Problem::new(ProblemKind::Unreadable, key, error.to_string())
                }),
            );
            let stands_at = reader.values(&clock).await?;
            let stood_still = is_same(&stood_at, &stands_at);
            let is_confirmed = problems == before && stood_still;
            if problems.is_empty() || is_confirmed || reading >= MOST_READINGS {
                problems.retain(|problem| before.contains(problem));
                return Ok((partition, problems));
            }
            before = problems;
            reading += 1;
        }
    }

    /// Enters a partition, and finishes the previous one.
    async fn enter(&mut self, id: Uuid) -> Result<(), Fault> {
        if id != self.partition.id {
            self.finish().await?;
            self.partition = Partition::new(id, self.has_words);
            if id != GLOBAL {
                self.partition.registers = Registers::read(&self.reader, id).await?;
            }
        }
        Ok(())
    }

    /// Returns true if the partition is being erased: its rows need not agree any more.
    async fn is_erased(&self) -> Result<bool, Fault> {
        let key = Erasing::key(self.partition.id);
        Ok(self.store.get(&key).await?.is_some())
    }

    async fn finish(&mut self) -> Result<(), Fault> {
        let id = self.partition.id;
        let mut problems = self.partition.finish(&self.reader, self.now).await?;
        if self.partition.is_location() && !self.locations.contains(&id) {
            // The location may have been created since.
            self.locations = self.all_locations().await?;
            if !self.locations.contains(&id) {
                problems.push(owners::no_owner(id));
            }
        }
        let is_asked = !problems.is_empty() || self.repairs.is_some();
        let is_erased = is_asked && self.is_erased().await?;
        if is_erased {
            problems.clear();
        } else if let Some(repairs) = &mut self.repairs {
            repairs.partition(&self.partition, &problems).await?;
        }
        self.report.add(problems);
        for (family, count) in &self.partition.counts {
            *self.report.families.entry(family.name()).or_default() += count;
        }
        for (family, count) in &self.partition.newer {
            let family = format!("{family:#04X}");
            *self.report.newer_kinds.entry(family).or_default() += count;
        }
        Ok(())
    }

    /// Returns the locations of all readable accounts.
    async fn all_locations(&self) -> Result<BTreeSet<Uuid>, Fault> {
        let prefix = key(GLOBAL, Family::AccountList, &[]);
        let end = after_prefix(&prefix);
        let mut locations = BTreeSet::new();
        let mut from = Some(prefix);
        while let Some(start) = from {
            let piece = self.reader.piece(&start, Some(&end), PIECE).await?;
            let entries = piece.entries.iter().map(|(entry, _)| &entry[..]);
            let damaged = piece.damaged.iter().map(|(entry, _)| &entry[..]);
            let account = |entry: &[u8]| {
                let (_, id) = entry.split_last_chunk::<16>()?;
                Some(key(Uuid::from_bytes(*id), Family::Account, &[]))
            };
            let accounts: Vec<Key> = entries.chain(damaged).filter_map(account).collect();
            for found in self.reader.values(&accounts).await? {
                let Lookup::Found(Some(row)) = found else {
                    continue;
                };
                let account = serde_json::from_slice::<Account>(&row).ok();
                let account = account.into_iter().flat_map(|account| account.locations);
                locations.extend(account.map(|location| location.id.uuid()));
            }
            from = piece.next;
        }
        Ok(locations)
    }
}

/// Compares every claim with its row.
async fn judge(
    reader: &LenientReader<'_>,
    findings: Findings,
) -> Result<(Partition, Vec<Problem>), Fault> {
    let Findings {
        partition,
        mut problems,
        claims,
        ..
    } = findings;
    let failed = claim::judge(reader, claims).await?;
    problems.extend(failed.into_iter().map(|(problem, ..)| problem));
    Ok((partition, problems))
}

/// Returns the partition of a key; the global one for a short key.
fn owner(key: &[u8]) -> Uuid {
    key.first_chunk().map_or(GLOBAL, |id| Uuid::from_bytes(*id))
}

fn is_same(before: &[Lookup], after: &[Lookup]) -> bool {
    before.iter().zip(after).all(|pair| match pair {
        (Lookup::Found(before), Lookup::Found(after)) => before == after,
        // A location with an unreadable clock takes no writes.
        (Lookup::Damaged, Lookup::Damaged) => true,
        _ => false,
    })
}
