//! Leases: values held for a limited time.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    task::AbortHandle,
    time::Instant,
};

/// A value, held until this is dropped or the time is over.
pub(super) struct Lease<T> {
    held: Arc<Mutex<Option<T>>>,
    until: Instant,
    expiry: AbortHandle,
}

impl<T: Send + 'static> Lease<T> {
    /// Holds a value from now on.
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

    /// Returns the held value, or `None` once the lease is over.
    /// While the result is kept, the lease does not end.
    pub(super) async fn held(&self) -> OwnedMutexGuard<Option<T>> {
        let mut held = self.held.clone().lock_owned().await;
        // Past the deadline the lease is over, even if the task that ends it has not run yet.
        if Instant::now() >= self.until {
            held.take();
        }
        held
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        self.expiry.abort();
        // If the value is in use, its user releases it at the end.
        if let Ok(mut held) = self.held.try_lock() {
            held.take();
        }
    }
}
