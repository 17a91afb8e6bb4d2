//! An endpoint: its table entry and its handler.

use connect_core::{Refusal, ScreenRight, wire::Scope};
use futures_util::future::BoxFuture;
use http::Method;

use super::{
    Call, Operation, Reply,
    call::{PathTarget, Target},
};

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
    handler: Box<dyn Fn(Call<PathTarget>) -> Answering + Send + Sync>,
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
        let handler = Box::new(move |call: Call<PathTarget>| -> Answering {
            Box::pin(handler(call.typed()))
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
    pub(crate) fn answer(&self, call: Call<PathTarget>) -> Answering {
        (self.handler)(call)
    }
}
