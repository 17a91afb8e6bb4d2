//! The clocks of idle locations.
//!
//! A client following a location continues from its clock. Tombstones are kept for 90 days, so an older
//! time is refused, even if nothing was deleted since. The clock of an idle location is therefore moved
//! forward: a client asking once a month is never refused.

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

/// The age of a clock to be moved.
/// A month later, its time would be too old to follow.
const OLDEST: i64 = (TOMBSTONE_DAYS - 30) * DAY;
/// The age of the clock after the move.
/// So a machine with a clock ahead by weeks sets no time in the future. The clock also stays older than the
/// retention of events: a younger one would mean there are some.
const MOVED_TO: i64 = (OLDEST + EVENT_DAYS * DAY) / 2;

impl Connect {
    /// Moves the clock of a location idle for long.
    /// If the commit meets a concurrent write, that write has moved the clock.
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
