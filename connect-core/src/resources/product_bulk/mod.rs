//! Bulk changes of products by the owner, and the way back.

mod caller;
mod change;
mod former;
mod head;
mod preview;
mod undo;

pub use change::{ProductBulkFailure, ProductBulkResult, SeenPrice};
pub(crate) use former::BulkBefore;
pub(crate) use head::BulkHead;
pub use preview::{PreviewedPrice, PricePreview};
pub use undo::LastBulk;
