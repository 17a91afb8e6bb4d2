#![doc = include_str!("../README.md")]
//! ## In here
//!
//! [`net`] has the sockets, and nothing of the domain. [`endpoint`] defines an endpoint, [`routes`] is
//! the table of all endpoints of the API, and [`app`] has the checks of a request in their order. [`docs`]
//! renders the API reference. [`commands`] has what owners and operators do: `dashboard` is the pages of
//! owners, and `cli` the command line. `workers` has the work beside the listeners: [`images`] takes over
//! the images of products, [`webhooks`] sends the deliveries of the core, [`mail`] writes to owners, and
//! [`outbound`] guards requests to links from outside. `process` starts and stops the server, and
//! `telemetry` is the log, the metrics and the last requests.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod api;
pub mod cli;
pub mod commands;
mod dashboard;
pub mod net;
mod process;
mod sandbox;
mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
mod workers;

pub use api::{self as app, ApiService, api, api_at, device_api, docs, endpoint, routes};
pub use cli::{admin, check, store};
pub use net::networks;
pub use process::run;
pub use sandbox::demo;
pub use telemetry::log;
pub use workers::{mail, outbound, webhooks};

/// Taking over the images of products, and serving the copies.
pub mod images {
    pub use crate::{api::images::filter, workers::images::*};
}
