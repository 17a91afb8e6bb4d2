//! Support for web frameworks, and for the types of `http`.

#[cfg(feature = "axum")]
pub mod axum;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "warp")]
pub mod warp;
