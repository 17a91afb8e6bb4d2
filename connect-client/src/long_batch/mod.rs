//! Batches of any length.

mod body;
mod chunk;
mod error;
mod outcome;
mod plan;
mod run;

pub(crate) use body::Body;
pub use error::BatchError;
pub(crate) use outcome::Outcome;
pub use plan::LongBatch;
pub use run::Progress;
