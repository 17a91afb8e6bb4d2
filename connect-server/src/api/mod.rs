//! The HTTP service: the checks of every request, then its handler.

mod backup;
mod caller;
mod commands;
mod dashboard;
pub mod docs;
mod document;
mod encoding;
pub mod endpoint;
mod failed_items;
mod form_body;
mod gate;
pub(crate) mod images;
mod incoming;
mod metrics;
mod operator;
mod request_summary;
pub mod routes;
mod sandbox;
mod serve;
mod service;
mod templates;
mod tower;
mod unread_body;

pub use serve::{api, api_at, device_api};
pub use service::{ConnectApp, ListenerKind};
pub(crate) use templates::templates;
pub use tower::ApiService;
