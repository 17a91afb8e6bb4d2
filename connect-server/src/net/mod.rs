//! Sockets and HTTP: accept, TLS, limits on time and size, shutdown.
//! The domain is kept out of here.
//!
//! An [`App`] answers. Each request reaches it once, head first, so it can decide on the head alone and
//! read the [`Body`] only if needed. Requests refused before it are answered in its own error shape
//! through [`App::failure`].
//!
//! ```text
//! Server::bind -> accept -> (TLS) -> Guarded socket -> hyper -> checks -> App::call
//! ```

mod activity;
mod answer;
mod app;
mod body;
mod budget;
pub(crate) mod completion;
mod connection;
mod error;
mod failure;
mod frames;
mod guarded_socket;
mod head;
pub(crate) mod headers;
mod limits;
mod load;
pub mod networks;
mod pace;
mod peer;
mod plain;
mod request_log;
mod request_note;
mod server;
mod service;
mod shared;
mod tls;
mod workarounds;

pub use app::{App, Ended};
pub use body::{Body, BodyError};
pub use budget::Held;
pub use error::StartError;
pub use failure::NetFailure;
pub use limits::Limits;
pub use load::Load;
pub use pace::Pace;
pub use peer::Peer;
pub use plain::PlainHttp;
pub use request_note::{REQUESTS, RequestNote};
pub use server::{Listen, Server};
pub use tls::{Certificate, TlsFiles};
