//! The storage backends.

mod broken;
mod crash;
mod memory;
mod room;
mod toy;
mod wrappers;

#[cfg(all(feature = "redb", feature = "sled"))]
mod disk;
