// Without the logic, the examples in there would not compile.
#![cfg_attr(
    not(feature = "logic"),
    doc = "The JSON shapes of Connect; see [`wire`]."
)]

pub mod wire;

#[cfg(feature = "logic")]
pub mod environment;
#[cfg(any())]
mod record;
#[cfg(any())]
mod resource;
#[cfg(any())]
mod rules;
#[cfg(feature = "logic")]
pub mod storage;
