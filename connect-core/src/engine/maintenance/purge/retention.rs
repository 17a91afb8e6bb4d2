//! The retention of an account: old orders go, and names in orders and receipts are blanked.
//!
//! The clock of the location says how far this has come, so each row is read once. A commit notes its counts in
//! the trail.

use std::collections::HashMap;

use uuid::Uuid;

use super::Purge;
use crate::{
    engine::persons::{blank_order, blank_receipt},
    storage::{Commit, Entry, Expectation, Key, Write},
    transaction::{
        Account, Delivery, End, Fault, ReadKey, Reads, Retention, UnitOfWork, change_key,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{Order, Timestamp, Transaction},
};

/// Rows changed per commit: few enough to hardly delay writers.
const ROWS: usize = 200;

/// Seconds of a day.
const DAY: i64 = 24 * 3600;

impl Purge<'_> {
    /// Removes queued deliveries older than their account keeps them, before their events go.
    /// Each goes with its copy in the log.
    pub(super) async fn old_deliveries(&mut self, account: &Account) -> Result<(), Fault> {
        let oldest = self.now.plus_days(-account.kept_delivery_days());
        let store = self.connect.store();
        for own in store.webhooks_of(account.id.uuid()).await?.0 {
            let webhook = own.webhook.id.uuid();
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
        }
        Ok(())
    }

    /// Applies the retention of an account at one of its locations.
    pub(super) async fn retention(
        &mut self,
        location: Uuid,
        retention: &Retention,
    ) -> Result<(), Fault> {
        // Whole days: a round a minute would have a commit each.
        let today = self.now.plus_seconds(-self.now.seconds().rem_euclid(DAY));
        let before = |days: u32| today.plus_days(-i64::from(days));
        if let Some(days) = retention.order_days {
            self.old_orders(location, before(days)).await?;
        }
        if let Some(days) = retention.person_days {
            while self.blank_receipts(location, before(days)).await? {}
            while self.blank_orders(location, before(days)).await? {}
        }
        Ok(())
    }

    /// Removes the orders made before a time.
    async fn old_orders(&mut self, location: Uuid, before: Timestamp) -> Result<(), Fault> {
        loop {
            let start = key(location, Family::OrderByCreation, &[]);
            let end = key(location, Family::OrderByCreation, &[KeyPart::Time(before)]);
            let old = self.reader.piece(&start, Some(&end), ROWS).await?.entries;
            if old.is_empty() {
                return Ok(());
            }
            let by_screen = &self.by_screen(location, &old).await?;
            let old = &old;
            let removed = self
                .connect
                .store()
                .transact(location, |mut unit| async move {
                    let orders = orders(&mut unit, old).await?;
                    for order in &orders {
                        let id = order.id.uuid();
                        unit.remove_row(order);
                        unit.delete(change_key(
                            location,
                            Family::OrderByUpdate,
                            order.updated_at,
                            id,
                        ));
                        for entry in by_screen.get(&id).into_iter().flatten() {
                            unit.delete(entry.clone());
                        }
                    }
                    let retained = unit.retained_mut();
                    retained.orders_from = retained.orders_from.max(Some(before));
                    let count = orders.len();
                    note(&mut unit, location, "purge orders", count as u64);
                    Ok::<_, Fault>(End::commit(unit, count))
                });
            if removed.await? == 0 {
                return Err(Fault::corrupt(&start, "an entry leads to no order"));
            }
        }
    }

    /// The entries from screens to orders, by order. An order does not say whose it is.
    async fn by_screen(
        &self,
        location: Uuid,
        orders: &[Entry],
    ) -> Result<HashMap<Uuid, Vec<Key>>, Fault> {
        let ids = orders.iter().filter_map(|(key, _)| ReadKey::of(key)?.id());
        let mut found: HashMap<Uuid, Vec<Key>> = ids.map(|id| (id, Vec::new())).collect();
        let start = key(location, Family::OrderByScreen, &[]);
        let end = after_prefix(&start);
        let mut from = Some(start);
        while let Some(at) = from {
            let piece = self.reader.piece(&at, Some(&end), 2000).await?;
            for (entry, _) in piece.entries {
                let id = ReadKey::of(&entry).and_then(|at| at.id());
                if let Some(entries) = id.and_then(|id| found.get_mut(&id)) {
                    entries.push(entry);
                }
            }
            from = piece.next;
        }
        Ok(found)
    }

    /// Blanks names in the next orders made before a time; `false` at the end.
    async fn blank_orders(&mut self, location: Uuid, before: Timestamp) -> Result<bool, Fault> {
        let store = self.connect.store();
        let done = store.transact(location, |mut unit| async move {
            unit.load(Reads::of(location)).await?;
            let since = unit.retained_mut().orders_blanked;
            let place = |time| key(location, Family::OrderByCreation, &[KeyPart::Time(time)]);
            let from = place(since.unwrap_or(Timestamp::EPOCH));
            let listed = unit.scan_range(&from, &place(before), ROWS).await?;
            let is_end = listed.len() < ROWS;
            let last = listed.last().and_then(|(key, _)| ReadKey::of(key)?.time());
            let Some(last) = last else {
                return Ok(End::rollback(false));
            };
            let blanked = orders(&mut unit, &listed).await?;
            let blanked = blanked.iter().filter(|order| blank_order(&mut unit, order));
            let count = blanked.count() as u64;
            let reached = if is_end { before } else { last.plus_micros(1) };
            unit.retained_mut().orders_blanked = Some(reached);
            note(&mut unit, location, "blank orders", count);
            Ok(End::commit(unit, !is_end))
        });
        done.await
    }

    /// Blanks names in the next receipts, up to one of a later time; `false` at the end.
    async fn blank_receipts(&mut self, location: Uuid, before: Timestamp) -> Result<bool, Fault> {
        let store = self.connect.store();
        let done = store.transact(location, |mut unit| async move {
            unit.load(Reads::of(location)).await?;
            let since = unit.retained_mut().receipts_blanked;
            let from = key(location, Family::Transaction, &[KeyPart::Number(since + 1)]);
            let end = after_prefix(&key(location, Family::Transaction, &[]));
            let rows = unit.scan_range(&from, &end, ROWS).await?;
            let mut is_end = rows.len() < ROWS;
            let (mut last, mut count) = (since, 0);
            let mut reads = Reads::of(location);
            rows.iter().for_each(|(key, _)| reads.row(key.clone()));
            unit.load(reads).await?;
            for (key, row) in rows {
                let receipt: Transaction =
                    serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?;
                if receipt.created_at >= before {
                    is_end = true;
                    break;
                }
                last = receipt.receipt_number;
                count += u64::from(blank_receipt(&mut unit, &receipt));
            }
            if last == since {
                return Ok(End::rollback(false));
            }
            unit.retained_mut().receipts_blanked = last;
            note(&mut unit, location, "blank receipts", count);
            Ok(End::commit(unit, !is_end))
        });
        done.await
    }
}

/// Notes a count in the trail, and commits the progress even without one.
fn note(unit: &mut UnitOfWork<'_>, location: Uuid, action: &str, count: u64) {
    if count > 0 {
        unit.note_count(("location", location), action, count);
    }
    unit.keep_progress();
}

/// Reads the orders behind entries by creation.
async fn orders(unit: &mut UnitOfWork<'_>, listed: &[Entry]) -> Result<Vec<Order>, Fault> {
    let location = unit.partition();
    let row_key = |(entry, _): &Entry| {
        let id = ReadKey::of(entry)?.id()?;
        Some(key(location, Family::Order, &[KeyPart::Id(id)]))
    };
    let keys: Vec<Key> = listed.iter().filter_map(row_key).collect();
    let mut reads = Reads::of(location);
    keys.iter().for_each(|key| reads.row(key.clone()));
    unit.load(reads).await?;
    let mut orders = Vec::with_capacity(keys.len());
    for key in keys {
        if let Some(row) = unit.get(&key).await? {
            orders.push(serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?);
        }
    }
    Ok(orders)
}
