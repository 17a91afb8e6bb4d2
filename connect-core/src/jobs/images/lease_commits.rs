//! A worker's two commits at a location: the lease, and the outcomes.

use std::ops::AddAssign;

use uuid::Uuid;

use crate::{
    jobs::queue::QueuedItem,
    resources::{images as jobs, products},
    rules::image::MOST_ATTEMPTS,
    transaction::{End, Fault, Reads, Store, UnitOfWork, environment::ImageFailure},
    wire::{Id, ImageError, ImageJob, ImageStatus, Product},
};

/// The number of image jobs, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageWork {
    /// Images taken over.
    pub done: usize,
    /// Images not taken over.
    pub failed: usize,
    /// Downloads with a retry to come.
    pub postponed: usize,
    /// Outdated downloads, with nothing written.
    /// Their product was deleted or given another link, or another worker took them over.
    pub moot: usize,
    /// Jobs returned to the queue, not begun or not completed.
    pub given_back: usize,
}

impl ImageWork {
    /// Returns whether no job made progress.
    pub(super) fn is_nothing(&self) -> bool {
        self.done + self.failed + self.postponed + self.moot == 0
    }
}

impl AddAssign for ImageWork {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.failed += other.failed;
        self.postponed += other.postponed;
        self.moot += other.moot;
        self.given_back += other.given_back;
    }
}

/// A job leased by a worker.
#[derive(Clone, Debug)]
pub(super) struct LeasedJob {
    /// The job before the lease.
    before: ImageJob,
    /// The stored job.
    /// Another lease of it has another time, or one more attempt.
    pub(super) job: ImageJob,
}

impl LeasedJob {
    /// Returns whether all attempts are used up.
    /// The workers died of the job, or something else ended them each time.
    pub(super) fn is_used_up(&self) -> bool {
        self.before.attempts >= MOST_ATTEMPTS
    }
}

/// The result of a download; `None` if not begun or not completed.
pub(super) type Outcome = Option<Result<String, ImageFailure>>;

/// Leases the jobs of a location still at their place in the queue.
pub(super) async fn lease(
    store: &Store,
    location: Uuid,
    queued: &[QueuedItem],
) -> Result<Vec<LeasedJob>, Fault> {
    let committed = store.transact(location, |mut unit| async move {
        let mut reads = Reads::of(location);
        for queued in queued {
            reads.row(queued.entry.clone());
            reads.row(jobs::row_key(location, queued.id));
        }
        unit.load(reads).await?;
        let mut leased = Vec::with_capacity(queued.len());
        for queued in queued {
            if unit.get(&queued.entry).await?.is_none() {
                // Another worker was faster, or the job was cancelled.
                continue;
            }
            let job = jobs::find(&mut unit, queued.id).await?;
            let is_there =
                |job: &ImageJob| jobs::queue_key(location, job).as_ref() == Some(&queued.entry);
            let Some(before) = job.filter(is_there) else {
                // Left by damage: it would be found again forever.
                unit.delete(queued.entry.clone());
                continue;
            };
            let job = ImageJob {
                attempts: (before.attempts + 1).min(MOST_ATTEMPTS),
                error: None,
                updated_at: unit.now(),
                ..before.clone()
            };
            jobs::save(&mut unit, Some(&before), &job);
            leased.push(LeasedJob { before, job });
        }
        Ok(End::commit(unit, leased))
    });
    committed.await
}

/// Records the outcomes of leased jobs in one commit.
/// It adds one event for all changed products.
pub(super) async fn finish(
    store: &Store,
    location: Uuid,
    ended: &[(LeasedJob, Outcome)],
) -> Result<ImageWork, Fault> {
    let committed = store.transact(location, |mut unit| async move {
        let mut reads = Reads::of(location);
        for (leased, _) in ended {
            reads.record::<Product>(leased.job.product_id.uuid());
            jobs::reads(location, leased.job.product_id, &mut reads);
        }
        unit.load(reads).await?;
        let mut work = ImageWork::default();
        let mut changed = Vec::new();
        for (leased, outcome) in ended {
            end(&mut unit, leased, outcome, &mut work, &mut changed).await?;
        }
        products::emit_changed(&mut unit, "images", &changed);
        Ok(End::commit(unit, work))
    });
    committed.await
}

/// Ends one job, if it is still the leased one.
async fn end(
    unit: &mut UnitOfWork<'_>,
    leased: &LeasedJob,
    outcome: &Outcome,
    work: &mut ImageWork,
    changed: &mut Vec<Uuid>,
) -> Result<(), Fault> {
    let LeasedJob { before, job } = leased;
    let id: Id<Product> = job.product_id;
    if jobs::of_product(unit, id).await?.as_ref() != Some(job) {
        work.moot += 1;
        return Ok(());
    }
    let Some(result) = outcome else {
        jobs::save(unit, Some(job), before);
        work.given_back += 1;
        return Ok(());
    };
    let error = result.as_ref().err().map(|failure| ImageError {
        code: failure.code.clone(),
        message: failure.message.clone(),
    });
    let may_try_again = |failure: &ImageFailure| {
        failure.may_pass && job.attempts < MOST_ATTEMPTS && !leased.is_used_up()
    };
    let status = match result {
        Ok(_) => ImageStatus::Done,
        Err(failure) if may_try_again(failure) => ImageStatus::Pending,
        Err(_) => ImageStatus::Failed,
    };
    let ended = ImageJob {
        status,
        error,
        updated_at: unit.now(),
        ..job.clone()
    };
    jobs::save(unit, Some(job), &ended);
    match ended.status {
        ImageStatus::Done => work.done += 1,
        ImageStatus::Failed => work.failed += 1,
        _ => {
            work.postponed += 1;
            return Ok(());
        }
    }
    if let Some(old) = unit.find::<Product>(id.uuid()).await? {
        unit.update_with(&old, |product| {
            if let Ok(copy) = result {
                product.image_url = Some(copy.clone());
            }
            product.image_status = Some(ended.status);
            product.image_error = ended.error.map(|error| error.message);
        });
        changed.push(id.uuid());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_added_up_by_what_has_become_of_it() {
        let work = |done, failed, postponed, moot, given_back| ImageWork {
            done,
            failed,
            postponed,
            moot,
            given_back,
        };
        let mut all = work(1, 2, 3, 4, 5);
        all += work(10, 20, 30, 40, 50);
        all += ImageWork::default();
        assert_eq!(all, work(11, 22, 33, 44, 55));
        // A job that was given back is no further than it was.
        for (work, is_nothing) in [
            (ImageWork::default(), true),
            (work(0, 0, 0, 0, 1), true),
            (work(1, 0, 0, 0, 0), false),
            (work(0, 1, 0, 0, 0), false),
            (work(0, 0, 1, 0, 0), false),
            (work(0, 0, 0, 1, 0), false),
        ] {
            assert_eq!(work.is_nothing(), is_nothing, "{work:?}");
        }
    }
}
