//! Rules of image jobs: due times and the number of attempts.

use crate::wire::{ImageJob, ImageStatus, Timestamp};

/// The most attempts of a download.
pub(crate) const MOST_ATTEMPTS: u32 = 3;

/// The seconds of a worker's exclusive hold on a job.
/// After them an unfinished worker counts as dead, and another takes the job over. The work on the job
/// ends [earlier](super::lease::LEASE_MARGIN).
pub(crate) const LEASE: i64 = 120;

/// The seconds before the second try, and before the third.
const PAUSES: [i64; 2] = [10, 60];

/// The due time of a job; `None` once it has ended.
///
/// It follows from the other fields of the job. A job without an attempt is due at once. After a failed
/// attempt, a job is due after a pause. A job in progress is due at the end of the lease.
pub(crate) fn due_at(job: &ImageJob) -> Option<Timestamp> {
    if job.status != ImageStatus::Pending {
        return None;
    }
    let Some(last) = job.attempts.checked_sub(1) else {
        return Some(job.updated_at);
    };
    let wait = match job.error {
        Some(_) => PAUSES[(last as usize).min(PAUSES.len() - 1)],
        None => LEASE,
    };
    Some(job.updated_at.plus_seconds(wait))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ImageError, ImageErrorCode};

    #[test]
    fn a_job_is_due_by_what_happened_last() {
        let failed = Some(ImageError {
            code: ImageErrorCode::Timeout,
            message: "Too slow.".into(),
        });
        for (attempts, error, wait) in [
            (0, None, 0),
            (1, None, LEASE),
            (1, failed.clone(), 10),
            (2, None, LEASE),
            (2, failed.clone(), 60),
            (MOST_ATTEMPTS, failed, 60),
        ] {
            let mut job = ImageJob {
                id: uuid::Uuid::nil().into(),
                product_id: uuid::Uuid::nil().into(),
                source_url: String::new(),
                status: ImageStatus::Pending,
                error,
                attempts,
                created_at: Timestamp::EPOCH,
                updated_at: Timestamp::EPOCH.plus_seconds(1000),
            };
            let due = Timestamp::EPOCH.plus_seconds(1000 + wait);
            assert_eq!(due_at(&job), Some(due), "{attempts}");
            for ended in [ImageStatus::Done, ImageStatus::Failed] {
                job.status = ended;
                assert_eq!(due_at(&job), None);
            }
        }
    }
}
