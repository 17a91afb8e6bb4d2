//! Leases: what is held for some time at most.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    task::AbortHandle,
    time::Instant,
};

/// Something that is held until this is dropped, or until the time is over.
pub(super) struct Lease<T> {
    held: Arc<Mutex<Option<T>>>,
    until: Instant,
    expiry: AbortHandle,
}

impl<T: Send + 'static> Lease<T> {
    /// Holds something from now on.
    pub(super) fn new(held: T, time: Duration) -> Self {
        let held = Arc::new(Mutex::new(Some(held)));
        let until = Instant::now() + time;
        let expiring = held.clone();
        let expiry = tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            expiring.lock().await.take();
        });
        Self {
            held,
            until,
            expiry: expiry.abort_handle(),
        }
    }

    /// Returns what is held; nothing once the lease is over. For as long as the result is kept, the
    /// lease does not end.
    pub(super) async fn held(&self) -> OwnedMutexGuard<Option<T>> {
        let mut held = self.held.clone().lock_owned().await;
        // Late is late, even if the task that ends the lease has not run yet.
        if Instant::now() >= self.until {
            held.take();
        }
        held
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        self.expiry.abort();
        // Whoever still works with it gives it up when that ends.
        if let Ok(mut held) = self.held.try_lock() {
            held.take();
        }
    }
}
