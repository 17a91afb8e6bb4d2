#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod call;
mod client;
#[cfg(feature = "device")]
pub mod device;
mod error;
mod location;
mod pipeline;
mod resource;
pub mod transport;

pub use builder::ClientBuilder;
pub use call::{Call, Meta, RateLimit, RawRequest, Response};
pub use client::Client;
pub use connect_core::wire::{self, IdempotencyKey};
pub use error::{ApiError, DecodeError, Error, ErrorKind, RequestError, SettingsError};
pub use futures_util::Stream;
pub use http::Method;
pub use location::LocationHandle;
pub use pipeline::{GaveUp, Retry, RetryPolicy};
pub use resource::{
    BatchBody, BatchError, Bulk, Changes, Counts, Listed, Listing, LongBatch, NewEvents, Progress,
    Readable, Record, Records, Synced, Watch, Writable,
};
pub use uuid::Uuid;
