//! Restricts files and folders of the server to its own user.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use rustix::{fs::Mode, process::umask};

/// Restricts files and folders made from now on to the process's user.
pub(crate) fn only_for_owner() {
    umask(Mode::from_bits_truncate(0o077));
}

/// The rights of other users to a file or folder.
/// Only rights in `mask` are returned; none for a missing file.
pub(crate) fn rights_of_others(path: &Path, mask: u32) -> u32 {
    fs::metadata(path).map_or(0, |facts| facts.mode() & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_users_have_no_rights_to_new_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let [file, below] = ["file", "folder"].map(|name| folder.path().join(name));
        only_for_owner();
        fs::write(&file, "").unwrap();
        fs::create_dir(&below).unwrap();
        assert_eq!(
            [&file, &below].map(|path| rights_of_others(path, 0o777)),
            [0o600, 0o700]
        );
    }
}
