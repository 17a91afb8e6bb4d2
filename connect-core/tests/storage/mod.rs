//! The storage backends.

mod broken;
mod crash;
mod memory;
mod room;
mod toy;

#[cfg(all(feature = "redb", feature = "sled"))]
mod disk;
