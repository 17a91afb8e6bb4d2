//! Taking over the images of products.
//! The adapter behind the core's port [`Images`](connect_core::environment::Images).
//!
//! ```text
//! link -> download (guard, one deadline, 5 MB) -> decode (limits, own thread) -> scale to 800 px
//!      -> encode without metadata -> store under the SHA-256 of the bytes -> public link
//! ```
//!
//! The copies are served by [`filter`](crate::images::filter) at `/images/{name}`, to everybody and
//! forever: as the name follows from the bytes, what it stands for never changes.

mod bucket;
mod copies;
mod decode;
mod download;
mod encode;
mod failure;
mod folder;
mod jpeg;
mod kind;
mod links;
mod scale;
mod service;
mod strips;

pub use bucket::{BucketAddress, NoBucketAddress};
pub use copies::{Copies, CopiesError, CopyError, CopyName};
pub use encode::{CopyKind, ScaledCopy};
pub use folder::{FoldersOverlap, check_apart};
pub use scale::scaled_copy;
pub use service::{DEFAULT_DEADLINE, ImageService, PublicUrl};
