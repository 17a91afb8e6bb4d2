//! The templates of all paths of the server, for counting requests.

use super::{
    images,
    routes::{API, DEVICE, DEVICE_DOCS_PATH, DEVICE_OPENAPI_PATH, DOCS_PATH, OPENAPI_PATH, PROBES},
    sandbox,
};
use crate::{
    cli::{admin, backup},
    dashboard,
    telemetry::metrics,
};

/// Returns every possible template of a [`RequestNote`](crate::net::RequestNote).
pub(crate) fn templates() -> impl Iterator<Item = &'static str> {
    let tables = API.routes().iter().chain(DEVICE.routes());
    let open = [
        OPENAPI_PATH,
        DOCS_PATH,
        DEVICE_OPENAPI_PATH,
        DEVICE_DOCS_PATH,
        admin::PATH,
        backup::PATH,
        images::PATH,
        metrics::PATH,
        sandbox::CLOCK,
        sandbox::TEMPLATE,
    ];
    tables
        .map(|route| &*route.path)
        .chain(PROBES)
        .chain(open)
        .chain(dashboard::areas())
}
