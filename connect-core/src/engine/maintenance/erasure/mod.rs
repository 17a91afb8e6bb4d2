//! The erasure of accounts and locations whose grace time is over.
//!
//! First the [beginning](begin): the secrets of an account go, and then, in one commit, the account's row or
//! the location in it. From then on nobody has a right to the rows, and each partition of them has a row that
//! says so ([`Erasing`]). Then its rows go, [piece by piece](clear). A kill at any step leaves what the next
//! round goes on with. A check leaves out these partitions.
//!
//! What is under way in some process at the beginning may still add a row. So every partition is walked once
//! more after an hour; the row about it goes with its last one.

mod begin;
mod clear;
mod images;

use uuid::Uuid;

use super::Connect;
use crate::{
    storage::{Commit, Expectation, Value, Write},
    transaction::{
        End, ErasedKind, Erasing, Fault, LenientReader, ReadKey, Reads,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::Timestamp,
};

/// The seconds until the second walk.
/// The work of every process on a row it has read ends within minutes.
const SETTLED: i64 = 3600;

/// The rows about erasures per read.
const PIECE: usize = 500;

/// An erasure under way: the partition, its row, and the row's bytes.
type UnderWay = (Uuid, Erasing, Value);

impl Connect {
    /// Goes on with all erasures under way.
    /// Returns the number of removed rows, and of failures.
    pub(super) async fn go_on_erasing(&self, now: Timestamp) -> Result<(usize, usize), Fault> {
        let (mut removed, mut failed) = (0, 0);
        // The account is last: it takes the counts of its other partitions, from just now.
        for is_account in [false, true] {
            let (all, unreadable) = self.erasures().await?;
            if is_account {
                failed += unreadable;
            }
            let is_of = |kind| (kind == ErasedKind::Account) == is_account;
            for under_way in all.iter().filter(|(_, of, _)| is_of(of.kind)) {
                match self.go_on(under_way, &all, now).await {
                    Ok((rows, unreadable)) => {
                        removed += rows;
                        failed += unreadable;
                    }
                    Err(fault) => {
                        failed += 1;
                        let partition = under_way.0;
                        tracing::error!(%fault, %partition, "an erasure failed; the next round tries again");
                    }
                }
                tokio::task::yield_now().await;
            }
        }
        Ok((removed, failed))
    }

    /// The erasures under way, and the number of unreadable ones.
    async fn erasures(&self) -> Result<(Vec<UnderWay>, usize), Fault> {
        let start = key(GLOBAL, Family::Erasing, &[]);
        let end = after_prefix(&start);
        let reader = LenientReader::new(self.store());
        let (mut all, mut unreadable, mut from) = (Vec::new(), 0, Some(start));
        while let Some(at) = from {
            let piece = reader.piece(&at, Some(&end), PIECE).await?;
            let mut skipped: Vec<_> = piece.damaged.into_iter().map(|(key, _)| key).collect();
            for (key, row) in piece.entries {
                let id = ReadKey::of(&key).and_then(|at| at.id());
                match id.zip(serde_json::from_slice(&row).ok()) {
                    Some((id, erasing)) => all.push((id, erasing, row)),
                    None => skipped.push(key),
                }
            }
            for key in &skipped {
                let key = hex::encode(key);
                tracing::error!(
                    key,
                    "the row about an erasure cannot be read, so it does not go on"
                );
            }
            unreadable += skipped.len();
            from = piece.next;
        }
        Ok((all, unreadable))
    }

    /// Goes on with an erasure.
    /// Returns the number of removed rows, and of rows left as unreadable.
    async fn go_on(
        &self,
        (partition, erasing, row): &UnderWay,
        all: &[UnderWay],
        now: Timestamp,
    ) -> Result<(usize, usize), Fault> {
        let is_kept = erasing.journal_until.is_some_and(|until| now < until);
        let is_settled = now >= erasing.at.plus_seconds(SETTLED);
        let (mut erasing, mut row) = (erasing.clone(), row.clone());
        let (mut removed, mut failed) = (0, 0);
        let is_due = match erasing.walks {
            0 => true,
            1 => is_settled,
            _ => !is_kept && erasing.journal_until.is_some(),
        };
        if is_due {
            removed += match erasing.kind {
                ErasedKind::Location => {
                    self.erase_deliveries(&erasing, (*partition).into()).await?
                }
                ErasedKind::Account => self.erase_mail(erasing.account_id).await?,
                ErasedKind::Webhook | ErasedKind::Caller => 0,
            };
            let cleared = self.clear(*partition, &erasing, row, is_kept).await?;
            let Some(cleared) = cleared else {
                return Ok((removed, 0));
            };
            removed += cleared.removed;
            erasing.rows += cleared.removed as u64;
            row = cleared.row;
            failed = cleared.damaged + cleared.unblanked.len();
            if cleared.unblanked.is_empty() {
                erasing.walks = (erasing.walks + 1).min(2);
            }
            for key in cleared.unblanked {
                let key = hex::encode(key);
                tracing::error!(
                    key,
                    "a receipt of a kept journal cannot be read, so its names are left; the next round tries again"
                );
            }
            if !self.put_erasing(*partition, &erasing, &mut row).await? {
                return Ok((removed, failed));
            }
        }
        let waits = |(of, other, _): &UnderWay| {
            erasing.kind == ErasedKind::Account
                && of != partition
                && other.account_id == erasing.account_id
                && other.journal_until.is_none()
        };
        if erasing.walks == 2 && !is_kept && !all.iter().any(waits) {
            self.end_erasing(*partition, &erasing, row).await?;
        }
        Ok((removed, failed))
    }

    /// Writes the row about an erasure in place of another; `false` on a conflict.
    async fn put_erasing(
        &self,
        partition: Uuid,
        erasing: &Erasing,
        row: &mut Value,
    ) -> Result<bool, Fault> {
        let key = Erasing::key(partition);
        let new = serde_json::to_vec(erasing).map_err(|e| Fault::corrupt(&key, e))?;
        let new = Value::from(new);
        let was = Expectation::Is(std::mem::replace(row, new.clone()));
        let commit = Commit {
            expects: vec![(key.clone(), was)],
            writes: vec![(key, Write::Put(new))],
            ..Commit::default()
        };
        self.store().commit(commit).await
    }

    /// Removes the row about an erasure.
    /// Its count goes to the row about the account, or into the trail of the store.
    async fn end_erasing(
        &self,
        partition: Uuid,
        erasing: &Erasing,
        row: Value,
    ) -> Result<(), Fault> {
        let account = erasing.account_id.uuid();
        let (own, of_account) = (Erasing::key(partition), Erasing::key(account));
        let Some(clock) = self.clock_alone(partition).await? else {
            // A row has come since the last walk.
            let walks = 1;
            let again = Erasing {
                walks,
                ..erasing.clone()
            };
            return self
                .put_erasing(partition, &again, &mut row.clone())
                .await
                .map(drop);
        };
        let (row, clock) = (&row, &clock);
        self.store()
            .transact(GLOBAL, |mut unit| {
                let (own, of_account) = (own.clone(), of_account.clone());
                async move {
                    let mut reads = Reads::of(GLOBAL);
                    reads.row(own.clone());
                    reads.row(of_account.clone());
                    unit.load(reads).await?;
                    if unit.get(&own).await?.as_ref() != Some(row) {
                        return Ok(End::rollback(()));
                    }
                    let parent = unit.get(&of_account).await?;
                    match (erasing.kind, parent) {
                        (ErasedKind::Account, _) => {
                            unit.note_count(("account", partition), "erase", erasing.rows);
                        }
                        (_, Some(parent)) => {
                            // An unreadable one counts nothing any more.
                            let whole = serde_json::from_slice(&parent);
                            if let Ok(mut whole) = whole.map(|whole: Erasing| whole) {
                                whole.rows += erasing.rows;
                                let whole = unit.json(&whole);
                                unit.put_unversioned(of_account, whole);
                            }
                        }
                        (ErasedKind::Location, None) => {
                            unit.note_count(("location", partition), "erase", erasing.rows);
                        }
                        _ => {}
                    }
                    unit.expect(&own, row);
                    unit.delete(own);
                    if let Some((key, clock)) = clock {
                        unit.expect(key, clock);
                        unit.delete(key.clone());
                    }
                    Ok(End::commit(unit, ()))
                }
            })
            .await
    }
}
