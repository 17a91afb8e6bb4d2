//! The storage backends.

mod broken;
mod memory;

#[cfg(feature = "sled")]
mod kill;
#[cfg(feature = "sled")]
mod sled;
