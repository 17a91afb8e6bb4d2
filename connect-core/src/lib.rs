//! connect-core
pub mod wire;
#[cfg(feature = "logic")]
pub mod storage;
