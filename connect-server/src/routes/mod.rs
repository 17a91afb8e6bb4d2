//! The table of contents of the API: a line per endpoint, or per kind of record.

mod crud;
mod device;
mod find;
mod locations;
mod open;
mod option_groups;
mod orders;

use std::sync::LazyLock;

use connect_core::wire::{AnyEvent, Category, EventType, ImageJob, OptionGroup, Product};
use http::Method;

use crate::endpoint::Operation;
pub use crate::endpoint::{Needs, Route};
use crud::{CATALOG, batch, crud, rows};
pub use device::DEVICE;
pub use find::{Found, PathIds, Table};
pub(crate) use open::{OPENAPI, OPENAPI_PATH, filters as open_filters};

/// Every endpoint that needs a token.
pub static API: LazyLock<Table> = LazyLock::new(|| {
    let locations = "/v1/locations".to_owned();
    let routes = [
        vec![Route::new(
            Method::GET,
            locations,
            Needs::Nothing,
            Operation::new(
                "listLocations",
                "Locations",
                "The token's locations",
                "LocationList",
            ),
            locations::list,
        )],
        crud::<Category>("categories", &CATALOG),
        crud::<Product>("products", &CATALOG),
        batch::<Product>("products/batch", &CATALOG),
        option_groups::link("products/option-groups"),
        crud::<OptionGroup>("option-groups", &CATALOG),
        batch::<OptionGroup>("option-groups/batch", &CATALOG),
        option_groups::update_option("option-groups"),
        orders::orders("orders"),
        rows::<ImageJob>("image-jobs", &CATALOG.read),
        rows::<AnyEvent>("events", &Needs::AnyScope(EventType::SCOPES)),
    ];
    Table::new(routes.into_iter().flatten().collect())
});

/// The paths of the lists that a location has, one for each kind of record or row.
pub fn lists() -> impl Iterator<Item = &'static str> {
    let paths = API
        .routes()
        .iter()
        .filter(|route| route.method == Method::GET);
    let paths = paths.map(|route| route.path.as_str());
    paths.filter(|path| path.contains("{location}") && !path.ends_with("{id}"))
}
