//! The storage backends.

mod broken;
mod crash;
mod memory;
mod naive_store;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
mod room;
mod wrappers;

#[cfg(all(feature = "redb", feature = "sled"))]
mod disk;
#[cfg(all(feature = "redb", feature = "sled"))]
mod engines;
#[cfg(all(target_os = "linux", feature = "redb", feature = "sled"))]
mod faults;
#[cfg(all(target_os = "linux", feature = "redb", feature = "sled"))]
mod power;
