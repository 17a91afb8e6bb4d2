//! The service that answers requests: the checks of every request in their order, then its handler.

mod api;
mod backup;
mod commands;
mod dashboard;
mod device;
mod document;
mod gate;
mod incoming;
mod metrics;
mod operator;
mod sandbox;
mod service;
mod templates;
mod tower;
mod unread;

pub use api::{api, api_at};
pub use device::device_api;
pub use service::{ConnectApp, Door};
pub(crate) use templates::templates;
pub use tower::ApiService;
