//! The storage backends.

mod memory;

#[cfg(feature = "sled")]
mod kill;
#[cfg(feature = "sled")]
mod sled;
