//! Retries: the decision to send again, and the wait before.
//! Decisions use no clock, network or randomness of their own.

mod after;
mod hook;
mod policy;

pub(crate) use after::{date, retry_after};
pub(crate) use hook::OnRetry;
pub use hook::Retry;
pub(crate) use policy::{Decision, LEAST_ATTEMPT, Outcome, is_retryable};
pub use policy::{GaveUp, RetryPolicy};
