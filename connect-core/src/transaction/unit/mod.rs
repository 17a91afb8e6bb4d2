//! The unit of work: reads and writes, committed at once.
//! Its reads include its own writes.

mod commit;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use uuid::Uuid;

use super::{
    Author, Authorship, Fault, Webhooks,
    clock::{ChangeClock, Retained, clock_key},
    environment::ImageLinks,
    keys::{Family, after_prefix, key},
    reads::{QueuedRead, Reads},
    store::Store,
    subscribers::Subscribers,
    trail::{ChangesMark, OperationChanges, RowBefore, trail_key},
    usage::{StorageLimits, Usage, counted, found_by},
    writes::{Savepoint, Writes},
};
use crate::{
    storage::{Entry, Expectation, Key, Locked, Range, Read, State, Value, Write, is_small},
    wire::Timestamp,
};

/// One or several operations on one partition, committed at once.
///
/// The partition's clock row is the guard of its commits: a unit reads it first, and its commit
/// expects it unchanged. So all reads of a unit in its partition are of one state, or the commit is
/// refused and the unit runs again.
pub struct UnitOfWork<'s> {
    store: &'s Store,
    partition: Uuid,
    lock: Option<Box<dyn Locked>>,
    /// The clock's row as read; `None` before the first read.
    clock_row: Option<Option<Value>>,
    /// The clock after the unit's changes so far.
    clock: ChangeClock,
    /// The time of the current operation.
    time: Timestamp,
    /// The time for counting periods.
    now: Timestamp,
    /// The read rows; `None` stands for a key without a value.
    known: FxHashMap<Key, Option<Value>>,
    /// The read index entries, by their prefix.
    scanned: FxHashMap<Key, Vec<Key>>,
    /// The number of round trips with reads.
    rounds: usize,
    writes: Writes,
    /// The changes of the current operation for the trail.
    changes: OperationChanges,
    /// The author of the current operation.
    authorship: Arc<Authorship>,
    /// The writes, the clock and the changes at each savepoint.
    savepoints: Vec<(Savepoint, ChangeClock, ChangesMark)>,
    expects: FxHashMap<Key, Expectation>,
    /// The webhooks for the events of this unit; `None` without events.
    subscribers: Option<Subscribers>,
    /// The bytes of the other locations of the account.
    bytes_elsewhere: u64,
    /// Rows of the location overwritten without a read.
    unread: FxHashSet<Key>,
    /// Set when the commit adds work to a queue.
    wakes_workers: bool,
    /// Set when the clock alone is worth a commit.
    keeps_progress: bool,
    buffer: Vec<u8>,
}

impl<'s> UnitOfWork<'s> {
    pub(super) fn new(store: &'s Store, partition: Uuid, lock: Option<Box<dyn Locked>>) -> Self {
        Self {
            store,
            partition,
            lock,
            clock_row: None,
            clock: ChangeClock::START,
            time: Timestamp::EPOCH,
            now: store.now(),
            known: FxHashMap::default(),
            scanned: FxHashMap::default(),
            rounds: 0,
            writes: Writes::default(),
            changes: OperationChanges::default(),
            authorship: store.authorship().cloned().unwrap_or_default(),
            savepoints: Vec::new(),
            expects: FxHashMap::default(),
            subscribers: None,
            bytes_elsewhere: 0,
            unread: FxHashSet::default(),
            wakes_workers: false,
            keeps_progress: false,
            buffer: Vec::new(),
        }
    }

    /// Starts the next operation of the unit, with its own time.
    /// The time is later than that of every writing operation before it. The clock has to be
    /// [loaded](Self::load).
    pub(crate) fn next_operation(&mut self) {
        self.time = self.clock.next_time(self.now);
    }

    /// Names the author of the next operation.
    /// Without it, the author is that of the store.
    pub(crate) fn set_authorship(&mut self, authorship: Arc<Authorship>) {
        self.authorship = authorship;
    }

    /// Names the author of an operation with proof of identity, such as a sign-in.
    pub(crate) fn act_as(&mut self, author: Author) {
        Arc::make_mut(&mut self.authorship).author = author;
    }

    /// The location, account or token of this unit.
    pub(crate) fn partition(&self) -> Uuid {
        self.partition
    }

    /// The time of the current operation: the `updatedAt` of its records.
    pub(crate) fn time(&self) -> Timestamp {
        self.time
    }

    /// Returns whether the unit has few writes.
    /// A failed run of such a unit costs less than a lock.
    pub(super) fn is_small(&self) -> bool {
        is_small(self.writes.values())
    }

    /// The current time, for counting periods.
    /// Changes are dated by [`time`](Self::time).
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// A new id.
    pub(crate) fn next_id(&self) -> Uuid {
        self.store.environment().ids.next()
    }

    /// The port for checking links to images.
    pub(crate) fn image_links(&self) -> &dyn ImageLinks {
        &*self.store.environment().image_links
    }

    /// The clock after the unit's changes so far; a rollback restores it.
    pub(super) fn clock_mut(&mut self) -> &mut ChangeClock {
        &mut self.clock
    }

    /// Reads unknown rows in one round trip, for [`get`](Self::get).
    /// The first call reads the clock too.
    pub(crate) async fn load(&mut self, mut reads: Reads) -> Result<(), Fault> {
        reads.wanted.retain(|wanted| match wanted {
            QueuedRead::Get(key) | QueuedRead::Follow { key, .. } => !self.known.contains_key(key),
            QueuedRead::Holders { prefix, .. } => !self.scanned.contains_key(prefix),
        });
        let clock_key = clock_key(self.partition);
        let webhooks_link = Webhooks::link_key(self.partition);
        let is_first = self.clock_row.is_none();
        if reads.is_empty() && !is_first {
            return Ok(());
        }
        let mut asked: Vec<Read<'_>> = reads.wanted.iter().map(QueuedRead::as_read).collect();
        if is_first {
            asked.push(Read::Get(&clock_key));
            asked.push(Read::Follow {
                key: &webhooks_link,
                rows: &[],
            });
        }
        let mut state = self.read(&asked).await?;
        // An index entry and its row, mostly, and the five writes of a change of such a row.
        self.known.reserve(2 * reads.wanted.len());
        self.writes.reserve(5 * reads.wanted.len());
        for wanted in reads.wanted {
            match wanted {
                QueuedRead::Get(key) => {
                    let value = state.value()?;
                    self.known.insert(key, value);
                }
                QueuedRead::Follow { key, rows } => {
                    let found = state.followed()?;
                    if let Some((entry, row)) = &found {
                        let row_key = [&rows[..], entry].concat().into_boxed_slice();
                        self.known.insert(row_key, row.clone());
                    }
                    self.known.insert(key, found.map(|(entry, _)| entry));
                }
                QueuedRead::Holders { prefix, rows, .. } => {
                    let mut entries = Vec::new();
                    for ((entry, value), row) in state.joined()? {
                        if let Some((_, id)) = entry.split_last_chunk::<16>() {
                            let row_key = [&rows[..], id].concat().into_boxed_slice();
                            self.known.insert(row_key, row);
                        }
                        self.known.insert(entry.clone(), Some(value));
                        entries.push(entry);
                    }
                    self.scanned.insert(prefix, entries);
                }
            }
        }
        if is_first {
            let row = state.value()?;
            self.clock = ChangeClock::read(&clock_key, row.as_ref())?;
            self.clock_row = Some(row);
            self.subscribers = self.store.webhooks().subscribers(state.followed()?);
            self.next_operation();
        }
        Ok(())
    }

    /// The known value of a key, own writes included.
    /// Takes no round trip; `None` when the key was not read.
    pub(crate) fn known(&self, key: &[u8]) -> Option<Option<Value>> {
        if let Some(written) = self.writes.get(key) {
            return Some(match written {
                Write::Put(value) | Write::New(value) => Some(value.clone()),
                Write::Index(_) | Write::NewIndex(_) => Some(Value::default()),
                Write::Remove => None,
            });
        }
        self.known.get(key).cloned()
    }

    /// The value of a key, own writes included.
    pub(crate) async fn get(&mut self, key: &[u8]) -> Result<Option<Value>, Fault> {
        if let Some(value) = self.known(key) {
            return Ok(value);
        }
        let mut reads = Reads::of(self.partition);
        reads.row(key.into());
        self.load(reads).await?;
        Ok(self.known(key).flatten())
    }

    /// Answers further reads, without remembering them.
    async fn read(&mut self, reads: &[Read<'_>]) -> Result<State, Fault> {
        self.rounds += 1;
        Ok(match &self.lock {
            Some(lock) => {
                let state = lock.read(reads).await;
                state.inspect_err(|_| self.store.metrics().failed_reads.increase())?
            }
            None => self.store.read(reads).await?,
        })
    }

    /// The first `limit` entries starting with `prefix`, own writes included.
    pub(crate) async fn scan(&mut self, prefix: &[u8], limit: usize) -> Result<Vec<Entry>, Fault> {
        self.scan_range(prefix, &after_prefix(prefix), limit).await
    }

    /// The first `limit` entries from key `from` up to key `to`.
    /// Own writes are included.
    pub(crate) async fn scan_range(
        &mut self,
        from: &[u8],
        to: &[u8],
        limit: usize,
    ) -> Result<Vec<Entry>, Fault> {
        let own = self.writes.range(from, to).count();
        let range = Range { from, to: Some(to) };
        // Each own write may hide one stored entry, so as many more have to be read.
        let limit_with_hidden = limit.saturating_add(own);
        let read = Read::Scan {
            range,
            limit: limit_with_hidden,
            newest_first: false,
        };
        let stored = self.read(&[read]).await?.entries()?;
        let trailed = stored
            .iter()
            .filter(|(key, _)| OperationChanges::is_trailed(key));
        // Before the clock is read, nothing is known of the unit's state.
        for (key, row) in trailed.filter(|_| self.clock_row.is_some()) {
            let known = self.known.entry(key.clone());
            known.or_insert_with(|| Some(row.clone()));
        }
        let mut entries: BTreeMap<Key, Value> = stored.into_iter().collect();
        for (key, write) in self.writes.range(from, to) {
            match write.value() {
                Some(value) => entries.insert(key.clone(), value.into()),
                None => entries.remove(key),
            };
        }
        Ok(entries.into_iter().take(limit).collect())
    }

    /// The ids of up to two records behind entries with `prefix`.
    /// Two are enough to tell whether there is exactly one. Loaded by [`Reads::holders`].
    pub(crate) async fn two_holders(&mut self, prefix: &[u8]) -> Result<Vec<Uuid>, Fault> {
        let loaded = self.scanned.get(prefix).cloned();
        let is_complete = loaded
            .as_ref()
            .is_some_and(|keys| keys.len() < MOST_HOLDERS);
        let mut keys: BTreeSet<Key> = loaded.into_iter().flatten().collect();
        for (key, write) in self.writes.range(prefix, &after_prefix(prefix)) {
            match write.value() {
                Some(_) => keys.insert(key.clone()),
                None => keys.remove(key),
            };
        }
        if !is_complete && keys.len() < 2 {
            let entries = self.scan(prefix, 2).await?;
            keys = entries.into_iter().map(|(key, _)| key).collect();
        }
        Ok(keys.iter().filter_map(|key| id_of(key)).take(2).collect())
    }

    /// The id of the only record behind the loaded entries with `prefix`.
    pub(crate) fn known_holder(&self, prefix: &[u8]) -> Option<Uuid> {
        match &self.scanned.get(prefix)?[..] {
            [entry] => id_of(entry),
            _ => None,
        }
    }

    /// The ids of all records behind the entries starting with `prefix`.
    /// They are in the order of the entries. Reads the records of the family `rows` too, in pieces,
    /// so other tasks can run in between.
    pub(crate) async fn members(
        &mut self,
        prefix: &[u8],
        rows: Family,
    ) -> Result<Vec<Uuid>, Fault> {
        let end = after_prefix(prefix);
        let rows = key(self.partition, rows, &[]);
        let mut keys = BTreeSet::new();
        let mut from = Key::from(prefix);
        loop {
            let range = Range {
                from: &from,
                to: Some(&end),
            };
            let read = Read::ScanFollow {
                range,
                limit: PIECE,
                newest_first: false,
                rows: &rows,
                tail: 16,
            };
            let entries = self.read(&[read]).await?.joined()?;
            let is_last = entries.len() < PIECE;
            for ((entry, _), row) in entries {
                if let Some((_, id)) = entry.split_last_chunk::<16>() {
                    let row_key = [&rows[..], id].concat().into_boxed_slice();
                    self.known.entry(row_key).or_insert(row);
                }
                keys.insert(entry);
            }
            match keys.last() {
                Some(last) if !is_last => from = [&last[..], &[0]].concat().into(),
                _ => break,
            }
            tokio::task::yield_now().await;
        }
        for (key, write) in self.writes.range(prefix, &end) {
            match write.value() {
                Some(_) => keys.insert(key.clone()),
                None => keys.remove(key),
            };
        }
        Ok(keys.iter().filter_map(|key| id_of(key)).collect())
    }

    /// Writes a row.
    pub(crate) fn put(&mut self, key: Key, value: Value) {
        self.write(key, Write::Put(value));
    }

    /// Writes a row most likely new, such as one under a new id.
    pub(crate) fn put_new(&mut self, key: Key, value: Value) {
        self.write(key, Write::New(value));
    }

    /// Writes an index entry rewritten with every change of its `row`.
    /// Delete the former entry first: a new one in the same place then does not count as new.
    pub(crate) fn put_index(&mut self, key: Key, row: Value) {
        self.write(key, Write::NewIndex(row));
    }

    /// Removes a row.
    pub(crate) fn delete(&mut self, key: Key) {
        self.write(key, Write::Remove);
    }

    fn write(&mut self, key: Key, write: Write) {
        self.clock.updated_at = self.time;
        if OperationChanges::is_trailed(&key) {
            self.note_change(&key, &write);
        }
        let family = self.counted_family(&key);
        let (Some(usage), Some(family)) = (&mut self.clock.usage, family) else {
            return self.writes.put(key, write);
        };
        let (known, unread, now) = (&self.known, &mut self.unread, self.now);
        self.writes.put_with(key, write, |key, write, own| {
            let before = match own {
                Some(own) => own.value().map(<[u8]>::len),
                None => match (known.get(key), found_by(write, family)) {
                    (Some(known), _) => {
                        unread.remove(key);
                        known.as_ref().map(|value| value.len())
                    }
                    (None, Some(found)) => found,
                    (None, None) => {
                        unread.insert(key.clone());
                        None
                    }
                },
            };
            let after = write.value().map(<[u8]>::len);
            usage.replace((key, family), before, after, now);
        });
    }

    /// Notes the change of a row for the trail.
    fn note_change(&mut self, key: &Key, write: &Write) {
        let before = match (self.writes.get(key), self.known.get(key)) {
            (Some(own), _) => RowBefore::Known(own.value()),
            (None, Some(known)) => RowBefore::Known(known.as_deref()),
            (None, None) if write.is_new() => RowBefore::Known(None),
            (None, None) => RowBefore::Unread,
        };
        let by = (self.partition, &self.authorship.author);
        self.changes.add_row(by, key, before, write.value());
    }

    /// Notes an action for the trail, besides the changes of rows.
    pub(crate) fn note_action(&mut self, object: &str, id: Uuid, action: &str) {
        self.changes.add_action(object, id, action);
    }

    /// Notes an action for the trail, with the number of rows that it concerned.
    pub(crate) fn note_count(&mut self, object: (&str, Uuid), action: &str, rows: u64) {
        self.changes.add_count(object, action, rows);
    }

    /// The progress of the retention at this location, to be changed.
    /// Without other writes, it is committed after [`keep_progress`](Self::keep_progress).
    pub(crate) fn retained_mut(&mut self) -> &mut Retained {
        &mut self.clock.retained
    }

    /// Commits the clock even without other writes.
    pub(crate) fn keep_progress(&mut self) {
        self.keeps_progress = true;
    }

    /// Notes a change without an event, or events removed early.
    /// The next event ends it.
    pub(crate) fn be_quiet(&mut self) {
        self.clock.retained.is_quiet = true;
    }

    /// Ends the operation: writes its entry of the trail, if it has changes for it.
    /// The commit does so for the last operation.
    pub(crate) fn end_operation(&mut self) {
        let end = (self.partition, self.clock.trail);
        let entry = self.changes.take_entry(end, self.time, &self.authorship);
        let Some(entry) = entry else {
            return;
        };
        self.clock.updated_at = self.time;
        self.clock.trail = Some(entry.head);
        let number = entry.head.number;
        let entry_key = trail_key(self.partition, number);
        let bytes = entry_key.len() + entry.row.len();
        self.writes.put(entry_key, Write::New(entry.row));
        let until = self.now.plus_days(self.store.trail_days().into());
        self.count_until(bytes, until);
    }

    /// Begins the counts of a location without rows. All its later rows are counted.
    pub(crate) fn begin_counts(&mut self) {
        if self.clock_row == Some(None) {
            self.clock.usage.get_or_insert_default();
        }
    }

    /// The family of a row counted for this location.
    fn counted_family(&self, key: &[u8]) -> Option<Family> {
        let own = key.strip_prefix(self.partition.as_bytes());
        let family = own.and_then(|own| Family::of(*own.first()?));
        family.filter(|family| counted(*family).is_some())
    }

    /// Counts rows of other partitions written with the change, until their purge.
    pub(crate) fn count_until(&mut self, bytes: usize, until: Timestamp) {
        if let Some(usage) = &mut self.clock.usage {
            usage.add_until(bytes as u64, until, self.now);
        }
    }

    /// Counts rows overwritten without a read.
    /// This takes a round trip, but no write of the API needs it.
    async fn count_unread(&mut self) -> Result<(), Fault> {
        let mut reads = Reads::of(self.partition);
        let unread = std::mem::take(&mut self.unread);
        let written = unread.iter().filter(|key| self.writes.get(key).is_some());
        let written: Vec<Key> = written.cloned().collect();
        written.iter().for_each(|key| reads.row(key.clone()));
        self.load(reads).await?;
        for key in written {
            let family = key.get(16).and_then(|byte| Family::of(*byte));
            let found = self.known.get(&key).cloned().flatten();
            if let (Some(usage), Some(family), Some(found)) = (&mut self.clock.usage, family, found)
            {
                usage.replace((&key, family), Some(found.len()), None, self.now);
            }
        }
        Ok(())
    }

    /// The counts of this location, own writes included.
    /// `None` before the migration of an older program's rows.
    pub(crate) fn usage(&self) -> Option<&Usage> {
        self.clock.usage.as_ref()
    }

    /// The stored bytes of the account, own writes included.
    pub(crate) fn account_bytes(&self) -> u64 {
        let own = self.usage().map_or(0, |usage| usage.total(self.now));
        own.saturating_add(self.bytes_elsewhere)
    }

    /// Sets the bytes of the other locations of the account.
    pub(crate) fn set_bytes_elsewhere(&mut self, bytes: u64) {
        self.bytes_elsewhere = bytes;
    }

    /// Counts a refusal by a limit on storage.
    pub(crate) fn count_limit_reached(&self) {
        self.store.metrics().limit_reached.increase();
    }

    /// The limits on the data of an account and of each location.
    pub(crate) fn storage_limits(&self) -> &StorageLimits {
        self.store.storage_limits()
    }

    /// Writes a row without a place in the partition's history.
    /// It does not change the partition's time. The commit expects the value read by this unit, or
    /// no value.
    pub(crate) fn put_unversioned(&mut self, key: Key, value: Value) {
        if self.writes.get(&key).is_none() {
            let found = self.known.get(&key).cloned().flatten();
            self.expects
                .insert(key.clone(), Expectation::unchanged(found));
        }
        self.writes.put(key, Write::Put(value));
    }

    /// Makes the commit expect an unchanged row of another partition.
    pub(crate) fn expect(&mut self, key: &Key, value: &Value) {
        if !self.expects.contains_key(key) {
            self.expects
                .insert(key.clone(), Expectation::Is(value.clone()));
        }
    }

    /// The webhooks for the events of this unit.
    pub(super) fn subscribers(&self) -> Option<&Subscribers> {
        self.subscribers.as_ref()
    }

    /// Makes the commit expect unchanged webhooks.
    pub(crate) fn expect_webhooks(&mut self) {
        let row = self.subscribers.as_ref();
        let row = row.and_then(|all| Some((all.key.clone(), all.row.clone()?)));
        if let Some((key, row)) = row {
            self.expect(&key, &row);
        }
    }

    /// The webhooks of the account of this location or webhook.
    ///
    /// # Errors
    /// Their row, or the link to it, is damaged or lost.
    pub(crate) fn webhooks(&self) -> Result<&Webhooks, Fault> {
        let link = Webhooks::link_key(self.partition);
        let lost = || Fault::corrupt(&link, "it leads to no account");
        self.subscribers.as_ref().ok_or_else(lost)?.webhooks()
    }

    /// Wakes the workers of queues after the commit.
    /// They check their queues themselves, so a rollback need not undo it.
    pub(crate) fn wake_workers(&mut self) {
        self.wakes_workers = true;
    }

    /// Returns whether the commit [wakes workers](Self::wake_workers).
    pub(super) fn wakes_workers(&self) -> bool {
        self.wakes_workers
    }

    /// Sets a savepoint for a [rollback](Self::rollback) of later writes.
    /// Savepoints may be nested. Returns the depth for [`rollback_to`](Self::rollback_to).
    pub(crate) fn savepoint(&mut self) -> usize {
        let changes = self.changes.mark();
        self.savepoints
            .push((self.writes.mark(), self.clock.clone(), changes));
        self.savepoints.len()
    }

    /// Releases the last savepoint, and keeps the writes since.
    pub(crate) fn release(&mut self) {
        self.savepoints.pop();
    }

    /// Undoes the writes since the last savepoint.
    pub(crate) fn rollback(&mut self) {
        if let Some((mark, clock, changes)) = self.savepoints.pop() {
            self.writes.back_to(mark);
            self.clock = clock;
            self.changes.back_to(changes);
        }
    }

    /// Undoes the writes since the savepoint at `depth`, nested ones included.
    pub(crate) fn rollback_to(&mut self, depth: usize) {
        while self.savepoints.len() >= depth.max(1) {
            self.rollback();
        }
    }

    /// A value as stored in a row: JSON in wire form.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Value {
        self.buffer.clear();
        // Our own shapes have string keys only and write to memory: this cannot fail.
        let written = serde_json::to_writer(&mut self.buffer, value);
        debug_assert!(written.is_ok(), "a record has no JSON form");
        Value::from(&*self.buffer)
    }
}

/// The most entries to load, to tell whether there is exactly one.
/// It is one more than needed, so that an entry removed by the unit does not cost another read.
pub(crate) const MOST_HOLDERS: usize = 3;

/// The most index entries read at a time with their records.
const PIECE: usize = 2000;

/// The id at the end of an index entry's key.
fn id_of(key: &[u8]) -> Option<Uuid> {
    let (_, id) = key.split_last_chunk::<16>()?;
    Some(Uuid::from_bytes(*id))
}

#[cfg(test)]
mod tests;
