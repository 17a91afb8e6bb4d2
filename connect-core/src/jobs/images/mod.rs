//! The worker for taking over product images, location by location.
//!
//! ```text
//! queue -> lease (a commit) -> downloads, a few at a time -> what became of them (a commit)
//! ```
//!
//! Any number of workers may run, in any number of processes. The commit of a lease expects the job
//! unchanged, and the commit of its end expects this lease. So old data never overwrites newer data,
//! even after another link, a deletion, a dead worker or an expired lease in between.

mod download_slots;
mod lease_commits;

use std::{fmt::Display, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures_util::{
    FutureExt as _,
    future::{Either, join_all, select},
};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, timeout, timeout_at},
};
use uuid::Uuid;

pub use self::lease_commits::ImageWork;
use self::{
    download_slots::DownloadSlots,
    lease_commits::{LeasedJob, Outcome},
};
use super::{
    queue::{DueGroup, FairQueue},
    worker::{self, Payload, Turn, commit_together},
};
use crate::{
    engine::Connect,
    rules::{image::LEASE, lease::LEASE_MARGIN},
    transaction::{
        Error, Store,
        environment::{ImageFailure, Images},
        keys::Family,
    },
    wire::{ImageErrorCode, ImageJob},
};

/// The downloads of a worker at a time.
/// An account has its part of them: slow hosts of one tenant must not hold up the images of other tenants,
/// even when no other work is to be done.
const DOWNLOADS: usize = 8;

/// The same for one location, in favour of its account's other locations.
const DOWNLOADS_OF_LOCATION: usize = 3;

/// The time limit to begin a leased job; then it is returned.
const BEGIN: Duration = Duration::from_secs(25);

/// The time limit of an image.
const LIMIT: Duration = Duration::from_secs(75);

// What is begun last is written down before the lease is over by any clock.
const _: () = assert!((BEGIN.as_secs() + LIMIT.as_secs()) as i64 + LEASE_MARGIN <= LEASE);

/// The time between two looks for the jobs of other processes.
const POLL: Duration = Duration::from_secs(1);

/// Takes over the images of products. Made by [`Connect::image_worker`].
///
/// Dropping its futures is safe at any point: another worker takes its jobs over within two
/// minutes. [`run`](Self::run) returns them at once when it is told to end.
pub struct ImageWorker {
    connect: Connect,
    images: Arc<dyn Images>,
    downloads: DownloadSlots,
    stop: watch::Sender<bool>,
}

impl Connect {
    /// A worker taking over images for all locations through `images`.
    pub fn image_worker(&self, images: Arc<dyn Images>) -> ImageWorker {
        ImageWorker {
            connect: self.clone(),
            images,
            downloads: DownloadSlots::new(DOWNLOADS),
            stop: watch::Sender::new(false),
        }
    }
}

impl Payload for ImageWorker {
    type Scheduler = FairQueue;
    type Work = ImageWork;

    const NAME: &'static str = "images";
    const GROUPS: usize = 8;
    const IN_PARTS: bool = true;

    fn scheduler() -> FairQueue {
        FairQueue::of(Family::ImageJobByDue)
    }

    fn store(&self) -> &Store {
        self.connect.store()
    }

    fn stop(&self) -> &watch::Sender<bool> {
        &self.stop
    }

    async fn woken(&self) {
        self.connect.store().woken().await;
    }

    /// Handles jobs of one location.
    async fn work(&self, due: DueGroup) -> Result<Turn<ImageWork>, Error> {
        let (location, account) = (due.group, due.account);
        let begin_by = Instant::now() + BEGIN;
        let store = self.connect.store();
        let lease = |items| lease_commits::lease(store, location, items);
        let mut leased = Vec::new();
        for part in commit_together(&due.items, lease).await {
            match part {
                Ok(part) => leased.extend(part),
                Err(fault) => tracing::error!(%fault, %location, "image jobs cannot be begun"),
            }
        }
        let of_location = Semaphore::new(DOWNLOADS_OF_LOCATION);
        let downloads = leased.into_iter().map(async |leased| {
            let turn = async {
                let of_location = of_location.acquire().await;
                (of_location, self.downloads.take(account).await)
            };
            let outcome = self.take_over(&leased, timeout_at(begin_by, turn)).await;
            (leased, outcome)
        });
        let ended = join_all(downloads).await;
        let finish = |ended| lease_commits::finish(store, location, ended);
        let mut work = ImageWork::default();
        for part in commit_together(&ended, finish).await {
            match part {
                Ok(part) => work += part,
                Err(fault) => tracing::error!(%fault, %location, "image jobs cannot be ended"),
            }
        }
        let images = &self.connect.metrics().images;
        images.done.add(work.done);
        images.failed.add(work.failed);
        images.postponed.add(work.postponed);
        tracing::debug!(%location, ?work, "images");
        let has_progress = !work.is_nothing();
        Ok(Turn { work, has_progress })
    }

    fn log_failure(location: Uuid, reason: &dyn Display) {
        tracing::error!(%location, %reason, "the work on images has panicked");
    }
}

impl ImageWorker {
    /// Works until `until` is ready, then returns its jobs.
    ///
    /// A job queued by this process begins at once, a job of another process within a second.
    pub async fn run(self, until: impl Future<Output = ()>) {
        worker::run(self, POLL, until).await;
    }

    /// Handles all due jobs, and returns their outcomes.
    ///
    /// # Errors
    /// The queue cannot be read. A failure at one location is logged, and tried again later.
    pub async fn tick(&self) -> Result<ImageWork, Error> {
        worker::tick(self).await
    }

    /// Downloads the image of a job, if its turn comes in time.
    async fn take_over<T, E>(
        &self,
        leased: &LeasedJob,
        turn: impl Future<Output = Result<T, E>>,
    ) -> Outcome {
        let job = &leased.job;
        if leased.is_used_up() {
            return Some(Err(ended_early()));
        }
        let _turn = turn.await.ok()?;
        let working = AssertUnwindSafe(async { self.images.take_over(&job.source_url).await });
        let working = timeout(LIMIT, working.catch_unwind());
        let mut stopped = self.stop.subscribe();
        let stopped = stopped.wait_for(|stopped| *stopped);
        let result = match select(pin!(working), pin!(stopped)).await {
            Either::Left((Ok(result), _)) => result.unwrap_or_else(|_| Err(ended_early())),
            Either::Left((Err(_), _)) => Err(too_slow()),
            Either::Right(_) => return None,
        };
        if let Err(failure) = &result {
            log_failure(job, failure);
        }
        Some(result)
    }
}

impl std::fmt::Debug for ImageWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImageWorker").finish_non_exhaustive()
    }
}

/// Logs without the link: some links have a key in their query.
fn log_failure(job: &ImageJob, failure: &ImageFailure) {
    let (product, attempt) = (job.product_id, job.attempts);
    tracing::info!(%product, attempt, code = %failure.code, "an image was not copied");
}

fn ended_early() -> ImageFailure {
    let message = "The image could not be processed.";
    ImageFailure::passing(ImageErrorCode::ServerError, message)
}

fn too_slow() -> ImageFailure {
    let message = "The download took too long.";
    ImageFailure::passing(ImageErrorCode::Timeout, message)
}
