//! The reports of a running server: the log, audit lines, metrics.

pub(crate) mod audit;
#[cfg(test)]
pub(crate) mod captured_log;
pub mod log;
pub(crate) mod metrics;
