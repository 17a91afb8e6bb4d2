//! The records of one kind at one location, as JSON.
//! This is the lower level, for servers passing bodies on unchanged.

use std::{fmt, marker::PhantomData};

use uuid::Uuid;

use super::{
    answer::{Answer, Json, single},
    connect::Connect,
    crud::{Create, Delete, Update},
    page_request::PageRequest,
    pages::{Filter, ListPlan},
    request::{Patch, Request},
    resource::{Draft, Purpose, Resource},
    upsert::{PreparedBatch, Upsert},
};
use crate::{
    auth::Access,
    storage::{Key, Read, Value},
    transaction::{
        Error, Fault, Refusal,
        keys::{KeyPart, key},
    },
    wire::{Id, Page, Single, Timestamp, read::BatchRequest},
};

/// The records of one kind at one location.
/// Bodies and answers are JSON; [`Records`](super::Records) has the same methods on values.
pub struct JsonRecords<R> {
    pub(crate) connect: Connect,
    pub(crate) access: Access,
    kind: PhantomData<fn() -> R>,
}

impl<R: Resource> JsonRecords<R> {
    pub(crate) fn new(connect: &Connect, access: &Access) -> Self {
        Self {
            connect: connect.clone(),
            access: access.clone(),
            kind: PhantomData,
        }
    }

    /// The access of the operations.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns a page of the list, in the order of last changes.
    ///
    /// With `includeDeleted` every deletion is listed, whatever the filters: the fields of a deleted record
    /// are no longer known, and a client ignores unknown ids.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub fn list(
        &self,
        query: &R::Query,
    ) -> impl Future<Output = Result<Json<Page<R>>, Error>> + Send + use<R> {
        let (this, query) = (self.clone(), query.clone());
        async move {
            let Self {
                connect, access, ..
            } = this;
            if let Some(index) = R::WORDS
                && let Some(text) = (index.of_query)(&query)
            {
                return connect.search(&access, &query, &index, text).await;
            }
            let request = PageRequest::of(R::LIST, &access, &query, connect.now())?;
            let plan = ListPlan::<R>::of(&query);
            let passes = |row: &Value| {
                let record = serde_json::from_slice(row);
                let record: R = record.map_err(|e| Fault::corrupt(b"a listed record", e))?;
                Ok(plan.has(&record))
            };
            let filter = (!plan.filters.is_empty()).then_some(&passes as Filter<'_>);
            connect
                .page::<R>(&access, &request, plan.access_path, plan.in_order, filter)
                .await
        }
    }

    /// Returns one record.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, id: Uuid) -> Result<Json<Single<R>>, Error> {
        let location = self.access.partition();
        let row = self.connect.store().row::<R>(location, id).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Error::not_found(R::NAME, id))
    }

    /// Returns the existing ones of these records, in the order of the ids.
    /// They are read in one round trip.
    pub(super) async fn get_many(&self, ids: &[Id<R>]) -> Result<Vec<R>, Fault> {
        let location = self.access.partition();
        let place = |id: &Id<R>| key(location, R::ROWS, &[KeyPart::Id(id.uuid())]);
        let places: Vec<Key> = ids.iter().map(place).collect();
        let reads: Vec<_> = places.iter().map(|place| Read::Get(place)).collect();
        let mut state = self.connect.store().read(&reads).await?;
        let mut found = Vec::with_capacity(places.len());
        for place in &places {
            if let Some(row) = state.value()? {
                let record = serde_json::from_slice(&row);
                found.push(record.map_err(|e| Fault::corrupt(place, e))?);
            }
        }
        Ok(found)
    }

    /// Creates a record.
    ///
    /// # Errors
    /// A field is missing or invalid, a unique value is taken, or a referenced record is missing.
    pub fn create(
        &self,
        request: Request<R::Input>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<R> {
        let change = move |input| {
            let draft = Draft::<R>::check(input, Purpose::Create)?;
            Ok(Box::new(Create(draft)) as _)
        };
        self.connect.write(&self.access, request, change)
    }

    /// Changes the given fields of a record.
    ///
    /// # Errors
    /// As [`create`](Self::create), and if there is no such record.
    pub fn update(
        &self,
        id: Uuid,
        request: Request<R::Input>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<R> {
        self.update_of(id, None, request)
    }

    /// The same for a record last changed at the time `of`, if given.
    pub(super) fn update_of(
        &self,
        id: Uuid,
        of: Option<Timestamp>,
        request: Request<R::Input>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<R> {
        let change = move |Patch(input)| {
            let draft = Draft::<R>::check(input, Purpose::Change)?;
            let id = id.into();
            Ok(Box::new(Update { id, draft, of }) as _)
        };
        self.connect.write(&self.access, request.map(Patch), change)
    }

    /// Deletes a record.
    ///
    /// # Errors
    /// There is no such record.
    pub fn delete(
        &self,
        id: Uuid,
        request: Request<()>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<R> {
        let change = move |()| Ok(Box::new(Delete::<R>(id.into())) as _);
        self.connect.write(&self.access, request, change)
    }
}

impl<R: Upsert> JsonRecords<R> {
    /// Creates and changes many records with one commit.
    /// A failed item does not affect the others; the answer has the result of each.
    ///
    /// # Errors
    /// The batch as a whole is malformed or invalid.
    pub fn batch(
        &self,
        request: Request<BatchRequest<R::Input>>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<R> {
        let change = |batch| Ok(Box::new(PreparedBatch::<R>::checked(batch)?) as _);
        self.connect.write(&self.access, request, change)
    }
}

impl<R> Clone for JsonRecords<R> {
    fn clone(&self) -> Self {
        Self {
            connect: self.connect.clone(),
            access: self.access.clone(),
            kind: PhantomData,
        }
    }
}

impl<R> fmt::Debug for JsonRecords<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRecords")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}
