//! The types of web frameworks and of `http`, for receivers that use them.

#[cfg(feature = "axum")]
pub mod axum;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "warp")]
pub mod warp;
