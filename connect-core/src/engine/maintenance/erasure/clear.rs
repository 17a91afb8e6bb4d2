//! The removal of the rows of a partition, and of their entries elsewhere.

use serde::Deserialize;
use serde_json::Value as Json;
use uuid::Uuid;

use super::super::Connect;
use crate::{
    engine::expiry_of,
    rules::image::due_at,
    storage::{Commit, Entry, Expectation, Key, Value, Write},
    transaction::{
        Account, ChangeClock, Delivery, ErasedKind, Erasing, Fault, JOURNAL, LenientReader,
        ReadKey, Store, Webhooks, clock_key, image_key_in,
        keys::{Family, GLOBAL, KeyPart, after_prefix, key},
        woken_key,
    },
    wire::{Id, ImageJob, Location, Timestamp, Transaction},
};

/// Rows removed per commit: few enough to hardly delay writers.
const CHUNK: usize = 500;

/// The end of a walk through the rows of a partition.
pub(super) struct Cleared {
    pub(super) removed: usize,
    /// The row about the erasure.
    pub(super) row: Value,
    /// Unparsable receipts, perhaps with names.
    pub(super) unblanked: Vec<Key>,
    /// Damaged rows of a kept journal.
    pub(super) damaged: usize,
}

impl Connect {
    /// Removes the rows of a partition but its clock and a kept journal.
    /// Returns `None` if another process is at it.
    pub(super) async fn clear(
        &self,
        partition: Uuid,
        erasing: &Erasing,
        row: Value,
        keeps_journal: bool,
    ) -> Result<Option<Cleared>, Fault> {
        let store = self.store();
        let reader = LenientReader::new(store);
        let end = after_prefix(partition.as_bytes());
        let (own, erasing_key) = (clock_key(partition), Erasing::key(partition));
        let mut from = Some(Key::from(partition.as_bytes().as_slice()));
        let (mut removed, mut damaged, mut unblanked) = (0, 0, Vec::new());
        let is_kept = |at: Option<&ReadKey>| {
            keeps_journal && at.is_some_and(|at| JOURNAL.contains(&at.family))
        };
        while let Some(start) = from {
            let clock = store.get(&own).await?;
            let piece = reader.piece(&start, Some(&end), CHUNK).await?;
            let mut writes = Vec::new();
            for (key, row) in piece.entries.iter().filter(|(key, _)| *key != own) {
                match ReadKey::of(key) {
                    Some(at) if is_kept(Some(&at)) => match blanked(&at, row) {
                        Ok(row) => writes.extend(row.map(|row| (key.clone(), Write::Put(row)))),
                        Err(_) => unblanked.push(key.clone()),
                    },
                    at => {
                        writes.push((key.clone(), Write::Remove));
                        removed += 1;
                        if let Some(at) = at {
                            elsewhere(&at, row, store.now(), &mut writes);
                        }
                    }
                }
            }
            match piece.damaged {
                Some((key, error)) if is_kept(ReadKey::of(&key).as_ref()) => {
                    let key = hex::encode(key);
                    tracing::error!(%error, key, "a damaged row of a kept journal is left as it is");
                    damaged += 1;
                }
                Some((key, _)) => writes.push((key, Write::Remove)),
                None => {}
            }
            from = piece.next;
            if writes.is_empty() {
                continue;
            }
            // Keys of several rows may lead to one entry.
            writes.sort_by(|(a, _), (b, _)| a.cmp(b));
            writes.dedup_by(|(a, _), (b, _)| a == b);
            let guarded = match erasing.kind {
                ErasedKind::Caller => Commit::default(),
                // A worker at these rows meets a conflict, and finds them gone.
                _ => guarded(store, &own, clock)?,
            };
            let commit = Commit {
                expects: vec![(erasing_key.clone(), Expectation::Is(row.clone()))],
                writes,
                ..guarded
            };
            if !store.commit(commit).await? {
                return Ok(None);
            }
            tokio::task::yield_now().await;
        }
        Ok(Some(Cleared {
            removed,
            row,
            unblanked,
            damaged,
        }))
    }

    /// Removes the deliveries about a location from the webhooks of its account.
    pub(super) async fn erase_deliveries(
        &self,
        erasing: &Erasing,
        location: Id<Location>,
    ) -> Result<usize, Fault> {
        let of_location = |row: &[u8]| {
            let delivery: Option<Delivery> = serde_json::from_slice(row).ok();
            delivery.filter(|of| of.location_id == Some(location))
        };
        let store = self.store();
        let reader = LenientReader::new(store);
        let webhooks = match store.webhooks_of(erasing.account_id.uuid()).await {
            // Their deliveries are out of reach. The purge reports it each round.
            Err(Fault::Corrupt { .. }) => Webhooks::default(),
            webhooks => webhooks?,
        };
        // A row of the log goes with its place in the queue. What is left in the queue has no other row.
        let families = [
            Family::Delivery,
            Family::DeliveryByDue,
            Family::WaitingStock,
        ];
        let mut removed = 0;
        for (webhook, family) in (webhooks.0.iter())
            .flat_map(|own| families.map(|family| (own.webhook.id.uuid(), family)))
        {
            let start = key(webhook, family, &[]);
            let end = after_prefix(&start);
            let mut from = Some(start);
            while let Some(at) = from {
                let piece = reader.piece(&at, Some(&end), CHUNK).await?;
                from = piece.next;
                let mut commit = Commit::default();
                for (key, row) in piece.entries {
                    let Some(delivery) = of_location(&row) else {
                        continue;
                    };
                    let place = delivery.queue_key().filter(|place| *place != key);
                    let logged = family == Family::Delivery;
                    let place = place.filter(|_| logged);
                    let keys = [key.clone()].into_iter().chain(place);
                    commit.writes.extend(keys.map(|key| (key, Write::Remove)));
                    commit.expects.push((key, Expectation::Is(row)));
                }
                let count = commit.expects.len();
                if count > 0 && store.commit(commit).await? {
                    removed += count;
                }
            }
        }
        Ok(removed)
    }

    /// Removes the waiting mail to users of an account.
    pub(super) async fn erase_mail(&self, account: Id<Account>) -> Result<usize, Fault> {
        let store = self.store();
        let reader = LenientReader::new(store);
        let start = key(GLOBAL, Family::Mail, &[]);
        let end = after_prefix(&start);
        let (mut removed, mut from) = (0, Some(start));
        while let Some(at) = from {
            let piece = reader.piece(&at, Some(&end), CHUNK).await?;
            from = piece.next;
            let is_of = |key: &Key| {
                let ids = ReadKey::of(key).and_then(|at| at.two_ids());
                ids.is_some_and(|(of, _)| of == account.uuid())
            };
            let keys = piece.entries.into_iter().map(|(key, _)| key).filter(is_of);
            let commit = Commit {
                writes: keys.map(|key| (key, Write::Remove)).collect(),
                ..Commit::default()
            };
            let count = commit.writes.len();
            if count > 0 && store.commit(commit).await? {
                removed += count;
            }
        }
        Ok(removed)
    }

    /// The clock of a partition without other rows, if it has one; `None` with other rows.
    pub(super) async fn clock_alone(
        &self,
        partition: Uuid,
    ) -> Result<Option<Option<Entry>>, Fault> {
        let own = clock_key(partition);
        let end = after_prefix(partition.as_bytes());
        let reader = LenientReader::new(self.store());
        let piece = reader.piece(partition.as_bytes(), Some(&end), 2).await?;
        let mut rows = piece.entries;
        Ok(match rows.pop() {
            _ if piece.damaged.is_some() => None,
            None => Some(None),
            Some(row) if row.0 == own => Some(Some(row)),
            Some(_) => None,
        })
    }
}

/// A commit that moves the clock of the partition.
fn guarded(store: &Store, own: &Key, clock: Option<Value>) -> Result<Commit, Fault> {
    // A damaged clock counts nothing any more.
    let before =
        ChangeClock::read(own, clock.as_ref()).or_else(|_| ChangeClock::read(own, None))?;
    let time = before.updated_at;
    before.moving_to(time, store.nonce(), (own.clone(), clock))
}

/// Adds the rows of a removed row in other partitions.
/// What an unreadable row had elsewhere is stray then: its readers pass over it, and a repair removes it.
fn elsewhere(at: &ReadKey, row: &Value, now: Timestamp, writes: &mut Vec<(Key, Write)>) {
    let global = |family, parts: &[KeyPart<'_>]| key(GLOBAL, family, parts);
    let id = at.partition;
    match at.family {
        Family::ImageJob => {
            let job: Option<ImageJob> = serde_json::from_slice(row).ok();
            let due = job.and_then(|job| Some((due_at(&job)?, job.id)));
            writes.extend(due.map(|(due, job)| {
                let parts = [KeyPart::Time(due), KeyPart::Id(id), KeyPart::Id(job.uuid())];
                (global(Family::ImageJobByDue, &parts), Write::Remove)
            }));
        }
        Family::Product => {
            let time = Value::from(format!("\"{now}\"").into_bytes());
            writes.extend(image_key_in(row).map(|image| (image, Write::Put(time))));
        }
        Family::WebhookState => {
            #[derive(Deserialize)]
            struct Due {
                due: Option<Timestamp>,
            }
            let state: Option<Due> = serde_json::from_slice(row).ok();
            writes.extend(state.and_then(|state| state.due).map(|due| {
                let parts = [KeyPart::Time(due), KeyPart::Id(id)];
                (global(Family::WebhookByDue, &parts), Write::Remove)
            }));
        }
        Family::WebhooksLink => writes.push((woken_key(id.into()), Write::Remove)),
        Family::Answer => {
            let text = at.text().unwrap_or_default();
            writes.extend(expiry_of(row).ok().map(|expiry| {
                let parts = [KeyPart::Time(expiry), KeyPart::Id(id), KeyPart::Text(text)];
                (global(Family::AnswerByExpiry, &parts), Write::Remove)
            }));
        }
        _ => {}
    }
}

/// A row of the journal without the names of persons; `None` if it has none.
/// A receipt need not have its whole form for this.
fn blanked(at: &ReadKey, row: &Value) -> serde_json::Result<Option<Value>> {
    if at.family != Family::Transaction {
        return Ok(None);
    }
    let mut receipt: Json = serde_json::from_slice(row)?;
    let mut has_names = false;
    for name in ["employee", "note"] {
        if let Some(text) = receipt.get_mut(name).filter(|text| !text.is_null()) {
            *text = Json::Null;
            has_names = true;
        }
    }
    if !has_names {
        return Ok(None);
    }
    let blanked = match serde_json::from_value::<Transaction>(receipt.clone()) {
        // In the order of its fields.
        Ok(receipt) => serde_json::to_vec(&receipt)?,
        Err(_) => serde_json::to_vec(&receipt)?,
    };
    Ok(Some(blanked.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::keys::PartitionOwner;

    /// Otherwise its rows stay behind.
    #[test]
    fn every_global_row_of_an_account_is_removed() {
        for family in Family::ALL {
            if family.owner() == PartitionOwner::Global && !family.parts().is_empty() {
                let is_removed = matches!(
                    family,
                    // With the account, in its first commits.
                    Family::AccountList
                        | Family::Token
                        | Family::AccountOfToken
                        | Family::ScreenKey
                        | Family::AccountOfScreenKey
                        | Family::UserOfEmail
                        // With their rows.
                        | Family::ImageJobByDue
                        | Family::WebhookByDue
                        | Family::WebhookWoken
                        | Family::AnswerByExpiry
                        // By a walk of their own.
                        | Family::Mail
                        | Family::Erasing
                        | Family::ErasedImage
                        // For two minutes.
                        | Family::RequestCount
                );
                assert!(is_removed, "{}", family.name());
            }
        }
    }
}
