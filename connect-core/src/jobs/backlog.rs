//! Counts of the waiting work, for monitoring.
//!
//! Only webhooks with work to do are read, and at most [`MOST`] rows of each kind of queue. So
//! counting stays cheap beside a growing queue.

use std::{collections::BTreeSet, mem, time::Duration};

use serde::Deserialize;
use uuid::Uuid;

use crate::{
    engine::Connect,
    owner::StoredTotals,
    storage::{Entry, Key, Range},
    transaction::{
        Error, Fault, LenientReader, Lookup, ReadKey, Store, SwitchOffReason, Webhooks,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::Timestamp,
};

/// The most counted rows of a queue.
const MOST: usize = 100_000;

/// The most counted deliveries of switched-off webhooks.
/// No worker works on them.
const MOST_HELD: usize = 10_000;

/// The rows read at a time.
const PIECE: usize = 1000;

/// The least rows of each queue in its first read.
const BEGINNING: usize = 4;

/// The growth of the rows read per queue, as a factor.
const GROWTH: usize = 8;

/// The waiting work at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// The deliveries waiting for a first attempt or a retry.
    pub deliveries: Waiting,
    /// The deliveries on hold until their webhook is switched on again.
    /// At most 10 000 are counted.
    pub held: usize,
    /// The age of the oldest delivery of a switched-on webhook.
    pub oldest_delivery: Duration,
    /// The images waiting for their takeover.
    pub images: Waiting,
    /// The messages to users waiting to be sent.
    pub mails: Waiting,
    /// The webhooks of all accounts.
    pub webhooks: WebhookCount,
    /// The stored bytes of all accounts.
    pub stored: StoredTotals,
}

/// A queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The number of its entries, counted up to 100 000.
    pub count: usize,
    /// The time since its first entry was due.
    /// An entry waiting for a retry is not due.
    pub overdue: Duration,
}

/// The number of webhooks, by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookCount {
    /// Webhooks switched on.
    pub on: usize,
    /// Webhooks switched off after too many failures.
    pub failed: usize,
    /// Webhooks switched off by their owner.
    pub off: usize,
    /// Webhooks switched on whose secret does not open. Their deliveries wait.
    pub unsigned: usize,
}

/// The creation time of a delivery, the only field read here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    created_at: Timestamp,
}

impl Connect {
    /// Counts the waiting work, without unreadable rows.
    ///
    /// # Errors
    /// The storage does not answer.
    pub async fn backlog(&self) -> Result<Backlog, Error> {
        let store = self.store();
        let now = store.now();
        let mut backlog = Backlog::default();
        let mut oldest = now;
        let of_webhook =
            |webhook| [Family::DeliveryByDue, Family::WaitingStock].map(|family| (webhook, family));
        let (webhooks, off) = self.webhook_count().await?;
        backlog.webhooks = webhooks;
        let mut webhooks = with_work(store, now).await?;
        // A webhook that is off may still be due for the mail to its owner.
        webhooks.retain(|webhook| !off.contains(webhook));
        let queues = webhooks.into_iter().flat_map(of_webhook);
        backlog.deliveries = count(store, queues, (now, MOST), |(_, row)| {
            let made = serde_json::from_slice(row).map(|made: Made| made.created_at);
            oldest = made.map_or(oldest, |made| made.min(oldest));
        })
        .await?;
        backlog.oldest_delivery = since(oldest, now);
        let images = [(GLOBAL, Family::ImageJobByDue)];
        backlog.images = count(store, images, (now, MOST), |_| {}).await?;
        let mails = [(GLOBAL, Family::Mail)];
        backlog.mails = count(store, mails, (now, MOST), |_| {}).await?;
        let queues = off.into_iter().flat_map(of_webhook);
        let held = count(store, queues, (now, MOST_HELD), |_| {}).await?;
        backlog.held = held.count;
        backlog.stored = self.stored_totals().await?;
        Ok(backlog)
    }

    /// Counts the webhooks. Also returns the switched-off ones.
    async fn webhook_count(&self) -> Result<(WebhookCount, BTreeSet<Uuid>), Error> {
        let accounts = self.account_ids().await?;
        let mut counted = WebhookCount::default();
        let mut all_off = BTreeSet::new();
        let (sealer, now) = (self.store().sealer(), self.now());
        for accounts in accounts.chunks(PIECE) {
            let keys = accounts.iter().map(|account| Webhooks::key(account.uuid()));
            let keys: Vec<_> = keys.collect();
            let rows = LenientReader::new(self.store()).values(&keys).await?;
            for (key, row) in keys.iter().zip(rows) {
                let Lookup::Found(row) = row else { continue };
                let webhooks = Webhooks::read(key, row.as_ref()).unwrap_or_default();
                for own in webhooks.0 {
                    if !own.webhook.is_enabled() {
                        all_off.insert(own.webhook.id.uuid());
                    } else if own.signing_secrets(&sealer, now).is_err() {
                        counted.unsigned += 1;
                    }
                    let off = own.webhook.switched_off.map(|off| off.reason);
                    *match off {
                        None => &mut counted.on,
                        Some(SwitchOffReason::Failures) => &mut counted.failed,
                        Some(SwitchOffReason::Owner) => &mut counted.off,
                    } += 1;
                }
            }
        }
        Ok((counted, all_off))
    }
}

/// Returns the webhooks with work to do, now or later.
async fn with_work(store: &Store, now: Timestamp) -> Result<BTreeSet<Uuid>, Fault> {
    let mut webhooks = BTreeSet::new();
    for family in [Family::WebhookWoken, Family::WebhookByDue] {
        count(store, [(GLOBAL, family)], (now, MOST), |(at, _)| {
            webhooks.extend(ReadKey::of(at).and_then(|at| at.id()));
        })
        .await?;
    }
    Ok(webhooks)
}

/// A queue with more rows to read.
struct Unread {
    from: Key,
    end: Key,
    is_head: bool,
}

/// Counts the rows of queues, up to `most`, and shows each row.
/// The rows of a queue with due times are in their order.
///
/// Many queues are short, and few are long. So the beginnings of many queues are read at a time,
/// and then longer and longer pieces of fewer and fewer queues.
async fn count(
    store: &Store,
    queues: impl IntoIterator<Item = (Uuid, Family)>,
    (now, most): (Timestamp, usize),
    mut show: impl FnMut(&Entry),
) -> Result<Waiting, Fault> {
    let reader = LenientReader::new(store);
    let mut counted = Waiting::default();
    let queues = queues.into_iter().map(Unread::new);
    let mut unread: Vec<Unread> = queues.collect();
    let mut length = BEGINNING;
    while !unread.is_empty() {
        length = (PIECE / unread.len()).max(length).min(PIECE);
        let mut round = mem::take(&mut unread).into_iter();
        while round.len() > 0 {
            // Beyond the limit, the head of each queue is still read: it may be the longest overdue.
            let is_full = counted.count == most;
            let some = round.by_ref().take(PIECE / length);
            let some: Vec<Unread> = some.filter(|queue| queue.is_head || !is_full).collect();
            if some.is_empty() {
                continue;
            }
            let limit = if is_full { 1 } else { length };
            let ranges: Vec<_> = some.iter().map(Unread::range).collect();
            let pieces = reader.pieces(&ranges, limit).await?;
            for (mut queue, piece) in some.into_iter().zip(pieces) {
                if queue.is_head
                    && let Some((head, _)) = piece.entries.first()
                {
                    queue.is_head = false;
                    let due = ReadKey::of(head).and_then(|at| at.time());
                    let overdue = since(due.unwrap_or(now), now);
                    counted.overdue = counted.overdue.max(overdue);
                }
                counted.count = (counted.count + piece.entries.len()).min(most);
                piece.entries.iter().for_each(&mut show);
                unread.extend(piece.next.map(|from| Unread { from, ..queue }));
            }
        }
        length *= GROWTH;
    }
    Ok(counted)
}

impl Unread {
    fn new((partition, family): (Uuid, Family)) -> Self {
        let from = key(partition, family, &[]);
        Self {
            end: after_prefix(&from),
            from,
            is_head: true,
        }
    }

    fn range(&self) -> Range<'_> {
        Range {
            from: &self.from,
            to: Some(&self.end),
        }
    }
}

/// Returns the time since then; none for a time to come.
fn since(then: Timestamp, now: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(now.micros() - then.micros()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        storage::{
            Commit, Storage as _, Value, Write, conformance::Distant, memory::MemoryStorage,
        },
        transaction::{environment::Environment, keys::KeyPart},
    };

    /// A store with queues of these lengths, and its round trips.
    /// Each queue was due the given number of seconds ago.
    async fn store(queues: &[(usize, i64)]) -> (Store, Arc<Distant>) {
        let storage = Arc::new(Distant::new(Arc::new(MemoryStorage::new()), Duration::ZERO));
        let mut commit = Commit::default();
        for (queue, (length, ago)) in (0..).zip(queues) {
            let due = NOW.plus_seconds(-ago);
            for row in 0..*length as u128 {
                let place = [KeyPart::Time(due), KeyPart::Id(Uuid::from_u128(row))];
                let key = key(Uuid::from_u128(queue), Family::DeliveryByDue, &place);
                commit.writes.push((key, Write::Put(Value::default())));
            }
        }
        storage.commit(commit).await.unwrap();
        let store = Store::new(storage.clone(), Environment::default());
        (store, storage)
    }

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000_000);

    fn all(queues: usize) -> impl Iterator<Item = (Uuid, Family)> {
        (0..queues as u128).map(|queue| (Uuid::from_u128(queue), Family::DeliveryByDue))
    }

    /// Beyond the limit, the head of each queue is still read.
    /// It may be the one with the longest time since it was due.
    #[tokio::test]
    async fn no_more_rows_are_counted_than_there_may_be_and_every_head_is_seen() {
        let mut queues = vec![(400, 10); 10];
        queues.push((400, 90));
        let (store, storage) = store(&queues).await;
        for (most, count_expected, shown_at_most) in [(500, 500, 1500), (10_000, 4400, 4400)] {
            let before = storage.trips();
            let mut shown = 0;
            let counted = count(&store, all(11), (NOW, most), |_| shown += 1)
                .await
                .unwrap();
            assert_eq!(counted.count, count_expected);
            assert_eq!(counted.overdue, Duration::from_secs(90), "{most}");
            assert!(shown <= shown_at_most, "{shown} rows were read for {most}");
            let trips = storage.trips() - before;
            assert!(trips <= 12, "{trips} trips for {most}");
        }
    }

    /// Many short queues and a few long ones are read in few trips.
    #[tokio::test]
    async fn long_queues_are_read_in_longer_and_longer_pieces() {
        let mut queues = vec![(1, 0); 500];
        queues.extend([(700, 0); 20]);
        let (store, storage) = store(&queues).await;
        let before = storage.trips();
        let counted = count(&store, all(520), (NOW, MOST), |_| ()).await.unwrap();
        assert_eq!(counted.count, 500 + 20 * 700);
        // 250 queues at a time from their beginnings; then 20 of 50 rows, of 400, and the rest.
        assert_eq!(storage.trips() - before, 3 + 1 + 10 + 20);
    }
}
