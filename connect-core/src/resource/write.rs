//! The order of every write. The caller has been let in ([`Access`]); what then happens, happens
//! in this order:
//!
//! 1. The idempotency key: a stored answer is returned, another request's key is a conflict.
//! 2. The form of the body, then its fields.
//! 3. The change, on the state as it is.
//! 4. One commit: the rows, their indexes, the events, the stored answer, the location's clock.

use async_trait::async_trait;

use super::{
    Access, Answer, Connect, Failure, FailureKind, FromJson, Input, Request,
    lane::{self, Change, Job},
    stored_answer::{answer_key, replay, store},
};
use crate::record::{Fault, Unit};

impl Connect {
    /// Does a write in the order of this file. `change` makes the change of the body.
    pub(super) async fn write<T: FromJson>(
        &self,
        at: &Access,
        request: Request<T>,
        change: impl FnOnce(T) -> Result<Box<dyn Change>, Failure>,
    ) -> Result<Answer, Failure> {
        if let Some(idempotency) = &request.idempotency {
            let key = answer_key(at.caller(), &idempotency.key);
            let stored = self
                .core
                .storage
                .get(&[&key])
                .await
                .map_err(Fault::from)?
                .pop()
                .flatten();
            if let Some(answer) = replay(&key, stored.as_ref(), idempotency, self.now())? {
                return answer;
            }
        }
        let (input, is_rehearsal) = match request.input {
            Input::Json(json) => match T::from_json(&json) {
                Ok(input) => (Ok(input), false),
                Err(error) => (Err(error.into()), T::is_rehearsal(&json)),
            },
            Input::Value(value) => (Ok(value), false),
            Input::Refused(failure) => (Err(failure), false),
        };
        let change = match input.and_then(change) {
            Ok(change) => change,
            // Without a key there is nothing to remember the refusal under.
            Err(failure) if request.idempotency.is_none() || is_rehearsal => return Err(failure),
            Err(failure) => Box::new(Refused(failure)),
        };
        let job = Job {
            change,
            at: at.clone(),
            idempotency: request.idempotency,
        };
        lane::run(&self.core, job).await
    }
}

/// One operation of a unit: returns the stored answer, or does the change and stores its answer.
pub(super) async fn perform(unit: &mut Unit<'_>, job: &Job) -> Result<Answer, Failure> {
    unit.next_operation();
    let Some(idempotency) = &job.idempotency else {
        return attempt(unit, job).await;
    };
    let key = answer_key(job.at.caller(), &idempotency.key);
    let stored = unit.get(&key).await?;
    if let Some(answer) = replay(&key, stored.as_ref(), idempotency, unit.now())? {
        return answer;
    }
    let outcome = attempt(unit, job).await;
    let is_kept = match &outcome {
        Ok(_) => !job.change.is_rehearsal(),
        Err(failure) => failure.kind != FailureKind::Server && !job.change.is_rehearsal(),
    };
    if is_kept {
        store(unit, job.at.caller(), idempotency, key, &outcome)?;
    }
    outcome
}

/// Does the change; a failed one, and a rehearsal, leave nothing.
async fn attempt(unit: &mut Unit<'_>, job: &Job) -> Result<Answer, Failure> {
    unit.try_out();
    let outcome = job.change.apply(unit, &job.at).await;
    if outcome.is_err() || job.change.is_rehearsal() {
        unit.take_back();
    } else {
        unit.keep();
    }
    outcome
}

/// A write whose body was refused. It is queued all the same when it has an idempotency key, so
/// that the refusal is stored like every other answer.
struct Refused(Failure);

#[async_trait]
impl Change for Refused {
    async fn apply(&self, _: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        Err(self.0.clone())
    }
}
