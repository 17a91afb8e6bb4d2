// In rustdoc the links of the README lead to the guide: the first definition of a link counts.
#![doc = "[rolling]: guide::rolling"]
#![doc = "[vectors]: guide::vectors"]
#![doc = "[receivers]: guide::receivers"]
#![doc = ""]
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "std", test))]
extern crate std;

mod error;
#[cfg(any(feature = "axum", feature = "http", feature = "warp"))]
mod frameworks;
mod header;
mod hint;
mod secret;
mod sign;
mod signature;
mod verify;

#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "receiver")]
pub mod receiver;

pub mod guide;

pub use error::VerifyError;
#[cfg(feature = "axum")]
pub use frameworks::axum;
#[cfg(feature = "http")]
pub use frameworks::http;
#[cfg(feature = "warp")]
pub use frameworks::warp;
pub use header::{MAX_TIMESTAMP, SIGNATURE_HEADER};
pub use hint::Hint;
pub use secret::{Secret, SecretError};
pub use sign::{SignedHeader, sign};
pub use signature::Signature;
pub use verify::{DEFAULT_TOLERANCE, Verified, Verifier};
