//! The clocks of locations at which nothing happens.
//!
//! Whoever follows a location goes on from its clock. Tombstones are kept for 90 days, so a time
//! that is older is refused, also where nothing was deleted since. The clock of an idle location is
//! therefore moved up in time: a follower that asks once a month is never refused.

use uuid::Uuid;

use super::super::connect::Connect;
use crate::{
    transaction::{ChangeClock, Fault, clock_key},
    wire::{
        Timestamp,
        limits::{EVENT_DAYS, TOMBSTONE_DAYS},
    },
};

const DAY: i64 = 24 * 3600;

/// The age at which a clock is moved: a month before its time is too old to follow.
const OLDEST: i64 = (TOMBSTONE_DAYS - 30) * DAY;
/// The age to which it is moved. A machine whose clock is ahead by weeks thus dates nothing ahead, and
/// the clock stays older than events are kept: a younger one says that there are some.
const MOVED_TO: i64 = (OLDEST + EVENT_DAYS * DAY) / 2;

impl Connect {
    /// Moves the clock of a location that was idle for long. A write at the same time has moved it
    /// itself.
    pub(super) async fn move_idle_clock(&self, at: Uuid, now: Timestamp) -> Result<(), Fault> {
        let key = clock_key(at);
        let Some(row) = self.store().get(&key).await? else {
            return Ok(());
        };
        let clock = ChangeClock::read(&key, Some(&row))?;
        if clock.updated_at >= now.plus_seconds(-OLDEST) {
            return Ok(());
        }
        let time = now.plus_seconds(-MOVED_TO);
        let commit = clock.moving_to(time, self.store().nonce(), (key, Some(row)))?;
        self.store().commit(commit).await.map(|_| ())
    }
}
