//! The templates of all paths that the server answers, by which requests are counted.

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

/// Returns every template that a [`RequestNote`](crate::net::RequestNote) may have.
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
