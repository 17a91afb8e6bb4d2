//! The limit of concurrent password hashing.

use std::sync::Arc;

use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::transaction::{Error, Fault, Reason};

/// The most callers waiting for a slot.
/// Beyond them an answer would take seconds, so further callers are refused at once.
const MAX_QUEUE: usize = 100;

/// The seconds until a refused caller may retry.
/// By then a full queue has been served.
const RETRY_AFTER: i64 = 5;

/// A few slots, and a bounded queue for them.
pub(super) struct ConcurrencyLimit {
    free: Arc<Semaphore>,
    line: Semaphore,
}

impl ConcurrencyLimit {
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(places)),
            line: Semaphore::new(MAX_QUEUE),
        }
    }

    /// Runs a job in one of the slots, off the request threads.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the queue is full.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let place = {
            let _in_line = self.line.try_acquire().map_err(|_| full())?;
            // The semaphore is never closed.
            self.free.clone().acquire_owned().await
        };
        // The job keeps its slot, and runs on when the caller has gone.
        let job = move || {
            let _place = place;
            job()
        };
        Ok(spawn_blocking(job).await.map_err(|_| Fault::Panicked)?)
    }
}

fn full() -> Error {
    let problem = format!("too many sign in at this moment; wait {RETRY_AFTER} seconds");
    Error::RateLimited(Reason::new(problem).with_retry_after(RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use tokio::{
        task::{JoinSet, yield_now},
        time::timeout,
    };

    use super::*;

    /// Once, a caller's disconnect freed the slot while the hash went on.
    #[tokio::test]
    async fn a_place_is_taken_until_its_job_is_done() {
        let places = ConcurrencyLimit::new(2);
        let (done, is_done) = mpsc::channel::<()>();
        let job = places.run(move || is_done.recv().is_ok());
        timeout(Duration::from_millis(50), job).await.unwrap_err();
        assert_eq!(places.free.available_permits(), 1);
        done.send(()).unwrap();
        let _all = places.free.acquire_many(2).await.unwrap();
    }

    #[tokio::test]
    async fn who_finds_a_full_line_is_told_to_come_back() {
        let places = Arc::new(ConcurrencyLimit::new(1));
        let (done, is_done) = mpsc::channel::<()>();
        let mut jobs = JoinSet::new();
        let at_place = places.clone();
        jobs.spawn(async move { at_place.run(move || is_done.recv().is_ok()).await });
        while places.free.available_permits() > 0 {
            yield_now().await;
        }
        for _ in 0..MAX_QUEUE {
            let places = places.clone();
            jobs.spawn(async move { places.run(|| true).await });
        }
        while places.line.available_permits() > 0 {
            yield_now().await;
        }
        let Err(Error::RateLimited(refused)) = places.run(|| true).await else {
            panic!("the line has no end")
        };
        assert_eq!(refused.retry_after, Some(5));
        done.send(()).unwrap();
        // Each queued caller has its turn.
        for ended in jobs.join_all().await {
            assert!(ended.unwrap());
        }
        assert!(places.run(|| true).await.unwrap());
    }
}
