//! The storage backends.

mod memory;
mod room;
mod toy;

#[cfg(all(feature = "redb", feature = "sled"))]
mod disk;
