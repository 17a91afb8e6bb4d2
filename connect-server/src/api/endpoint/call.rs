//! A request after all checks, as given to its handler.

use bytes::Bytes;
use connect_core::{
    Access, Authenticated, Connect, Error, FromJson, Idempotency, Input, JsonRecords, Listed,
    LocationHandle, Request, Resource, Rows,
    wire::query::{NoQuery, Query},
};
use uuid::Uuid;

/// A request for its handler: its target and content.
#[derive(Clone)]
pub struct Call<T> {
    pub(crate) connect: Connect,
    /// The target of the path.
    pub(crate) target: T,
    pub(crate) content: Content,
}

/// The content of a request besides its path.
#[derive(Clone, Default)]
pub struct Content {
    pub(crate) query: String,
    pub(crate) body: Bytes,
    pub(crate) idempotency: Option<Idempotency>,
}

/// A path without a location.
#[derive(Clone)]
pub struct Anywhere {
    /// The token's holder.
    pub caller: Authenticated,
}

/// A path of a location.
#[derive(Clone)]
pub struct AtLocation {
    /// The caller's right there.
    pub access: Access,
}

/// A path of one record at a location.
#[derive(Clone)]
pub struct AtRecord {
    /// The caller's right there.
    pub access: Access,
    /// The record.
    pub id: Uuid,
}

/// A path of a record's part, such as a group's option.
#[derive(Clone)]
pub struct AtPart {
    /// The caller's right there.
    pub access: Access,
    /// The record.
    pub id: Uuid,
    /// The part.
    pub part: Uuid,
}

impl<T> Call<T> {
    /// The query parameters.
    ///
    /// # Errors
    /// A parameter is unknown, repeated, or has an invalid value.
    pub fn query<Q: Query>(&self) -> Result<Q, Error> {
        Q::parse(&self.content.query).map_err(|invalid| Error::Malformed(invalid.into()))
    }

    /// Returns the write of the request.
    /// No write takes query parameters. A request with some becomes a refused input, so its refusal is stored
    /// under its idempotency key too. The body is moved out: a copy would double the memory of a large one.
    pub fn write<I: FromJson>(&mut self) -> Request<I> {
        let input = match self.query::<NoQuery>() {
            Ok(_) => Input::Json(std::mem::take(&mut self.content.body).into()),
            Err(error) => Input::Refused(error),
        };
        Request {
            input,
            idempotency: self.content.idempotency.clone(),
        }
    }
}

impl<T: AsRef<Access>> Call<T> {
    /// The location.
    pub fn location(&self) -> LocationHandle {
        self.connect.location(self.target.as_ref())
    }

    /// The rows of one kind at the location, read-only for clients.
    pub fn rows<R: Listed>(&self) -> Rows<R> {
        self.location().rows()
    }

    /// The records of one kind at the location.
    pub fn records<R: Resource>(&self) -> JsonRecords<R> {
        self.location().json()
    }
}

impl AsRef<Access> for AtLocation {
    fn as_ref(&self) -> &Access {
        &self.access
    }
}

impl AsRef<Access> for AtRecord {
    fn as_ref(&self) -> &Access {
        &self.access
    }
}

impl AsRef<Access> for AtPart {
    fn as_ref(&self) -> &Access {
        &self.access
    }
}
