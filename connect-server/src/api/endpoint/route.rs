//! An endpoint: its table entry and its handler.

use connect_core::{Access, Authenticated, Connect, Refusal, ScreenRight, wire::Scope};
use futures_util::future::BoxFuture;
use http::Method;
use uuid::Uuid;

use super::{Anywhere, AtLocation, AtPart, AtRecord, Call, Content, Operation, Reply};

/// An endpoint of the API.
pub struct Route {
    /// Its method. HEAD is answered as GET.
    pub method: Method,
    /// Its path; `{location}`, `{id}` and `{part}` are UUIDs.
    pub path: String,
    /// The right needed to call it.
    pub needs: Needs,
    /// Its entry in the API document.
    pub operation: Operation,
    handler: Box<dyn Fn(Passed) -> Answering + Send + Sync>,
}

/// The right needed by a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A screen's key instead of a token; its type has this right.
    Screen(ScreenRight),
    /// A valid token, with any scope or none.
    Nothing,
    /// This scope, at the location of the path.
    Scope(Scope),
    /// At least one of these scopes, at the location of the path.
    AnyScope(&'static [Scope]),
}

/// The future answer of a handler.
pub(crate) type Answering = BoxFuture<'static, Result<Reply, Refusal>>;

/// A request after the checks of the gate.
pub(crate) struct Passed {
    pub(crate) connect: Connect,
    pub(crate) place: PathTarget,
    pub(crate) content: Content,
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

impl Route {
    /// An endpoint with a handler for the target of its path.
    pub(crate) fn new<T: Target, A>(
        method: Method,
        path: String,
        needs: Needs,
        operation: Operation,
        handler: impl Fn(Call<T>) -> A + Send + Sync + 'static,
    ) -> Self
    where
        A: Future<Output = Result<Reply, Refusal>> + Send + 'static,
    {
        // A table that contradicts itself has to be noticed by the first test that runs. The key of
        // a screen leads to a location too.
        let location = usize::from(matches!(needs, Needs::Screen(_)));
        let ids = path.matches('{').count() + location;
        assert_eq!(ids, T::IDS, "{method} {path} leads to something else");
        let handler = Box::new(move |passed: Passed| -> Answering {
            Box::pin(handler(Call {
                connect: passed.connect,
                target: T::of(passed.place),
                content: passed.content,
            }))
        });
        Self {
            method,
            path,
            needs,
            operation,
            handler,
        }
    }

    /// Answers a checked request to this endpoint.
    pub(crate) fn answer(&self, passed: Passed) -> Answering {
        (self.handler)(passed)
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
/// [`Route::new`] has counted the ids of the path, and the gate admits no caller to a location without an
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
