//! The order of every write. The caller has been let in ([`Access`]); what then happens, happens
//! in this order:
//!
//! 1. The idempotency key: a stored answer is returned, another request's key is a conflict.
//! 2. The form of the body, then its fields.
//! 3. The change, on the state as it is.
//! 4. One commit: the rows, their indexes, the events, the stored answer, the location's clock.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, FailureKind, Outcome,
    lane::{self, Change, Job},
};
use crate::{
    record::{
        Fault, Unit,
        keys::{Family, NOBODY, Part, key},
    },
    rules::idempotency::{self, Fingerprint, IdempotencyKey},
    storage::{Key, Value},
    wire::{
        CategoryInput, ProductInput, Timestamp,
        read::{BatchRequest, ReadError},
    },
};

/// The idempotency key of a request and what makes the request the same as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The client's key.
    pub key: IdempotencyKey,
    /// What the request was.
    pub fingerprint: Fingerprint,
}

/// The body of a write: as it was received, or as a value made in code.
#[derive(Clone, Debug)]
pub enum Input<T> {
    /// JSON, still to be read.
    Json(Vec<u8>),
    /// A value.
    Value(T),
    /// Refused by whoever received it, for its query for example. The refusal is stored under the
    /// idempotency key like every other answer.
    Refused(Failure),
}

/// A write: its body and its idempotency key, if it has one.
#[derive(Clone, Debug)]
pub struct Request<T> {
    /// The body.
    pub input: Input<T>,
    /// The key.
    pub idempotency: Option<Idempotency>,
}

impl<T> Request<T> {
    /// A request with a body as it was received.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self {
            input: Input::Json(body.into()),
            idempotency: None,
        }
    }

    /// The same request under an idempotency key.
    #[must_use]
    pub fn with_idempotency(mut self, idempotency: Option<Idempotency>) -> Self {
        self.idempotency = idempotency;
        self
    }
}

/// A request made in code, without an idempotency key.
impl<T> From<T> for Request<T> {
    fn from(value: T) -> Self {
        Self {
            input: Input::Value(value),
            idempotency: None,
        }
    }
}

/// A body that can be read from JSON.
pub trait FromJson: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The text is malformed, or a field is unknown, missing or of another type.
    fn from_json(json: &[u8]) -> Result<Self, ReadError>;
}

macro_rules! from_json {
    ($($body:ty),+) => {$(
        impl FromJson for $body {
            fn from_json(json: &[u8]) -> Result<Self, ReadError> {
                Self::from_json(json)
            }
        }
    )+};
}

from_json!(CategoryInput, ProductInput, BatchRequest<ProductInput>);

/// A request without a body.
impl FromJson for () {
    fn from_json(_: &[u8]) -> Result<Self, ReadError> {
        Ok(())
    }
}

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
        let input = match request.input {
            Input::Json(json) => T::from_json(&json).map_err(Failure::from),
            Input::Value(value) => Ok(value),
            Input::Refused(failure) => Err(failure),
        };
        let change = match input.and_then(change) {
            Ok(change) => change,
            // Without a key there is nothing to remember the refusal under.
            Err(failure) if request.idempotency.is_none() => return Err(failure),
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

/// An answer as it is stored under its key.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAnswer<'a> {
    fingerprint: &'a str,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
}

fn answer_key(caller: Uuid, idempotency: &IdempotencyKey) -> Key {
    key(caller, Family::Answer, &[Part::Text(idempotency.as_str())])
}

/// What a stored answer means for this request: nothing (go on), its replay, or a conflict.
fn replay(
    key: &Key,
    stored: Option<&Value>,
    idempotency: &Idempotency,
    now: Timestamp,
) -> Result<Option<Result<Answer, Failure>>, Fault> {
    let Some(stored) = stored else {
        return Ok(None);
    };
    let stored: StoredAnswer<'_> =
        serde_json::from_slice(stored).map_err(|e| Fault::corrupt(key, e))?;
    if stored.expires_at <= now {
        return Ok(None);
    }
    if stored.fingerprint != idempotency.fingerprint.to_hex() {
        return Ok(Some(Err(Failure::conflict(
            "Idempotency-Key: was used for a different request within the last 24 hours; use a \
             new key for a new request",
        ))));
    }
    Ok(Some(match (stored.outcome, stored.failure) {
        (Some(outcome), _) => {
            let body = stored
                .body
                .map(|body| body.get().as_bytes().to_vec())
                .unwrap_or_default();
            Ok(Answer {
                outcome,
                body,
                replayed: true,
            })
        }
        (None, Some(kind)) => {
            let message = stored.message.unwrap_or_default();
            Err(Failure {
                kind,
                message,
                replayed: true,
            })
        }
        (None, None) => return Err(Fault::corrupt(key, "neither outcome nor failure")),
    }))
}

/// Stores an answer under its key, for 24 hours.
fn store(
    unit: &mut Unit<'_>,
    caller: Uuid,
    idempotency: &Idempotency,
    key_of_answer: Key,
    outcome: &Result<Answer, Failure>,
) -> Result<(), Failure> {
    let expires_at = idempotency::expiry(unit.now());
    let fingerprint = idempotency.fingerprint.to_hex();
    let mut stored = StoredAnswer {
        fingerprint: &fingerprint,
        expires_at,
        outcome: None,
        failure: None,
        message: None,
        body: None,
    };
    match outcome {
        Ok(answer) => {
            stored.outcome = Some(answer.outcome);
            if !answer.body.is_empty() {
                let body = serde_json::from_slice(&answer.body);
                stored.body = Some(body.map_err(|e| Fault::corrupt(&key_of_answer, e))?);
            }
        }
        Err(failure) => {
            stored.failure = Some(failure.kind);
            stored.message = Some(failure.message.clone());
        }
    }
    let row = unit.json(&stored);
    let by_expiry = [
        Part::Time(expires_at),
        Part::Id(caller),
        Part::Text(idempotency.key.as_str()),
    ];
    unit.put_aside(
        key(NOBODY, Family::AnswerByExpiry, &by_expiry),
        Value::from(&*key_of_answer),
    );
    unit.put_aside(key_of_answer, row);
    Ok(())
}

/// Whether the 24 hours of a stored answer are over.
pub(super) fn is_over(stored: &Value, now: Timestamp) -> bool {
    serde_json::from_slice::<StoredAnswer<'_>>(stored).is_ok_and(|stored| stored.expires_at <= now)
}
