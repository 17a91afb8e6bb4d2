//! Answers: what comes back when all went well.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    transaction::{Error, Fault},
    wire::{Single, Timestamp},
};

/// The kind of change that a write made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A record was made.
    Created,
    /// Done; the answer says what.
    Done,
    /// Done, and there is nothing to say.
    Removed,
}

impl Outcome {
    /// Returns the HTTP status of the answer.
    ///
    /// ```
    /// assert_eq!(connect_core::Outcome::Created.status(), 201);
    /// ```
    pub fn status(self) -> u16 {
        match self {
            Self::Created => 201,
            Self::Done => 200,
            Self::Removed => 204,
        }
    }
}

/// The answer to a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The kind of change.
    pub outcome: Outcome,
    /// The answer as JSON: `{ "data": ... }`, or nothing.
    pub body: Vec<u8>,
    /// Set when this is the stored answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl Answer {
    pub(crate) fn new(outcome: Outcome, body: Vec<u8>) -> Self {
        Self {
            outcome,
            body,
            replayed: false,
        }
    }

    /// An answer that holds `data`.
    pub(crate) fn with(outcome: Outcome, data: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(&Single { data }).map_err(|e| Fault::corrupt(b"", e))?;
        Ok(Self::new(outcome, body))
    }

    /// The `data` of the answer as a value.
    ///
    /// # Errors
    /// The answer holds something else, or nothing.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice::<Single<T>>(&self.body).map(|single| single.data)
    }
}

/// JSON that is known to be a `T`. Rows are stored in the form in which they are sent, so a read puts
/// bytes together and need not know what they say.
#[derive(Clone, Debug)]
pub struct Json<T> {
    bytes: Vec<u8>,
    state: Option<Timestamp>,
    shape: PhantomData<fn() -> T>,
}

impl<T> Json<T> {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            state: None,
            shape: PhantomData,
        }
    }

    /// The same, known to show the state that the change of this time left.
    pub(crate) fn of_state(mut self, changed_at: Timestamp) -> Self {
        self.state = Some(changed_at);
        self
    }

    /// The same JSON, known to be a `U` too.
    pub(crate) fn retyped<U>(self) -> Json<U> {
        Json {
            bytes: self.bytes,
            state: self.state,
            shape: PhantomData,
        }
    }

    /// Of a list: the time of the location's last change before the list was read. A walk that has
    /// passed it has seen all that there was when it began.
    pub fn state(&self) -> Option<Timestamp> {
        self.state
    }

    /// The bytes to send.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<T: DeserializeOwned> Json<T> {
    /// The value.
    ///
    /// # Errors
    /// Never for a body that the core made, unless the store was damaged.
    pub fn decode(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.bytes)
    }
}

/// `{"data":` row `}`
pub(crate) fn single<T>(row: &[u8]) -> Json<Single<T>> {
    let mut bytes = Vec::with_capacity(row.len() + 10);
    bytes.extend_from_slice(b"{\"data\":");
    bytes.extend_from_slice(row);
    bytes.push(b'}');
    Json::new(bytes)
}

#[cfg(test)]
mod tests {
    use super::Outcome::{Created, Done, Removed};

    #[test]
    fn each_outcome_has_its_status() {
        let all = [Created, Done, Removed];
        assert_eq!(all.map(super::Outcome::status), [201, 200, 204]);
    }
}
