//! Writes as a client sees them.

use connect_core::{
    Access, Answer, Connect, Error, Fingerprint, Idempotency, Outcome, Refusal, Request,
    wire::{Category, IdempotencyKey, Product},
};
use serde_json::Value;
use uuid::Uuid;

use super::Shop;

/// What a write does, and to which record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    CreateCategory,
    UpdateCategory(Uuid),
    DeleteCategory(Uuid),
    CreateProduct,
    UpdateProduct(Uuid),
    DeleteProduct(Uuid),
    WriteProducts,
}

/// A write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// What it does.
    pub(crate) verb: Verb,
    /// Its body; deletions have none.
    pub(crate) body: Value,
    /// Its idempotency key.
    pub(crate) key: Option<String>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    /// The status code that HTTP has for it.
    pub(crate) status: u16,
    /// Whether it is the answer to an earlier request with the same key.
    pub(crate) replayed: bool,
    /// The body; `null` is none.
    pub(crate) body: Value,
}

impl Call {
    /// A write without a key.
    pub(crate) fn new(verb: Verb, body: Value) -> Self {
        Self {
            verb,
            body,
            key: None,
        }
    }

    /// The same write under a key.
    pub(crate) fn keyed(self, key: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..self
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self.verb {
            Verb::DeleteCategory(_) | Verb::DeleteProduct(_) => Vec::new(),
            _ => serde_json::to_vec(&self.body).unwrap(),
        }
    }

    /// Sends the write.
    pub(crate) async fn send(self, connect: Connect, at: Access) -> Reply {
        let bytes = self.bytes();
        let idempotency = self.key.as_ref().map(|key| Idempotency {
            key: IdempotencyKey::new(key).unwrap(),
            // The verb and its id stand for method and path.
            fingerprint: Fingerprint::of("WRITE", &format!("/{:?}", self.verb), &bytes),
        });
        macro_rules! request {
            () => {
                Request::json(bytes).with_idempotency(idempotency)
            };
        }
        let outcome = match self.verb {
            Verb::CreateCategory => {
                connect
                    .location(&at)
                    .json::<Category>()
                    .create(request!())
                    .await
            }
            Verb::UpdateCategory(id) => {
                connect
                    .location(&at)
                    .json::<Category>()
                    .update(id, request!())
                    .await
            }
            Verb::DeleteCategory(id) => {
                connect
                    .location(&at)
                    .json::<Category>()
                    .delete(id, request!())
                    .await
            }
            Verb::CreateProduct => {
                connect
                    .location(&at)
                    .json::<Product>()
                    .create(request!())
                    .await
            }
            Verb::UpdateProduct(id) => {
                connect
                    .location(&at)
                    .json::<Product>()
                    .update(id, request!())
                    .await
            }
            Verb::DeleteProduct(id) => {
                connect
                    .location(&at)
                    .json::<Product>()
                    .delete(id, request!())
                    .await
            }
            Verb::WriteProducts => {
                connect
                    .location(&at)
                    .json::<Product>()
                    .batch(request!())
                    .await
            }
        };
        outcome.into()
    }
}

impl Shop {
    /// Sends a write and waits for what comes back.
    pub(crate) async fn send(&self, call: Call) -> Reply {
        call.send(self.connect.clone(), self.at.clone()).await
    }
}

impl Reply {
    /// The `data` of a success.
    pub(crate) fn data(&self) -> &Value {
        assert!(self.status < 300, "refused: {self:?}");
        &self.body["data"]
    }
}

impl From<Result<Answer, Refusal>> for Reply {
    fn from(outcome: Result<Answer, Refusal>) -> Self {
        match outcome {
            Ok(answer) => Self {
                status: match answer.outcome {
                    Outcome::Created => 201,
                    Outcome::Done => 200,
                    Outcome::Removed => 204,
                },
                replayed: answer.replayed,
                body: match &answer.body[..] {
                    [] => Value::Null,
                    body => serde_json::from_slice(body).unwrap(),
                },
            },
            Err(failure) => Self {
                status: match &failure.error {
                    Error::Malformed(_) => 400,
                    Error::ForbiddenLocation(_) => 403,
                    Error::NotFound(_) => 404,
                    Error::Conflict(_) => 409,
                    Error::Invalid(_) => 422,
                    other => panic!("no write of these tests may fail with {other:?}: {failure}"),
                },
                replayed: failure.replayed,
                body: serde_json::to_value(failure.error.body()).unwrap(),
            },
        }
    }
}
