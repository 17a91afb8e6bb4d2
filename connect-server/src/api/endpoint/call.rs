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

/// The caller, and the place named by the path.
pub(crate) struct PathTarget {
    /// Set for the holder of a token.
    pub(crate) caller: Option<Authenticated>,
    /// Set for a path of a location, and for a screen.
    pub(crate) access: Option<Access>,
    /// Set for a path of a record.
    pub(crate) id: Option<Uuid>,
    /// Set for a path of a part of a record.
    pub(crate) part: Option<Uuid>,
}

impl Call<PathTarget> {
    /// The same request, to the target of its path.
    pub(super) fn typed<T: Target>(self) -> Call<T> {
        Call {
            connect: self.connect,
            target: T::of(self.target),
            content: self.content,
        }
    }
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

/// The target of a path.
pub(crate) trait Target: Send + 'static {
    /// The number of ids in the path.
    const IDS: usize;

    /// Builds the target of a checked path with [`IDS`](Self::IDS) ids.
    fn of(place: PathTarget) -> Self;
}

/// The reason why the ids and rights below are present.
/// [`Route::new`](super::Route) has counted the ids of the path, and the gate admits no caller to a location without an
/// [`Access`].
const COUNTED: &str = "the table gives a handler the ids that it takes";

impl Target for Anywhere {
    const IDS: usize = 0;

    fn of(place: PathTarget) -> Self {
        Self {
            caller: place.caller.expect(COUNTED),
        }
    }
}

impl Target for AtLocation {
    const IDS: usize = 1;

    fn of(place: PathTarget) -> Self {
        Self {
            access: place.access.expect(COUNTED),
        }
    }
}

impl Target for AtRecord {
    const IDS: usize = 2;

    fn of(place: PathTarget) -> Self {
        Self {
            access: place.access.expect(COUNTED),
            id: place.id.expect(COUNTED),
        }
    }
}

impl Target for AtPart {
    const IDS: usize = 3;

    fn of(place: PathTarget) -> Self {
        Self {
            access: place.access.expect(COUNTED),
            id: place.id.expect(COUNTED),
            part: place.part.expect(COUNTED),
        }
    }
}
