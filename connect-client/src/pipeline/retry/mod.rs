//! Retries: whether to send a request again, and after which wait. Decisions without a clock, a
//! network or chance.

mod after;
mod hook;
mod policy;

pub(crate) use after::{date, retry_after};
pub(crate) use hook::OnRetry;
pub use hook::Retry;
pub(crate) use policy::{Decision, LEAST_ATTEMPT, Outcome, is_retryable};
pub use policy::{GaveUp, RetryPolicy};
