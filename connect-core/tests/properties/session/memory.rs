//! Which idempotency keys were used for what.

use std::collections::BTreeMap;

use connect_core::wire::Timestamp;

use super::Call;
use crate::calls::Reply;

/// The last use of each key by a caller, and every call with a key.
#[derive(Default)]
pub(crate) struct Memory {
    uses: BTreeMap<(usize, &'static str), (Call, Timestamp, Reply)>,
    pub(crate) calls: Vec<Call>,
}

/// What is known of a call with a key.
pub(crate) enum Remembered<'m> {
    /// It was made before, with this reply.
    Before(&'m Reply),
    /// Its key was used for another.
    Otherwise,
    /// It has no key, or one that is free.
    Never,
}

impl Memory {
    pub(crate) fn recall(&self, call: &Call, now: Timestamp) -> Remembered<'_> {
        let used = call.key.and_then(|key| self.uses.get(&(call.by, key)));
        match used.filter(|(_, until, _)| now < *until) {
            Some((before, _, reply)) if before == call => Remembered::Before(reply),
            Some(_) => Remembered::Otherwise,
            None => Remembered::Never,
        }
    }

    /// A key is remembered for a day, a register's for seven.
    pub(crate) fn keep(&mut self, call: &Call, now: Timestamp, reply: &Reply) {
        let days = if call.by == 0 { 1 } else { 7 };
        let use_of_it = (call.clone(), now.plus_seconds(days * 86_400), reply.clone());
        self.uses
            .extend(call.key.map(|key| ((call.by, key), use_of_it)));
    }

    /// Forgets the uses that are over. Returns their number.
    pub(crate) fn purge(&mut self, now: Timestamp) -> usize {
        let before = self.uses.len();
        self.uses.retain(|_, (_, until, _)| now < *until);
        before - self.uses.len()
    }
}
