#![doc = include_str!("../README.md")]

mod base_url;
mod builder;
mod call;
mod client;
#[cfg(feature = "device")]
pub mod device;
mod error;
mod location;
mod long_batch;
mod pipeline;
mod request;
mod resource;
mod response;
mod retry;
mod token;
pub mod transport;

pub use builder::ClientBuilder;
pub use call::{Call, RawRequest};
pub use client::Client;
pub use connect_core::wire::{self, IdempotencyKey};
pub use error::{ApiError, DecodeError, Error, ErrorKind, RequestError, SettingsError};
pub use futures_util::Stream;
pub use http::Method;
pub use location::LocationHandle;
pub use long_batch::{BatchBody, BatchError, LongBatch, Progress};
pub use resource::{
    Bulk, Changes, Counts, Listed, Listing, NewEvents, Readable, Record, Records, Synced, Watch,
    Writable,
};
pub use response::{Meta, RateLimit, Response};
pub use retry::{GaveUp, Retry, RetryPolicy};
pub use uuid::Uuid;
