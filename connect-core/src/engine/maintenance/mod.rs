//! Periodic maintenance: purges what has expired, moves the clocks of idle locations, counts what older
//! versions have written, and writes down when tokens were last used.
//!
//! Purging rests on the steady clock of the process, so a step of the machine's clock purges
//! nothing.

mod counting;
mod idle;
mod purge;

use std::time::Duration;

pub use self::purge::Maintenance;
use self::purge::Purge;
use super::connect::Connect;
use crate::{
    storage::{Commit, Key, Value, Write},
    transaction::{
        Account, Error, Fault, Token,
        environment::Drift,
        keys::{Family, NOBODY, Part, key},
    },
    wire::{Id, Timestamp},
};

/// The distance that the clock may have from the last round, and the time for which nothing is
/// purged when it has more.
const DOUBT: Duration = Duration::from_secs(3600);

impl Connect {
    /// Checks that the storage reads and takes commits: for a probe.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn check_ready(&self) -> Result<(), Error> {
        self.store().get(&maintenance_key()).await?;
        // A commit of nothing goes the way of every commit, and costs no flush.
        self.store().commit(Commit::default()).await?;
        Ok(())
    }

    /// Does one round of maintenance. Call it every minute or so; to leave it out costs space,
    /// never correctness. Without it a location that was idle for 90 days can only be followed from
    /// the beginning.
    ///
    /// # Errors
    /// The storage failed as a whole; the next round goes on where this one stopped.
    pub async fn maintain(&self) -> Result<Maintenance, Error> {
        self.write_down_uses().await?;
        let now = self.now();
        if !self.may_purge(now).await? {
            return Ok(Maintenance {
                is_held_off: true,
                ..Maintenance::default()
            });
        }
        Ok(Purge::new(self, now).run().await?)
    }

    /// Decides whether the clock is good enough to purge by. It is in doubt while it differs from
    /// the time that this process has counted; and in the first hour after a start, when it
    /// differs by more than an hour from the last round of the process before: that one may have
    /// ended long ago, or the clock may be wrong, and an hour is time to find out.
    ///
    /// A round with a clock in doubt leaves no trace. Otherwise a process that is started again
    /// would find its own wrong time confirmed.
    async fn may_purge(&self, now: Timestamp) -> Result<bool, Error> {
        if let Some(drift) = self.store().drift() {
            tracing::error!(%drift, "nothing is purged: restart the service once the clock is right");
            return Ok(false);
        }
        let is_continuous = match self.last_maintenance().await {
            Ok(None) => true,
            Ok(Some(last)) => now.seconds().abs_diff(last.seconds()) <= DOUBT.as_secs(),
            // The row is written anew once this process has counted an hour itself.
            Err(_) => false,
        };
        if !is_continuous && self.store().uptime() < DOUBT {
            tracing::warn!(%now, "nothing is purged yet: the last round was not within an hour");
            return Ok(false);
        }
        self.trust_clock().await?;
        Ok(true)
    }

    /// Writes down that the clock is right now. [`maintain`](Self::maintain) does so with every
    /// round in which the clock is not in doubt; an operator who knows better may do it at a start.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn trust_clock(&self) -> Result<(), Error> {
        let row = format!("\"{}\"", self.now()).into_bytes();
        let commit = Commit {
            writes: vec![(maintenance_key(), Write::Put(row.into()))],
            ..Commit::default()
        };
        self.store().commit(commit).await?;
        Ok(())
    }

    /// Writes down by how many seconds the clock of a sandbox is ahead, for each process that opens the store.
    ///
    /// # Errors
    /// The storage failed; it may have been written down all the same.
    pub async fn keep_clock_lead(&self, seconds: u64) -> Result<(), Error> {
        let row = seconds.to_string().into_bytes();
        let commit = Commit {
            writes: vec![(clock_lead_key(), Write::Put(row.into()))],
            ..Commit::default()
        };
        self.store().commit(commit).await?;
        Ok(())
    }

    /// Returns the seconds by which the clock of a sandbox is ahead, as they were [kept](Self::keep_clock_lead).
    ///
    /// # Errors
    /// The storage failed, or the row is damaged.
    pub async fn clock_lead(&self) -> Result<u64, Error> {
        let key = clock_lead_key();
        let row = self.store().get(&key).await?;
        let lead = row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e)));
        Ok(lead.transpose()?.unwrap_or(0))
    }

    /// Returns whether nothing is sent or downloaded, as the service was built.
    pub fn holds_deliveries(&self) -> bool {
        self.store().environment().holds_deliveries
    }

    /// The distance of the machine's clock from the time that is used, while it is not believed.
    pub fn clock_drift(&self) -> Option<Drift> {
        self.store().drift()
    }

    /// Returns the time at which maintenance last began with a clock that was not in doubt, in this
    /// process or in one before.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn last_maintenance(&self) -> Result<Option<Timestamp>, Error> {
        let key = maintenance_key();
        let row = self.store().get(&key).await?;
        let time = row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e)));
        Ok(time.transpose()?)
    }

    /// Writes down when tokens were last used, so that other processes know it too, and the next start does.
    /// Call it twice a minute, and last before the process ends.
    ///
    /// # Errors
    /// The storage failed; the next round tries again.
    pub async fn write_down_uses(&self) -> Result<(), Error> {
        let _turn = self.core.admission.writing_uses.lock().await;
        // They stay in memory until they are written: whoever lists tokens meanwhile sees them there.
        let uses = self.core.admission.uses.lock().clone();
        if uses.is_empty() {
            return Ok(());
        }
        let write = |(token, (account, at)): (&Id<Token>, &(Id<Account>, Timestamp))| {
            let row = Value::from(format!("\"{at}\"").into_bytes());
            let key = key(account.uuid(), Family::TokenUse, &[Part::Id(token.uuid())]);
            (key, Write::Put(row))
        };
        let commit = Commit {
            writes: uses.iter().map(write).collect(),
            ..Commit::default()
        };
        self.store().commit(commit).await?;
        let mut pending = self.core.admission.uses.lock();
        pending.retain(|token, used| uses.get(token) != Some(used));
        Ok(())
    }
}

fn clock_lead_key() -> Key {
    key(NOBODY, Family::ClockLead, &[])
}

fn maintenance_key() -> Key {
    key(NOBODY, Family::Maintenance, &[])
}
