//! The order of every write.
//! The caller is authorized ([`Access`]); then these steps follow:
//!
//! 1. The current rights of the caller.
//! 2. The idempotency key: a stored answer is returned, another request's key is a conflict.
//! 3. The form of the body, then its fields.
//! 4. The change, on the current state.
//! 5. One commit: the rows, their indexes, the events, the stored answer, the location's clock. It expects
//!    the rows of token and account as read, so nothing is saved after an acknowledged revocation.

use super::{
    answer::Answer,
    change::Job,
    room::{Room, check_bytes},
    stored_answer::{answer_key, replay, store},
};
use crate::{
    auth::Access,
    transaction::{Error, Reads, Refusal, UnitOfWork},
};

/// Adds the first reads of every write, and those of its change.
pub(crate) fn reads(job: &Job, reads: &mut Reads) {
    job.at.reads(reads);
    if let Some(idempotency) = &job.idempotency {
        reads.row(answer_key(job.at.actor().id(), &idempotency.key));
    }
    job.change.reads(&job.at, reads);
}

/// Performs one operation of a unit.
/// Returns the stored answer, or makes the change and stores its answer.
pub(crate) async fn perform(unit: &mut UnitOfWork<'_>, job: &Job) -> Result<Answer, Refusal> {
    unit.next_operation();
    let renewed = job.at.confirm(unit).await?;
    let at = renewed.as_ref().unwrap_or(&job.at);
    let Some(idempotency) = &job.idempotency else {
        return Ok(attempt(unit, job, at).await?);
    };
    let caller = at.actor();
    let key = answer_key(caller.id(), &idempotency.key);
    let stored = unit.get(&key).await?;
    if let Some(answer) = replay(&caller, &key, stored.as_ref(), idempotency, unit.now())? {
        return answer;
    }
    // The savepoint covers the change and its answer: either both are kept or neither.
    unit.savepoint();
    let outcome = attempt(unit, job, at).await;
    // A write refused by a storage limit may succeed later.
    let may_be_done_later = matches!(&outcome, Err(Error::Internal(_) | Error::LimitReached(_)));
    let is_kept = !job.change.is_dry_run() && !may_be_done_later;
    if is_kept && let Err(fault) = store(unit, &caller, idempotency, key, &outcome) {
        unit.rollback();
        return Err(fault.into());
    }
    unit.release();
    Ok(outcome?)
}

/// Makes the change; a failed one, and a dry run, are rolled back.
async fn attempt(unit: &mut UnitOfWork<'_>, job: &Job, at: &Access) -> Result<Answer, Error> {
    unit.savepoint();
    let before = unit.account_bytes();
    let mut outcome = job.change.apply(unit, at).await;
    if outcome.is_ok() && job.change.room() == Room::Whole {
        outcome = check_bytes(unit, at, before).and(outcome);
    }
    if outcome.is_err() || job.change.is_dry_run() {
        unit.rollback();
    } else {
        unit.release();
    }
    outcome
}
