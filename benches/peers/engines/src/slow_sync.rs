//! Slower syncs, to see on a fast disk what a slow one does.
//!
//! The engines sync by the functions `fsync` and `fdatasync` of the C library. A program that
//! defines them itself is linked to its own.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

/// The milliseconds that each sync takes in addition.
pub static EXTRA_MS: AtomicU64 = AtomicU64::new(0);

/// The syncs so far.
pub static COUNT: AtomicU64 = AtomicU64::new(0);

/// Syncs a file and its metadata.
// SAFETY: it has the type and the effect of the function of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn fsync(file: libc::c_int) -> libc::c_int {
    sync(libc::SYS_fsync, file)
}

/// Syncs a file.
// SAFETY: it has the type and the effect of the function of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(file: libc::c_int) -> libc::c_int {
    sync(libc::SYS_fdatasync, file)
}

fn sync(call: libc::c_long, file: libc::c_int) -> libc::c_int {
    COUNT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: both calls take a file descriptor alone, and fail with an error for a wrong one.
    let answer = unsafe { libc::syscall(call, file) };
    if answer == 0 {
        thread::sleep(Duration::from_millis(EXTRA_MS.load(Ordering::Relaxed)));
    }
    answer as libc::c_int
}
