//! Guides, without code.

#[doc = include_str!("../docs/receivers.md")]
pub mod receivers {}

#[doc = include_str!("../docs/rolling.md")]
pub mod rolling {}

#[doc = include_str!("../docs/vectors.md")]
pub mod vectors {}
