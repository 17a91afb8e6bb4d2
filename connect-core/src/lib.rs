// Without the logic, the examples in there would not compile.
#![cfg_attr(feature = "logic", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "logic"),
    doc = "The JSON shapes of Connect; see [`wire`]."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod wire;

#[cfg(feature = "logic")]
mod auth;
#[cfg(feature = "logic")]
pub mod backup;
#[cfg(feature = "logic")]
mod engine;
#[cfg(feature = "logic")]
mod integrity;
#[cfg(feature = "logic")]
mod jobs;
#[cfg(feature = "logic")]
mod owner;
#[cfg(feature = "logic")]
mod resources;
#[cfg(feature = "logic")]
mod rules;
#[cfg(feature = "logic")]
pub mod storage;
#[cfg(feature = "logic")]
mod transaction;

#[cfg(feature = "logic")]
pub use auth::{Access, Actor, Authenticated, Denied, ScreenRight};
#[cfg(feature = "logic")]
pub use backup as transfer;
#[cfg(feature = "logic")]
pub use engine::{
    Answer, Connect, ConnectBuilder, FromJson, Idempotency, Input, Json, JsonRecords, Listed,
    Maintenance, Outcome, Readable, Records, Request, Resource, Reversible, Rows, StoredSecrets,
    Upsert, Write, Written,
};
#[cfg(feature = "logic")]
pub use integrity::{
    CheckProgress, CheckReport, Problem, ProblemKind, TrailEnd, TrailFault, TrailReport,
};
#[cfg(feature = "logic")]
pub use jobs::*;
#[cfg(feature = "logic")]
pub use owner::*;
#[cfg(feature = "logic")]
pub use resources::*;
#[cfg(feature = "logic")]
pub use rules::{
    idempotency::Fingerprint,
    password::{MAX_PASSWORD, MIN_PASSWORD},
    price_change::{PriceChange, PriceDifference, PriceRounding},
    rate::{RateLimits, RateStatus},
    role::{Reach, UserRight},
    secret::Secret,
    text::folded,
    zone::{local_time, time_of_local},
};
#[cfg(feature = "logic")]
pub use transaction::{
    Account, AccountLocation, AnsweredRequest, Author, BrowserCookie, Cause, Delivery,
    DeliveryAttempt, DeliveryStatus, Error, Grant, Language, Origin, OwnerMail, PlannedErasure,
    Reason, Refusal, Retention, Role, Screen, ScreenKey, ScreenType, StorageLimits,
    SwitchOffReason, SwitchedOff, Token, TrailChange, TrailEntry, TrailHash, User, UserRole,
    Webhook, environment,
};
