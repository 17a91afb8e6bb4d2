//! The unit of work: reads through its own writes, then commits them all at once.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Serialize;
use uuid::Uuid;

use super::{
    Fault,
    clock::ChangeClock,
    keys::{Family, key},
    writes::{Mark, Writes},
};
use crate::{
    environment::Environment,
    storage::{Commit, CommitError, Entry, Expectation, Key, Range, Storage, Value},
    wire::Timestamp,
};

/// One or several operations on one partition, which become one commit.
///
/// Everything rests on the partition's clock row: it is read first and expected unchanged by the
/// commit. Whatever else a unit read at its location was therefore read in one state, or the
/// commit is refused and the unit is run again.
pub(crate) struct Unit<'s> {
    storage: &'s dyn Storage,
    environment: &'s Environment,
    partition: Uuid,
    /// The clock's row as it was found.
    clock_row: Option<Value>,
    /// The time of the operation under way.
    time: Timestamp,
    /// What was read, so that a batch can read ahead.
    reads: FxHashMap<Key, Option<Value>>,
    writes: Writes,
    /// The clock as the unit leaves it so far.
    clock: ChangeClock,
    /// What is being tried out: the writes and the clock as they were before.
    tries: Vec<(Mark, ChangeClock)>,
    expects: Vec<(Key, Expectation)>,
    buffer: Vec<u8>,
}

impl<'s> Unit<'s> {
    /// A unit on the state as it is now.
    pub(crate) async fn begin(
        storage: &'s dyn Storage,
        environment: &'s Environment,
        partition: Uuid,
    ) -> Result<Self, Fault> {
        let clock_key = key(partition, Family::Clock, &[]);
        let clock_row = storage.get(&[&clock_key]).await?.pop().flatten();
        let clock = ChangeClock::read(&clock_key, clock_row.as_ref())?;
        let mut unit = Self {
            storage,
            environment,
            partition,
            clock_row,
            time: Timestamp::EPOCH,
            reads: FxHashMap::default(),
            writes: Writes::default(),
            clock,
            tries: Vec::new(),
            expects: Vec::new(),
            buffer: Vec::new(),
        };
        unit.next_operation();
        Ok(unit)
    }

    /// Starts the next operation of the unit: it gets a time of its own, later than that of every
    /// operation before it that wrote anything.
    pub(crate) fn next_operation(&mut self) {
        self.time = self.clock.next_time(self.environment.clock.now());
    }

    /// The location, account or token that this unit works on.
    pub(crate) fn partition(&self) -> Uuid {
        self.partition
    }

    /// The time of the operation under way: the `updatedAt` of all that it writes.
    pub(crate) fn time(&self) -> Timestamp {
        self.time
    }

    /// What the machine's clock shows. Periods are counted by it; changes are dated by
    /// [`time`](Self::time).
    pub(crate) fn now(&self) -> Timestamp {
        self.environment.clock.now()
    }

    /// A new id.
    pub(crate) fn next_id(&self) -> Uuid {
        self.environment.ids.next()
    }

    pub(super) fn next_sequence(&mut self) -> u64 {
        self.clock.sequence += 1;
        self.clock.sequence
    }

    /// The value of a key, the unit's own writes included.
    pub(crate) async fn get(&mut self, key: &[u8]) -> Result<Option<Value>, Fault> {
        if let Some(written) = self.writes.get(key) {
            return Ok(written.clone());
        }
        if let Some(read) = self.reads.get(key) {
            return Ok(read.clone());
        }
        let value = self.storage.get(&[key]).await?.pop().flatten();
        self.reads.insert(key.into(), value.clone());
        Ok(value)
    }

    /// Reads several keys at once, to be found by [`get`](Self::get) later; returns the values
    /// that there are.
    pub(super) async fn read_ahead(&mut self, mut keys: Vec<Key>) -> Result<Vec<Value>, Fault> {
        keys.retain(|key| !self.reads.contains_key(key));
        let asked: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        let values = self.storage.get(&asked).await?;
        let found = values.iter().flatten().cloned().collect();
        self.reads.extend(keys.into_iter().zip(values));
        Ok(found)
    }

    /// The first `limit` entries whose keys start with `prefix`, the unit's own writes included.
    pub(crate) async fn scan(&mut self, prefix: &[u8], limit: usize) -> Result<Vec<Entry>, Fault> {
        let end = super::keys::after_prefix(prefix);
        let range = Range {
            from: prefix,
            to: Some(&end),
        };
        let own: Vec<_> = self.writes.range(prefix, &end).collect();
        // Each own write may hide one stored entry, so as many more have to be read.
        let stored = self
            .storage
            .scan(range, limit.saturating_add(own.len()))
            .await?;
        let mut entries: BTreeMap<Key, Value> = stored.into_iter().collect();
        for (key, value) in own {
            match value {
                Some(value) => entries.insert(key.clone(), value.clone()),
                None => entries.remove(key),
            };
        }
        Ok(entries.into_iter().take(limit).collect())
    }

    /// Writes a row.
    pub(crate) fn put(&mut self, key: Key, value: Value) {
        self.write(key, Some(value));
    }

    /// Removes a row.
    pub(crate) fn delete(&mut self, key: Key) {
        self.write(key, None);
    }

    fn write(&mut self, key: Key, value: Option<Value>) {
        self.clock.updated_at = self.time;
        self.writes.put(key, value);
    }

    /// Writes a row that is no part of the partition's history: it moves no clock. The commit
    /// expects to find what this unit read there, or nothing.
    pub(crate) fn put_aside(&mut self, key: Key, value: Value) {
        if self.writes.get(&key).is_none() {
            let found = self.reads.get(&key).cloned().flatten();
            self.expects
                .push((key.clone(), Expectation::unchanged(found)));
        }
        self.writes.put(key, Some(value));
    }

    /// What is written from here on can be taken back: follow it with [`keep`](Self::keep) or
    /// [`take_back`](Self::take_back). Tries may be nested.
    pub(crate) fn try_out(&mut self) {
        self.tries.push((self.writes.mark(), self.clock));
    }

    /// Keeps what was written since the last [`try_out`](Self::try_out).
    pub(crate) fn keep(&mut self) {
        self.tries.pop();
    }

    /// Takes back what was written since the last [`try_out`](Self::try_out).
    pub(crate) fn take_back(&mut self) {
        if let Some((mark, clock)) = self.tries.pop() {
            self.writes.back_to(mark);
            self.clock = clock;
        }
    }

    /// A value as a row holds it: JSON in wire form.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Value {
        self.buffer.clear();
        // Our own shapes have string keys only and write to memory: this cannot fail.
        let written = serde_json::to_writer(&mut self.buffer, value);
        debug_assert!(written.is_ok(), "a record has no JSON form");
        Value::from(&*self.buffer)
    }

    /// Commits all that was written. `Ok(false)`: others were faster, run the unit again.
    pub(crate) async fn commit(mut self) -> Result<bool, Fault> {
        let clock_key = key(self.partition, Family::Clock, &[]);
        let clock = self.clock;
        let advanced = ChangeClock::read(&clock_key, self.clock_row.as_ref())? != clock;
        if self.writes.is_empty() && self.clock_row.is_none() {
            return Ok(true);
        }
        // An absent clock can only be expected by a commit that writes it.
        if advanced || self.clock_row.is_none() {
            let row = self.json(&clock);
            self.writes.put(clock_key.clone(), Some(row));
        }
        self.expects
            .push((clock_key, Expectation::unchanged(self.clock_row)));
        let commit = Commit {
            expects: self.expects,
            writes: self.writes.into_all(),
        };
        match self.storage.commit(commit).await {
            Ok(()) => Ok(true),
            Err(CommitError::Conflict) => Ok(false),
            Err(CommitError::Storage(error)) => Err(error.into()),
        }
    }
}
