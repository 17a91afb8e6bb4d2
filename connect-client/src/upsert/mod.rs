//! Batches of any length.

mod chunk;
mod error;
mod plan;
mod run;
mod total;

pub use error::UpsertError;
pub use plan::Upsert;
pub use run::Progress;
