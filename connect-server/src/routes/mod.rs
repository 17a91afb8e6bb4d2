//! The table of contents of the API: one line per endpoint, with what it needs.

mod categories;
mod documents;
mod find;
mod locations;
mod probes;
mod products;

use connect_core::{Failure, wire::Scope};
use futures_util::{FutureExt as _, future::BoxFuture};
use http::Method;

pub(crate) use documents::filters as open_filters;
pub use find::{Found, find};

use crate::app::{Call, Reply};

/// An endpoint of the API.
pub struct Route {
    /// Its method. HEAD is answered as GET.
    pub method: Method,
    /// Its path; `{location}` and `{id}` are UUIDs.
    pub path: &'static str,
    /// What a token needs to use it.
    pub needs: Needs,
    /// What answers it.
    pub handler: Handler,
}

/// What a token needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// To be valid.
    Nothing,
    /// This scope, at the location of the path.
    Scope(Scope),
}

/// What answers an endpoint.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Reply, Failure>>;

const READ: Needs = Needs::Scope(Scope::CatalogRead);
const WRITE: Needs = Needs::Scope(Scope::CatalogWrite);

/// Every endpoint that needs a token.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Locations
    Route { method: Method::GET, path: "/v1/locations", needs: Needs::Nothing, handler: |c| locations::list(c).boxed() },

    // Categories
    Route { method: Method::GET, path: "/v1/locations/{location}/categories", needs: READ, handler: |c| categories::list(c).boxed() },
    Route { method: Method::POST, path: "/v1/locations/{location}/categories", needs: WRITE, handler: |c| categories::create(c).boxed() },
    Route { method: Method::GET, path: "/v1/locations/{location}/categories/{id}", needs: READ, handler: |c| categories::get(c).boxed() },
    Route { method: Method::PATCH, path: "/v1/locations/{location}/categories/{id}", needs: WRITE, handler: |c| categories::update(c).boxed() },
    Route { method: Method::DELETE, path: "/v1/locations/{location}/categories/{id}", needs: WRITE, handler: |c| categories::delete(c).boxed() },

    // Products
    Route { method: Method::GET, path: "/v1/locations/{location}/products", needs: READ, handler: |c| products::list(c).boxed() },
    Route { method: Method::POST, path: "/v1/locations/{location}/products", needs: WRITE, handler: |c| products::create(c).boxed() },
    Route { method: Method::GET, path: "/v1/locations/{location}/products/{id}", needs: READ, handler: |c| products::get(c).boxed() },
    Route { method: Method::PATCH, path: "/v1/locations/{location}/products/{id}", needs: WRITE, handler: |c| products::update(c).boxed() },
    Route { method: Method::DELETE, path: "/v1/locations/{location}/products/{id}", needs: WRITE, handler: |c| products::delete(c).boxed() },
    Route { method: Method::POST, path: "/v1/locations/{location}/products/batch", needs: WRITE, handler: |c| products::batch(c).boxed() },
];

/// Whether a path belongs to the part of the server that answers nobody without a token.
pub fn needs_token(path: &str) -> bool {
    let is_api = path == "/v1" || path.starts_with("/v1/");
    is_api && path != documents::OPENAPI_PATH
}

/// Answers a request that the gate passed on. The table has found its handler already, so it need
/// not go through warp's filters once more.
pub(crate) async fn answer(call: Call, route: &Route) -> Reply {
    (route.handler)(call).await.unwrap_or_else(Reply::from)
}
