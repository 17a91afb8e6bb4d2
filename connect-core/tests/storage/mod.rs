//! The storage backends.

mod memory;
mod room;
mod toy;

#[cfg(feature = "sled")]
mod kill;
#[cfg(feature = "sled")]
mod sled;
