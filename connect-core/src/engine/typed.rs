//! The records of one kind at one location, as values.
//! The methods have the same names as in the SDK.

use std::{fmt, future::IntoFuture};

use futures_util::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::Answer,
    records::JsonRecords,
    request::{Idempotency, Request},
    resource::Resource,
    upsert::{Extra, Upsert},
};
use crate::{
    rules::idempotency::Fingerprint,
    transaction::{Error, Fault, Refusal},
    wire::{Batch, BatchResult, Entry, Id, IdempotencyKey, Page, Timestamp, query::ListQuery},
};

/// The records of one kind at one location, such as `Records<Product>`.
#[derive(Debug)]
pub struct Records<R>(JsonRecords<R>);

impl<R> Clone for Records<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Resource> Records<R> {
    pub(crate) fn new(records: JsonRecords<R>) -> Self {
        Self(records)
    }

    /// The records as JSON, for a server.
    pub(crate) fn json(&self) -> &JsonRecords<R> {
        &self.0
    }

    /// Returns a page of the existing records, by their last changes.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list(&self, query: &R::Query) -> Result<Page<R>, Error> {
        let page = self.0.list(&self.with_deleted(query, false)).await?;
        decoded(page.decode())
    }

    /// Returns a page of the list, with tombstones of the last 90 days.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_with_deleted(&self, query: &R::Query) -> Result<Page<Entry<R>>, Error> {
        let page = self.0.list(&self.with_deleted(query, true)).await?;
        decoded(serde_json::from_slice(&page.into_bytes()))
    }

    fn with_deleted(&self, query: &R::Query, include_deleted: bool) -> R::Query {
        let mut query = query.clone();
        query.sync_mut().include_deleted = include_deleted;
        query
    }

    /// Returns one record.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, id: impl Into<Id<R>>) -> Result<R, Error> {
        decoded(self.0.get(id.into().uuid()).await?.decode()).map(|single| single.data)
    }

    /// Returns the existing ones of these records, in the order of the ids.
    /// They are read in one round trip, and held at once: request no more than a page of them.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub async fn get_many(&self, ids: &[Id<R>]) -> Result<Vec<R>, Error> {
        Ok(self.0.get_many(ids).await?)
    }

    /// Creates a record.
    /// Await it for the stored record.
    ///
    /// # Errors
    /// A field is missing or invalid, a unique value is taken, or a referenced record is missing.
    pub fn create(&self, input: R::Input) -> Write<R> {
        let records = self.0.clone();
        Write::new("create", self.target(None), input, move |request| {
            Box::pin(records.create(request))
        })
    }

    /// Changes the given fields of a record.
    /// Await it for the changed record.
    ///
    /// # Errors
    /// As [`create`](Self::create), and if there is no such record.
    pub fn update(&self, id: impl Into<Id<R>>, input: R::Input) -> Write<R> {
        let id = id.into();
        let records = self.0.clone();
        Write::new("update", self.target(Some(id)), input, move |request| {
            Box::pin(records.update(id.uuid(), request))
        })
    }

    /// Changes the given fields of a record, as it was read before.
    /// `updated_at` is its last change as read: a later change by another caller is not overwritten.
    ///
    /// # Errors
    /// As [`update`](Self::update), and a conflict at the field `updatedAt` if it has changed since.
    pub fn update_unchanged(
        &self,
        id: impl Into<Id<R>>,
        updated_at: Timestamp,
        input: R::Input,
    ) -> Write<R> {
        let id = id.into();
        let records = self.0.clone();
        let told = (updated_at, input);
        Write::new(
            "update",
            self.target(Some(id)),
            told,
            move |request: Request<_>| {
                let request = request.map(|(_, input)| input);
                Box::pin(records.update_of(id.uuid(), Some(updated_at), request))
            },
        )
    }

    /// Deletes a record.
    ///
    /// # Errors
    /// There is no such record.
    pub fn delete(&self, id: impl Into<Id<R>>) -> Write<()> {
        let id = id.into();
        let records = self.0.clone();
        Write::new("delete", self.target(Some(id)), (), move |request| {
            Box::pin(records.delete(id.uuid(), request))
        })
    }

    /// The list or record targeted by a write.
    pub(crate) fn target(&self, id: Option<Id<R>>) -> String {
        let location = self.0.access().location().id;
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        format!("{location}/{}/{id}", R::LIST)
    }
}

impl<R: Upsert> Records<R> {
    /// Creates and changes many records with one commit.
    /// A failed item does not affect the others; the result has the outcome of each.
    ///
    /// # Errors
    /// The batch as a whole is invalid.
    pub fn batch(&self, batch: Batch<R::Input>) -> Write<BatchResult<Extra<R>>> {
        let records = self.0.clone();
        Write::new(
            "batch",
            self.target(None),
            batch,
            move |request: Request<_>| Box::pin(records.batch(request.map(Into::into))),
        )
    }
}

/// A write, performed when awaited.
#[must_use = "a write is done when it is awaited"]
pub struct Write<T> {
    send: Box<dyn FnOnce(Option<IdempotencyKey>) -> Sent + Send>,
    key: Option<IdempotencyKey>,
    read: fn(&[u8]) -> Result<T, serde_json::Error>,
}

type Sent = BoxFuture<'static, Result<Answer, Refusal>>;

/// The result of a write, new or replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<T> {
    /// The record, or the result of a batch.
    pub data: T,
    /// Set for the stored answer to an earlier write with the same key.
    pub replayed: bool,
}

impl<T: DeserializeOwned> Write<T> {
    pub(crate) fn new<I: Serialize + Send + 'static>(
        operation: &'static str,
        target: String,
        input: I,
        send: impl FnOnce(Request<I>) -> Sent + Send + 'static,
    ) -> Self {
        let send = move |key: Option<IdempotencyKey>| -> Sent {
            let idempotency = key.map(|key| {
                let body = serde_json::to_vec(&input).unwrap_or_default();
                Idempotency {
                    key,
                    fingerprint: Fingerprint::of(operation, &target, &body),
                }
            });
            send(Request::from(input).with_idempotency(idempotency))
        };
        Self {
            send: Box::new(send),
            key: None,
            // A deletion has an empty answer.
            read: |body| match body {
                [] => serde_json::from_str("null"),
                _ => {
                    serde_json::from_slice::<crate::wire::Single<T>>(body).map(|single| single.data)
                }
            },
        }
    }

    /// Sets the idempotency key.
    /// A repeated write with the same key within 24 hours (7 days for a screen) returns the stored answer
    /// of the first.
    pub fn idempotency_key(self, key: IdempotencyKey) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// Performs the write, and also returns `replayed`.
    ///
    /// # Errors
    /// See the method that made it.
    pub async fn send(self) -> Result<Written<T>, Error> {
        let answer = (self.send)(self.key)
            .await
            .map_err(|refusal| refusal.error)?;
        Ok(Written {
            data: decoded((self.read)(&answer.body))?,
            replayed: answer.replayed,
        })
    }
}

impl<T: DeserializeOwned + Send + 'static> IntoFuture for Write<T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.send().await?.data) })
    }
}

impl<T> fmt::Debug for Write<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// Parses the core's own output.
/// It fails only if the store was damaged.
pub(crate) fn decoded<T>(read: Result<T, serde_json::Error>) -> Result<T, Error> {
    read.map_err(|e| Fault::corrupt(b"an answer", e).into())
}
