//! The retention of an account: old orders go, and names in orders and receipts are blanked.
//!
//! The clock of the location says how far this has come, so each row is read once. A commit notes its counts in
//! the trail.

use uuid::Uuid;

use super::Purge;
use crate::{
    engine::persons::{blank_order, blank_receipt},
    storage::{Commit, Entry, Expectation, Key, Write},
    transaction::{
        Account, ChangeClock, Delivery, End, Fault, ReadKey, Reads, Retained, Retention,
        UnitOfWork, change_key, clock_key,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Order, Timestamp, Transaction},
};

/// Rows changed per commit: few enough to hardly delay writers.
const ROWS: usize = 200;

/// The most entries by screen looked up per commit.
const PROBES: usize = 4000;

/// Seconds of a day.
const DAY: i64 = 24 * 3600;

impl Purge<'_> {
    /// Removes queued deliveries past the time of their account, before their events.
    /// Each goes with its copy in the log.
    pub(super) async fn old_deliveries(&mut self, account: &Account) -> Result<(), Fault> {
        let store = self.connect.store();
        // All those that get too old today: queues are not in the order of age, so this reads them whole.
        let days = u32::try_from(account.kept_delivery_days() - 1).unwrap_or(0);
        let oldest = self.days_ago(days);
        for own in store.webhooks_of(account.id.uuid()).await?.0 {
            let webhook = own.webhook.id.uuid();
            let retained = self.retained(webhook).await?.unwrap_or_default();
            if retained.deliveries_from.is_some_and(|done| done >= oldest) {
                continue;
            }
            for family in [Family::DeliveryByDue, Family::WaitingStock] {
                let start = key(webhook, family, &[]);
                let end = after_prefix(&start);
                let mut from = Some(start);
                while let Some(at) = from {
                    let piece = self.piece(&at, &end).await?;
                    from = piece.next;
                    let mut commit = Commit::default();
                    for (key, row) in piece.entries {
                        let delivery: Option<Delivery> = serde_json::from_slice(&row).ok();
                        let Some(old) = delivery.filter(|of| of.created_at < oldest) else {
                            continue;
                        };
                        let removed = [key.clone(), old.log_key()];
                        commit
                            .writes
                            .extend(removed.map(|key| (key, Write::Remove)));
                        commit.expects.push((key, Expectation::Is(row)));
                    }
                    let count = commit.expects.len();
                    if count > 0 && store.commit(commit).await? {
                        self.done.deliveries += count;
                    }
                }
            }
            let noted = store.transact(webhook, |mut unit| async move {
                unit.load(Reads::of(webhook)).await?;
                unit.retained_mut().deliveries_from = Some(oldest);
                unit.keep_progress();
                Ok::<_, Fault>(End::commit(unit, ()))
            });
            noted.await?;
        }
        Ok(())
    }

    /// Applies the retention of an account at one of its locations.
    /// A failed part stops no other.
    pub(super) async fn retention(&mut self, location: Uuid, retention: &Retention) {
        if let Some(days) = retention.order_days {
            let orders = self.old_orders(location, self.days_ago(days)).await;
            self.note(orders, location);
        }
        if let Some(days) = retention.person_days {
            let before = self.days_ago(days);
            for family in [Family::Transaction, Family::Order] {
                let names = self.old_names(location, family, before).await;
                self.note(names, location);
            }
        }
    }

    /// The beginning of the day so many days ago.
    /// Whole days: a round a minute would have a commit each.
    fn days_ago(&self, days: u32) -> Timestamp {
        let today = self.now.plus_seconds(-self.now.seconds().rem_euclid(DAY));
        today.plus_days(-i64::from(days))
    }

    /// The progress of the retention in a partition; `None` without a clock.
    /// A location without a clock has no rows, and its first write begins their counts.
    async fn retained(&self, partition: Uuid) -> Result<Option<Retained>, Fault> {
        let key = clock_key(partition);
        let Some(row) = self.connect.store().get(&key).await? else {
            return Ok(None);
        };
        Ok(Some(ChangeClock::read(&key, Some(&row))?.retained))
    }

    /// Removes the orders made before a time.
    async fn old_orders(&mut self, location: Uuid, before: Timestamp) -> Result<(), Fault> {
        let Some(retained) = self.retained(location).await? else {
            return Ok(());
        };
        if retained.orders_from.is_some_and(|done| done >= before) {
            return Ok(());
        }
        let screens = &self.screens_with_orders(location).await?;
        let limit = (PROBES / screens.len().max(1)).clamp(1, ROWS);
        let end = &key(location, Family::OrderByCreation, &[KeyPart::Time(before)]);
        let mut from = key(location, Family::OrderByCreation, &[]);
        loop {
            let start = &from;
            let store = self.connect.store();
            let removed = store.transact(location, |mut unit| async move {
                unit.load(Reads::of(location)).await?;
                let old = unit.scan_range(start, end, limit).await?;
                let found = orders(&mut unit, &old).await?;
                let mut reads = Reads::of(location);
                let by_screen = |id| {
                    screens.iter().map(move |screen| {
                        let parts = [KeyPart::Id(*screen), KeyPart::Id(id)];
                        key(location, Family::OrderByScreen, &parts)
                    })
                };
                let gone = found.gone();
                let entries: Vec<Key> = gone.clone().flat_map(by_screen).collect();
                entries.iter().for_each(|entry| reads.row(entry.clone()));
                unit.load(reads).await?;
                for entry in entries {
                    if unit.get(&entry).await?.is_some() {
                        unit.delete(entry);
                    }
                }
                for order in &found.orders {
                    let (at, id) = (order.updated_at, order.id.uuid());
                    unit.remove_row(order);
                    unit.delete(change_key(location, Family::OrderByUpdate, at, id));
                }
                for (entry, _) in &found.stray {
                    // The counts of the location go by the row before.
                    unit.get(entry).await?;
                    unit.delete(entry.clone());
                }
                let last = old.last().filter(|_| old.len() == limit);
                let next: Option<Key> = last.map(|(key, _)| [key, &[0][..]].concat().into());
                let reached = match last.and_then(|(key, _)| ReadKey::of(key)?.time()) {
                    Some(time) => time,
                    None => before,
                };
                let retained = unit.retained_mut();
                retained.orders_from = retained.orders_from.max(Some(reached));
                note(&mut unit, location, "purge orders", gone.count() as u64);
                Ok::<_, Fault>(End::commit(unit, (next, found.unreadable)))
            });
            let (next, unreadable) = removed.await?;
            self.skipped(unreadable);
            match next {
                Some(next) => from = next,
                None => return Ok(()),
            }
        }
    }

    /// The screens with orders at a location, removed ones included.
    /// An order does not say whose it is.
    async fn screens_with_orders(&self, location: Uuid) -> Result<Vec<Uuid>, Fault> {
        let start = key(location, Family::OrderByScreen, &[]);
        let end = after_prefix(&start);
        let (mut screens, mut from) = (Vec::new(), start);
        loop {
            let piece = self.reader.piece(&from, Some(&end), 1).await?;
            let found = piece.entries.first().map(|(key, _)| key);
            let screen = found.and_then(|key| ReadKey::of(key)?.two_ids());
            from = match (screen, piece.next) {
                (Some((screen, _)), _) => {
                    screens.push(screen);
                    let parts = [KeyPart::Id(screen)];
                    after_prefix(&key(location, Family::OrderByScreen, &parts))
                }
                (None, Some(next)) => next,
                (None, None) => return Ok(screens),
            };
        }
    }

    /// Blanks names in the receipts or orders made before a time.
    async fn old_names(
        &mut self,
        location: Uuid,
        family: Family,
        before: Timestamp,
    ) -> Result<(), Fault> {
        let Some(retained) = self.retained(location).await? else {
            return Ok(());
        };
        let done = match family {
            Family::Order => retained.orders_blanked,
            _ => retained.receipts_blanked_to,
        };
        let mut is_end = done.is_some_and(|done| done >= before);
        while !is_end {
            let unreadable;
            (is_end, unreadable) = match family {
                Family::Order => self.blank_orders(location, before).await?,
                _ => self.blank_receipts(location, before).await?,
            };
            self.skipped(unreadable);
        }
        Ok(())
    }

    /// Blanks names in the next orders made before a time.
    /// Returns true at the end, and the keys of unreadable rows.
    async fn blank_orders(
        &self,
        location: Uuid,
        before: Timestamp,
    ) -> Result<(bool, Vec<Key>), Fault> {
        let store = self.connect.store();
        let done = store.transact(location, |mut unit| async move {
            unit.load(Reads::of(location)).await?;
            let since = unit.retained_mut().orders_blanked;
            let place = |time| key(location, Family::OrderByCreation, &[KeyPart::Time(time)]);
            let from = place(since.unwrap_or(Timestamp::EPOCH));
            let listed = unit.scan_range(&from, &place(before), ROWS).await?;
            let last = listed.last().filter(|_| listed.len() == ROWS);
            let last = last.and_then(|(key, _)| ReadKey::of(key)?.time());
            let found = orders(&mut unit, &listed).await?;
            let blanked = (found.orders.iter()).filter(|order| blank_order(&mut unit, order));
            let count = blanked.count() as u64;
            let reached = last.map_or(before, |last| last.plus_micros(1));
            unit.retained_mut().orders_blanked = Some(reached);
            note(&mut unit, location, "blank orders", count);
            Ok(End::commit(unit, (last.is_none(), found.unreadable)))
        });
        done.await
    }

    /// Blanks names in the next receipts made before a time.
    /// Returns true at the end, and the keys of unreadable rows.
    async fn blank_receipts(
        &self,
        location: Uuid,
        before: Timestamp,
    ) -> Result<(bool, Vec<Key>), Fault> {
        let store = self.connect.store();
        let done = store.transact(location, |mut unit| async move {
            unit.load(Reads::of(location)).await?;
            let since = unit.retained_mut().receipts_blanked;
            let from = key(location, Family::Transaction, &[KeyPart::Number(since + 1)]);
            let end = after_prefix(&key(location, Family::Transaction, &[]));
            let rows = unit.scan_range(&from, &end, ROWS).await?;
            let mut is_end = rows.len() < ROWS;
            let (mut last, mut count, mut unreadable) = (since, 0, Vec::new());
            let mut reads = Reads::of(location);
            rows.iter().for_each(|(key, _)| reads.row(key.clone()));
            unit.load(reads).await?;
            for (key, row) in rows {
                let Ok(receipt) = serde_json::from_slice::<Transaction>(&row) else {
                    last = ReadKey::of(&key).and_then(|at| at.number()).unwrap_or(last);
                    unreadable.push(key);
                    continue;
                };
                if receipt.created_at >= before {
                    is_end = true;
                    break;
                }
                last = receipt.receipt_number;
                count += u64::from(blank_receipt(&mut unit, &receipt));
            }
            is_end |= last == since;
            let retained = unit.retained_mut();
            retained.receipts_blanked = last;
            if is_end {
                retained.receipts_blanked_to = Some(before);
            }
            note(&mut unit, location, "blank receipts", count);
            Ok(End::commit(unit, (is_end, unreadable)))
        });
        done.await
    }

    /// Counts skipped rows.
    fn skipped(&mut self, unreadable: Vec<Key>) {
        for key in unreadable {
            self.failed(
                hex::encode(key),
                &"the row cannot be read, and is left as it is",
            );
        }
    }
}

/// Notes a count in the trail, and commits the progress.
fn note(unit: &mut UnitOfWork<'_>, location: Uuid, action: &str, count: u64) {
    if count > 0 {
        unit.note_count(("location", location), action, count);
        unit.be_quiet();
    }
    unit.keep_progress();
}

/// The rows behind entries by creation.
struct ListedOrder {
    orders: Vec<Order>,
    /// The entries without an order.
    stray: Vec<Entry>,
    /// The keys of unreadable orders.
    unreadable: Vec<Key>,
}

impl ListedOrder {
    /// The ids of all orders but unreadable ones.
    fn gone(&self) -> impl Iterator<Item = Uuid> + Clone {
        let stray = (self.stray.iter()).filter_map(|(key, _)| ReadKey::of(key)?.id());
        let orders = self.orders.iter().map(|order| order.id.uuid());
        orders.chain(stray)
    }
}

/// Reads the orders behind entries by creation.
async fn orders(unit: &mut UnitOfWork<'_>, listed: &[Entry]) -> Result<ListedOrder, Fault> {
    let location = unit.partition();
    let mut keys = Vec::with_capacity(listed.len());
    let mut reads = Reads::of(location);
    for entry in listed {
        if let Some(id) = ReadKey::of(&entry.0).and_then(|at| at.id()) {
            let key = key(location, Family::Order, &[KeyPart::Id(id)]);
            reads.row(key.clone());
            keys.push((key, entry));
        }
    }
    unit.load(reads).await?;
    let mut found = ListedOrder {
        orders: Vec::with_capacity(keys.len()),
        stray: Vec::new(),
        unreadable: Vec::new(),
    };
    for (key, entry) in keys {
        match unit.get(&key).await?.as_deref().map(serde_json::from_slice) {
            Some(Ok(order)) => found.orders.push(order),
            Some(Err(_)) => found.unreadable.push(key),
            None => found.stray.push(entry.clone()),
        }
    }
    Ok(found)
}
