//! The table of the API: a line per endpoint or record kind.

mod crud;
mod device;
mod find;
mod journal;
mod locations;
mod open;
mod option_groups;
mod orders;
mod stock;

use std::sync::LazyLock;

use connect_core::wire::{
    AnyEvent, Category, EventType, ImageJob, OptionGroup, Product, Transaction, ZReport,
    query::ParameterKind,
};
use http::Method;

use super::endpoint::Operation;
pub use super::endpoint::{Needs, Route};
use crud::{CATALOG, batch, crud, row, rows};
pub use device::DEVICE;
pub use find::{PathIds, RouteMatch, Table};
use journal::{JOURNAL, daily_summary};
pub(crate) use open::{
    DEVICE_DOCS_PATH, DEVICE_OPENAPI, DEVICE_OPENAPI_PATH, DOCS_PATH, OPENAPI, OPENAPI_PATH,
    PROBES, filters as open_filters,
};

/// All endpoints for holders of a token.
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
                "List locations",
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
        stock::stock("stock"),
        rows::<ImageJob>("image-jobs", &CATALOG.read),
        rows::<Transaction>("transactions", &JOURNAL),
        row::<Transaction>("transactions", &JOURNAL),
        rows::<ZReport>("z-reports", &JOURNAL),
        row::<ZReport>("z-reports", &JOURNAL),
        daily_summary("daily-summary"),
        rows::<AnyEvent>("events", &Needs::AnyScope(EventType::SCOPES)),
    ];
    Table::new(routes.into_iter().flatten().collect())
});

/// The paths of a location's lists, one per record or row kind.
pub fn lists() -> impl Iterator<Item = &'static str> {
    let has_pages = |route: &&Route| {
        let query = &route.operation.query;
        query
            .iter()
            .any(|parameter| parameter.kind == ParameterKind::Cursor)
    };
    let lists = API.routes().iter().filter(has_pages);
    lists.map(|route| route.path.as_str())
}
