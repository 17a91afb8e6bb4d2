//! A request that has passed every check, as its handler sees it.

use bytes::Bytes;
use connect_core::{
    Access, Admitted, Connect, Failure, FailureKind, FromJson, Idempotency, Input, Request,
    wire::query::{NoQuery, Query},
};
use uuid::Uuid;

/// A request on its way to its handler: who asks, where, and what with.
#[derive(Clone)]
pub struct Call {
    pub(super) connect: Connect,
    pub(super) caller: Admitted,
    pub(super) access: Option<Access>,
    pub(super) id: Option<Uuid>,
    pub(super) query: String,
    pub(super) body: Bytes,
    pub(super) idempotency: Option<Idempotency>,
}

impl Call {
    /// The core.
    pub fn connect(&self) -> &Connect {
        &self.connect
    }

    /// The token's holder.
    pub fn caller(&self) -> &Admitted {
        &self.caller
    }

    /// The location of the path, which the caller may act at.
    ///
    /// # Errors
    /// The route has no location: a mistake in the route table, not of the client.
    pub fn at(&self) -> Result<&Access, Failure> {
        self.access.as_ref().ok_or_else(misrouted)
    }

    /// The id at the end of the path.
    ///
    /// # Errors
    /// The route has no id: a mistake in the route table, not of the client.
    pub fn id(&self) -> Result<Uuid, Failure> {
        self.id.ok_or_else(misrouted)
    }

    /// The query parameters.
    ///
    /// # Errors
    /// A parameter is unknown, repeated, or has a value it cannot have.
    pub fn query<Q: Query>(&self) -> Result<Q, Failure> {
        Q::parse(&self.query).map_err(|invalid| Failure::malformed(&invalid))
    }

    /// The write that the request asks for. No write takes query parameters; one that has some is
    /// refused where its body would be, so that the refusal is stored under its key too.
    pub fn write<T: FromJson>(&self) -> Request<T> {
        let input = match self.query::<NoQuery>() {
            Ok(_) => Input::Json(self.body.clone().into()),
            Err(failure) => Input::Refused(failure),
        };
        Request {
            input,
            idempotency: self.idempotency.clone(),
        }
    }
}

fn misrouted() -> Failure {
    Failure::new(FailureKind::Server, "the server cannot answer this request")
}
