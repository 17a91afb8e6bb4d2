//! Answers stored under their idempotency keys (specification: Idempotency).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{
    answer::{Answer, Outcome},
    request::Idempotency,
};
use crate::{
    auth::Actor,
    rules::pack,
    storage::{Key, Value},
    transaction::{
        Error, Fault, Refusal, UnitOfWork,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{IdempotencyKey, Timestamp},
};

/// The longest stored answer, uncompressed: well above the answer to a batch.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The stored form of an answer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAnswer<'a> {
    fingerprint: &'a str,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<Cow<'a, Error>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
}

/// The key of the row with the answer to a caller's request.
pub(crate) fn answer_key(caller: Uuid, idempotency: &IdempotencyKey) -> Key {
    key(
        caller,
        Family::Answer,
        &[KeyPart::Text(idempotency.as_str())],
    )
}

/// Returns the stored answer for this request of `caller`.
/// The result is `None` (continue), a replay, or a conflict.
pub(crate) fn replay(
    caller: &Actor<'_>,
    key: &Key,
    stored: Option<&Value>,
    idempotency: &Idempotency,
    now: Timestamp,
) -> Result<Option<Result<Answer, Refusal>>, Fault> {
    let Some(stored) = stored else {
        return Ok(None);
    };
    let row = pack::unpack(stored, MOST_BYTES).map_err(|e| Fault::corrupt(key, e))?;
    let stored: StoredAnswer<'_> =
        serde_json::from_slice(&row).map_err(|e| Fault::corrupt(key, e))?;
    if stored.expires_at <= now {
        return Ok(None);
    }
    if stored.fingerprint != idempotency.fingerprint.to_hex() {
        let problem = format!(
            "was used for a different request within the last {}; use a new key for a new request",
            caller.keys_kept()
        );
        return Ok(Some(
            Err(Error::conflict("Idempotency-Key", problem).into()),
        ));
    }
    Ok(Some(match (stored.outcome, stored.refused) {
        (Some(outcome), _) => {
            let body = stored.body.map(|body| body.get().as_bytes().to_vec());
            Ok(Answer {
                outcome,
                body: body.unwrap_or_default(),
                replayed: true,
            })
        }
        (None, Some(error)) => Err(Refusal {
            error: error.into_owned(),
            replayed: true,
        }),
        (None, None) => return Err(Fault::corrupt(key, "neither an outcome nor a refusal")),
    }))
}

/// Stores an answer under its key, for the retention of `caller`'s keys.
pub(crate) fn store(
    unit: &mut UnitOfWork<'_>,
    caller: &Actor<'_>,
    idempotency: &Idempotency,
    key_of_answer: Key,
    outcome: &Result<Answer, Error>,
) -> Result<(), Fault> {
    let expires_at = caller.keys_kept().expiry(unit.now());
    let fingerprint = idempotency.fingerprint.to_hex();
    let mut stored = StoredAnswer {
        fingerprint: &fingerprint,
        expires_at,
        outcome: None,
        refused: None,
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
        Err(error) => stored.refused = Some(Cow::Borrowed(error)),
    }
    let row = unit.json(&stored);
    let row = Value::from(pack::pack(&row));
    let by_expiry = [
        KeyPart::Time(expires_at),
        KeyPart::Id(caller.id()),
        KeyPart::Text(idempotency.key.as_str()),
    ];
    let by_expiry = key(GLOBAL, Family::AnswerByExpiry, &by_expiry);
    let entry = Value::from(&*key_of_answer);
    let stored = [&by_expiry, &*entry, &key_of_answer, &*row].map(<[u8]>::len);
    unit.count_until(stored.iter().sum(), expires_at);
    unit.put_unversioned(by_expiry, entry);
    unit.put_unversioned(key_of_answer, row);
    Ok(())
}

/// Parses a whole stored answer, and returns its expiry.
pub(crate) fn expiry_of(stored: &[u8]) -> Result<Timestamp, String> {
    let row = pack::unpack(stored, MOST_BYTES).map_err(|e| e.to_string())?;
    let stored: StoredAnswer<'_> = serde_json::from_slice(&row).map_err(|e| e.to_string())?;
    Ok(stored.expires_at)
}

/// Returns true if a stored answer has expired; `None` if it is unreadable.
pub(crate) fn is_over(stored: &Value, now: Timestamp) -> Option<bool> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Expiry {
        expires_at: Timestamp,
    }
    let row = pack::unpack(stored, MOST_BYTES).ok()?;
    let expiry: Expiry = serde_json::from_slice(&row).ok()?;
    Some(expiry.expires_at <= now)
}
