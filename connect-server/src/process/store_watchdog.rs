//! Watches the health of the store while the server runs.
//! A server with a dead store ends, so its supervisor starts it again or reports it.

use std::time::Duration;

use connect_core::storage::disk::Health;
use tokio::{sync::watch, time::Instant};

/// The time limit for reopening a failed store before giving up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time between two checks of its health.
const LOOK: Duration = Duration::from_secs(1);

/// Stops the server after a minute of constant failure, and returns the store's last error.
pub(crate) async fn until_dead(health: impl Fn() -> Health, stop: watch::Sender<bool>) -> String {
    let mut looks = tokio::time::interval(LOOK);
    let mut failing_since = None;
    loop {
        looks.tick().await;
        match health() {
            Health::Failed { reason } => {
                let since = *failing_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= PATIENCE {
                    tracing::error!(%reason, "the store could not be opened again for a minute: stopping");
                    stop.send_replace(true);
                    return reason;
                }
            }
            // Reopening cures no damage. The next start would refuse a newer store: until then, this outdated
            // server reports why it is not ready.
            Health::Working | Health::Full | Health::Damaged { .. } | Health::Outdated => {
                failing_since = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn failed() -> Health {
        Health::Failed {
            reason: "input/output error".to_owned(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_stays_dead_is_given_up_after_a_minute() {
        let began = Instant::now();
        let (stop, stopped) = watch::channel(false);
        assert_eq!(until_dead(failed, stop).await, "input/output error");
        assert!(began.elapsed() >= PATIENCE && *stopped.borrow());
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_comes_back_is_not() {
        let began = Instant::now();
        // Once every half a minute it works.
        let health = || match began.elapsed().as_secs() % 30 {
            0 => Health::Working,
            _ => failed(),
        };
        let (stop, _) = watch::channel(false);
        let given_up = tokio::time::timeout(PATIENCE * 10, until_dead(health, stop)).await;
        assert!(given_up.is_err(), "{given_up:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_disk_is_no_reason() {
        let asked = Mutex::new(0);
        let health = || {
            *asked.lock().unwrap() += 1;
            Health::Full
        };
        let (stop, _) = watch::channel(false);
        let given_up = tokio::time::timeout(PATIENCE * 3, until_dead(health, stop)).await;
        assert!(given_up.is_err(), "{given_up:?}");
        assert!(*asked.lock().unwrap() > 60);
    }
}
