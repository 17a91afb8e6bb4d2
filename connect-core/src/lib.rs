// Without the logic, the examples in there would not compile.
#![cfg_attr(feature = "logic", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "logic"),
    doc = "The JSON shapes of Connect; see [`wire`]."
)]

pub mod wire;

#[cfg(feature = "logic")]
mod access;
#[cfg(feature = "logic")]
mod check;
#[cfg(feature = "logic")]
mod engine;
#[cfg(feature = "logic")]
pub mod environment;
#[cfg(feature = "logic")]
mod error;
#[cfg(feature = "logic")]
mod record;
#[cfg(feature = "logic")]
mod resource;
#[cfg(feature = "logic")]
mod rules;
#[cfg(feature = "logic")]
pub mod storage;
#[cfg(feature = "logic")]
pub mod transfer;

#[cfg(feature = "logic")]
pub use access::{Access, Actor, Authenticated, Denied, ScreenRight};
#[cfg(feature = "logic")]
pub use check::{CheckProgress, CheckReport, Problem, ProblemKind};
#[cfg(feature = "logic")]
pub use engine::{
    Answer, Connect, ConnectBuilder, FromItsEnd, FromJson, Idempotency, Input, Json, JsonRecords,
    Listed, Maintenance, Outcome, Readable, Records, Request, Resource, Rows, Upsert, Write,
    Written,
};
#[cfg(feature = "logic")]
pub use error::{Cause, Error, Reason, Refusal};
#[cfg(feature = "logic")]
pub use record::{
    Account, AccountLocation, Delivery, DeliveryAttempt, DeliveryStatus, Grant, OwnerMail, Screen,
    ScreenKey, ScreenType, StorageLimits, SwitchOffReason, SwitchedOff, Token, Webhook,
};
#[cfg(feature = "logic")]
pub use resource::*;
#[cfg(feature = "logic")]
pub use rules::{
    idempotency::Fingerprint,
    password::{MAX_PASSWORD, MIN_PASSWORD},
    rate::{RateLimits, RateStatus},
    secret::Secret,
    zone::{local_time, time_of_local},
};
