//! The work that waits, counted for whoever watches a service.
//!
//! Only webhooks that have something to do are looked at, and no more than [`MOST`] rows of each
//! queue, so counting stays cheap beside a queue that grows.

use std::{collections::BTreeSet, time::Duration};

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    engine::Connect,
    error::Error,
    record::{
        Fault, Looked, ReadKey, Salvage, Store, SwitchOffReason, Webhooks,
        keys::{Family, NOBODY, after_prefix, key},
    },
    storage::Entry,
    wire::Timestamp,
};

/// The most rows that are counted of a queue.
const MOST: usize = 100_000;

/// The rows that are read at a time.
const PIECE: usize = 1000;

/// The work that waits at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// The deliveries that wait for an attempt, the first or another one.
    pub deliveries: Waiting,
    /// The age of the oldest of them.
    pub oldest_delivery: Duration,
    /// The images that wait to be taken over.
    pub images: Waiting,
    /// The webhooks of all accounts.
    pub webhooks: WebhookCount,
}

/// A queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The number of its entries. Of more than 100 000 the rest is not counted.
    pub count: usize,
    /// The time for which the entry at its head has been due. What waits for a retry is not due.
    pub overdue: Duration,
}

/// The number of webhooks by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookCount {
    /// Webhooks that are on.
    pub on: usize,
    /// Webhooks that were switched off after too many failures.
    pub failed: usize,
    /// Webhooks that their owner has switched off.
    pub off: usize,
}

/// The one field of a delivery that counts here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    created_at: Timestamp,
}

impl Connect {
    /// Counts the work that waits. Rows that cannot be read are left out.
    ///
    /// # Errors
    /// The storage does not answer.
    pub async fn backlog(&self) -> Result<Backlog, Error> {
        let store = self.store();
        let now = store.now();
        let mut backlog = Backlog::default();
        let mut oldest = now;
        for webhook in with_work(store).await? {
            for family in [Family::DeliveryByDue, Family::WaitingStock] {
                let queue = (webhook, family);
                count(store, queue, now, &mut backlog.deliveries, |(_, row)| {
                    let made = serde_json::from_slice(row).map(|made: Made| made.created_at);
                    oldest = made.map_or(oldest, |made| made.min(oldest));
                })
                .await?;
            }
        }
        backlog.oldest_delivery = since(oldest, now);
        let queue = (NOBODY, Family::ImageJobByDue);
        count(store, queue, now, &mut backlog.images, |_| {}).await?;
        backlog.webhooks = self.webhook_count().await?;
        Ok(backlog)
    }

    async fn webhook_count(&self) -> Result<WebhookCount, Error> {
        let accounts = self.account_ids().await?;
        let mut counted = WebhookCount::default();
        for accounts in accounts.chunks(PIECE) {
            let keys = accounts.iter().map(|account| Webhooks::key(account.uuid()));
            let keys: Vec<_> = keys.collect();
            let rows = Salvage::new(self.store()).values(&keys).await?;
            for (key, row) in keys.iter().zip(rows) {
                let Looked::Found(row) = row else { continue };
                let webhooks = Webhooks::read(key, row.as_ref()).unwrap_or_default();
                for own in webhooks.0 {
                    let off = own.webhook.switched_off.map(|off| off.reason);
                    *match off {
                        None => &mut counted.on,
                        Some(SwitchOffReason::Failures) => &mut counted.failed,
                        Some(SwitchOffReason::Owner) => &mut counted.off,
                    } += 1;
                }
            }
        }
        Ok(counted)
    }
}

/// Returns the webhooks that have something to do, now or later.
async fn with_work(store: &Store) -> Result<BTreeSet<Uuid>, Fault> {
    let mut webhooks = BTreeSet::new();
    for family in [Family::WebhookWoken, Family::WebhookByDue] {
        let mut rows = Waiting::default();
        count(
            store,
            (NOBODY, family),
            store.now(),
            &mut rows,
            |(at, _)| {
                webhooks.extend(ReadKey::of(at).and_then(|at| at.id()));
            },
        )
        .await?;
    }
    Ok(webhooks)
}

/// Adds the rows of a queue to what is counted, and shows each. Queues are in the order in which
/// their entries are due, where they have one.
async fn count(
    store: &Store,
    (partition, family): (Uuid, Family),
    now: Timestamp,
    counted: &mut Waiting,
    mut show: impl FnMut(&Entry),
) -> Result<(), Fault> {
    let all = key(partition, family, &[]);
    let end = after_prefix(&all);
    let reader = Salvage::new(store);
    let mut from = Some(all);
    let mut is_head = true;
    while let Some(start) = from.take() {
        let left = MOST.saturating_sub(counted.count);
        if left == 0 && !is_head {
            break;
        }
        let limit = left.clamp(1, PIECE);
        let piece = reader.piece(&start, Some(&end), limit).await?;
        if is_head && let Some((head, _)) = piece.entries.first() {
            is_head = false;
            let due = ReadKey::of(head).and_then(|at| at.time());
            let overdue = since(due.unwrap_or(now), now);
            counted.overdue = counted.overdue.max(overdue);
        }
        counted.count = (counted.count + piece.entries.len()).min(MOST);
        piece.entries.iter().for_each(&mut show);
        from = piece.next;
    }
    Ok(())
}

/// Returns the time that has passed since then; none for a time to come.
fn since(then: Timestamp, now: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(now.micros() - then.micros()).unwrap_or(0))
}
