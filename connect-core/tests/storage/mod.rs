//! The storage backends.

mod broken;
mod crash;
mod memory;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
mod room;
mod toy;
mod wrappers;

#[cfg(all(feature = "redb", feature = "sled"))]
mod disk;
#[cfg(all(feature = "redb", feature = "sled"))]
mod engines;
#[cfg(all(target_os = "linux", feature = "redb", feature = "sled"))]
mod faults;
#[cfg(all(target_os = "linux", feature = "redb", feature = "sled"))]
mod power;
