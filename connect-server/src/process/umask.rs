//! Files and folders of the server: they are for its own user.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use rustix::{fs::Mode, process::umask};

/// Makes whatever this process makes from now on readable and writable by its own user alone.
pub(crate) fn only_for_owner() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// The rights that others than the owner have to a file or folder, and that a mask asks about.
/// None, if it is not there.
pub(crate) fn rights_of_others(path: &Path, mask: u32) -> u32 {
    fs::metadata(path).map_or(0, |facts| facts.mode() & mask)
}
