//! The table of contents of the API: a line per endpoint, or per kind of record.

mod crud;
mod documents;
mod find;
mod locations;
mod probes;

use std::sync::LazyLock;

use connect_core::wire::{Category, Product};
use http::Method;

pub use crate::endpoint::{Needs, Route};
use crud::{batch, crud};
pub(crate) use documents::filters as open_filters;
pub use find::{Found, find};

/// Every endpoint that needs a token.
pub static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let locations = "/v1/locations".to_owned();
    [
        vec![Route::new(
            Method::GET,
            locations,
            Needs::Nothing,
            locations::list,
        )],
        crud::<Category>("categories"),
        crud::<Product>("products"),
        batch::<Product>("products/batch"),
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Returns whether a path belongs to the part of the server that answers nobody without a token.
pub fn needs_token(path: &str) -> bool {
    let is_api = path == "/v1" || path.starts_with("/v1/");
    is_api && path != documents::OPENAPI_PATH
}
