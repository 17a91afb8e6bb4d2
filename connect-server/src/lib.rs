#![doc = include_str!("../README.md")]
//! ## In here
//!
//! [`net`] is sockets and nothing of the domain. [`endpoint`] is what an endpoint is, [`routes`]
//! reads as the table of contents of the API, and [`app`] is the order in which a request is
//! checked. [`docs`] renders the API reference. The private module `dashboard` has the pages of
//! owners, and `html` the frame of every page. [`images`] takes over and serves the images of products;
//! [`outbound`] guards requests to links that others give. [`webhooks`] sends what the core delivers.

pub mod admin;
pub mod app;
mod audit;
mod backup;
pub mod check;
pub mod cli;
mod completion;
mod config;
mod dashboard;
mod deliveries;
pub mod demo;
pub mod docs;
mod encoding;
pub mod endpoint;
mod failure;
mod half_import;
#[cfg(test)]
mod heard;
mod html;
pub mod images;
mod listeners;
pub mod log;
pub mod mail;
mod metrics;
pub mod net;
pub mod networks;
mod open_files;
pub mod outbound;
mod private;
mod progress_line;
mod recent_requests;
mod reload;
pub mod routes;
pub mod run;
mod sandbox;
mod start_clock;
mod stop;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod transfer;
mod warnings;
mod watch;
pub mod webhooks;
mod welcome;
mod workers;

pub use app::{ApiService, api, api_at, device_api};
