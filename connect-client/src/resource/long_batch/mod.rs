//! Batches of any length.

mod body;
mod chunk;
mod error;
mod outcome;
mod plan;
mod run;

pub use body::BatchBody;
pub(crate) use body::Sealed;
pub use error::BatchError;
pub(crate) use outcome::Outcome;
pub use plan::LongBatch;
pub use run::Progress;
