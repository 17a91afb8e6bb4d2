//! Answers to successful requests.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    transaction::{Error, Fault},
    wire::{Single, Timestamp},
};

/// The kind of change made by a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// A record was made.
    Created,
    /// Done, with content in the answer.
    Done,
    /// Done, without content in the answer.
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
    /// Set for a stored answer, made for an earlier request with this key.
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

    /// Makes an answer with `data`.
    pub(crate) fn with(outcome: Outcome, data: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(&Single { data }).map_err(|e| Fault::corrupt(b"", e))?;
        Ok(Self::new(outcome, body))
    }

    /// Returns the `data` of the answer as a value.
    ///
    /// # Errors
    /// The answer holds something else, or nothing.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice::<Single<T>>(&self.body).map(|single| single.data)
    }
}

/// JSON known to be a `T`.
/// Rows are stored in the form in which they are sent, so a read joins bytes without parsing them.
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

    /// Adds the time of the last change shown by this JSON.
    pub(crate) fn of_state(mut self, changed_at: Timestamp) -> Self {
        self.state = Some(changed_at);
        self
    }

    /// Returns the same JSON, known to be a `U` too.
    pub(crate) fn retyped<U>(self) -> Json<U> {
        Json {
            bytes: self.bytes,
            state: self.state,
            shape: PhantomData,
        }
    }

    /// The time of the location's last change before a list was read.
    /// A walk past this time has seen every row present at its start.
    pub fn state(&self) -> Option<Timestamp> {
        self.state
    }

    /// The bytes to send.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<T: DeserializeOwned> Json<T> {
    /// Parses the value.
    ///
    /// # Errors
    /// Never for a body made by the core, unless the store was damaged.
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
