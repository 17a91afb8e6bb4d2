//! Periodic maintenance.
//! It seals secrets by the first key, purges expired rows, queues mail about tokens that expire soon, erases
//! accounts whose grace time is over, moves the clocks of idle locations, and stores the last uses of tokens.
//!
//! Purging uses the monotonic clock of the process, so a step of the machine's clock purges nothing.

mod erasure;
mod idle;
mod purge;
mod secrets;

use std::time::Duration;

pub use self::purge::Maintenance;
use self::purge::Purge;
pub use self::secrets::StoredSecrets;
use super::connect::Connect;
use crate::{
    storage::{Commit, Key, Value, Write},
    transaction::{
        Account, Error, Fault, Token,
        environment::Skew,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{Id, Timestamp},
};

/// The largest trusted distance of the clock from the last round.
/// After a larger one, nothing is purged for as long.
const DOUBT: Duration = Duration::from_secs(3600);

impl Connect {
    /// Checks reads and commits of the storage, for a health probe.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn check_ready(&self) -> Result<(), Error> {
        self.store().get(&maintenance_key()).await?;
        // An empty commit takes the way of every commit, and costs no flush.
        self.store().commit(Commit::default()).await?;
        Ok(())
    }

    /// Runs one round of maintenance.
    /// Call it every minute or so. Leaving it out costs space, but never correctness. Without it a location
    /// idle for 90 days can only be followed from the beginning, and no mail is sent before a token expires.
    ///
    /// # Errors
    /// The storage failed as a whole; the next round continues from there.
    pub async fn maintain(&self) -> Result<Maintenance, Error> {
        self.flush_token_usage().await?;
        if let Err(error) = self.flush_requests().await {
            let cause = error.cause();
            tracing::warn!(%cause, "the last requests of tokens were not saved");
        }
        // Whatever the clock says.
        let sealed = self.seal_secrets().await?;
        let now = self.now();
        if !self.may_purge(now).await? {
            return Ok(Maintenance {
                sealed,
                is_held_off: true,
                ..Maintenance::default()
            });
        }
        let mut done = Purge::new(self, now).run().await?;
        let (erased, failed) = self.go_on_erasing(now).await?;
        done.failed += failed;
        if let Err(error) = self.remove_erased_images(now).await {
            let cause = error.cause();
            tracing::error!(%cause, "images of erased products are not removed yet; the next round tries again");
            done.failed += 1;
        }
        Ok(Maintenance {
            sealed,
            erased,
            ..done
        })
    }

    /// Returns true if the clock can be trusted for purging.
    /// The clock is in doubt while it differs from the time counted by this process. In the first hour
    /// after a start, it is also in doubt if it differs by more than an hour from the last round of the
    /// previous process: that process may have ended long ago, or the clock may be wrong, and an hour is
    /// time to find out.
    ///
    /// A round with a clock in doubt records nothing. Otherwise a restarted process would find its own
    /// wrong time confirmed.
    async fn may_purge(&self, now: Timestamp) -> Result<bool, Error> {
        if let Some(drift) = self.store().skew() {
            tracing::error!(%drift, "nothing is purged: restart the service once the clock is right");
            return Ok(false);
        }
        let is_continuous = match self.last_maintenance().await {
            Ok(None) => true,
            Ok(Some(last)) => now.seconds().abs_diff(last.seconds()) <= DOUBT.as_secs(),
            // The row is rewritten once this process has counted an hour itself.
            Err(_) => false,
        };
        if !is_continuous && self.store().uptime() < DOUBT {
            tracing::warn!(
                %now,
                "nothing is purged yet: the last round and the clock are more than an hour apart"
            );
            return Ok(false);
        }
        self.accept_clock().await?;
        Ok(true)
    }

    /// Records the present time as correct.
    /// [`maintain`](Self::maintain) does so in every round with a trusted clock; an operator certain of the
    /// clock may do it at a start.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn accept_clock(&self) -> Result<(), Error> {
        let row = format!("\"{}\"", self.now()).into_bytes();
        let commit = Commit {
            writes: vec![(maintenance_key(), Write::Put(row.into()))],
            ..Commit::default()
        };
        self.store().commit(commit).await?;
        Ok(())
    }

    /// Stores the clock lead of a sandbox, in seconds.
    /// Each process on the store reads it.
    ///
    /// # Errors
    /// The storage failed; the lead may have been stored all the same.
    pub async fn keep_clock_lead(&self, seconds: u64) -> Result<(), Error> {
        let row = seconds.to_string().into_bytes();
        let commit = Commit {
            writes: vec![(clock_lead_key(), Write::Put(row.into()))],
            ..Commit::default()
        };
        self.store().commit(commit).await?;
        Ok(())
    }

    /// Returns the clock lead of a sandbox in seconds, as [stored](Self::keep_clock_lead).
    ///
    /// # Errors
    /// The storage failed, or the row is damaged.
    pub async fn clock_lead(&self) -> Result<u64, Error> {
        let key = clock_lead_key();
        let row = self.store().get(&key).await?;
        let lead = row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e)));
        Ok(lead.transpose()?.unwrap_or(0))
    }

    /// Returns true if the service was built to send and download nothing.
    pub fn holds_deliveries(&self) -> bool {
        self.store().environment().holds_deliveries
    }

    /// The distance of the machine's clock from the time in use, while distrusted.
    pub fn clock_skew(&self) -> Option<Skew> {
        self.store().skew()
    }

    /// Returns the start of the last maintenance round with a trusted clock.
    /// It may have run in this process or an earlier one.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn last_maintenance(&self) -> Result<Option<Timestamp>, Error> {
        let key = maintenance_key();
        let row = self.store().get(&key).await?;
        let time = row.map(|row| serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e)));
        Ok(time.transpose()?)
    }

    /// Stores the last uses of tokens, for other processes and the next start.
    /// Call it twice a minute, and once more before the process ends.
    ///
    /// # Errors
    /// The storage failed; the next round tries again.
    pub async fn flush_token_usage(&self) -> Result<(), Error> {
        let _turn = self.core.admission.writing_uses.lock().await;
        // They stay in memory until stored, so a list of tokens includes them meanwhile.
        let uses = self.core.admission.uses.lock().clone();
        if uses.is_empty() {
            return Ok(());
        }
        let write = |(token, (account, at)): (&Id<Token>, &(Id<Account>, Timestamp))| {
            let row = Value::from(format!("\"{at}\"").into_bytes());
            let key = key(
                account.uuid(),
                Family::TokenUse,
                &[KeyPart::Id(token.uuid())],
            );
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
    key(GLOBAL, Family::ClockLead, &[])
}

fn maintenance_key() -> Key {
    key(GLOBAL, Family::Maintenance, &[])
}
