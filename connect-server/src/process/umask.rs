//! Restricts files and folders of the server to its own user.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use rustix::{fs::Mode, process::umask};

/// Restricts files and folders made from now on to the process's user.
pub(crate) fn only_for_owner() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// The rights of other users to a file or folder.
/// Only rights in `mask` are returned; none for a missing file.
pub(crate) fn rights_of_others(path: &Path, mask: u32) -> u32 {
    fs::metadata(path).map_or(0, |facts| facts.mode() & mask)
}
