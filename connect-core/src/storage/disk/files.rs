//! Files and folders with access for their owner only, and durable writes.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Options for a file with access for its owner only.
pub(super) fn private() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Locks a file until it is closed.
/// Waits at most `at_most` for another holder of the lock.
pub(super) fn lock(file: &File, at_most: Duration) -> Result<(), TryLockError> {
    let give_up = Instant::now() + at_most;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < give_up => {
                thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
}

/// Waits until this file's lock is free; false on a timeout.
pub(super) fn is_let_go(path: &Path, at_most: Duration) -> bool {
    let locked = File::open(path).map(|file| lock(&file, at_most));
    !matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// Replaces a file as a whole, old or new after a crash.
pub(super) fn replace(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let new = folder.join(format!("{name}.new"));
    let mut file = private()
        .create(true)
        .truncate(true)
        .write(true)
        .open(&new)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&new, folder.join(name))?;
    sync_folder(folder)
}

/// Syncs the contents of a file, to survive a loss of power.
#[cfg(feature = "redb")]
pub(super) fn sync_file(path: &Path) -> io::Result<()> {
    File::options().write(true).open(path)?.sync_all()
}

/// Removes a file durably. A missing file is no error.
pub(super) fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(folder.join(name)) {
        Ok(()) => sync_folder(folder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Creates a private folder and its parents, durably.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = match path.parent() {
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
        None => return fs::create_dir(path),
    };
    create_folder(above)?;
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result,
    }?;
    sync_folder(above)
}

/// Syncs the names in a folder, to survive a loss of power.
/// Only Unix offers this.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}

/// Removes other users' access to a folder and everything in it.
/// Follows a link at `path` itself. The files of engines have permissions by the process's umask.
pub(super) fn tighten_all(path: &Path, tell: bool) -> io::Result<()> {
    tighten_tree(&fs::canonicalize(path)?, tell)
}

/// The same without following any link.
fn tighten_tree(path: &Path, tell: bool) -> io::Result<()> {
    tighten(path, tell)?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            tighten(&entry.path(), false)?;
        } else if entry.file_name() != "lost+found" {
            tighten_tree(&entry.path(), false)?;
        }
    }
    Ok(())
}

/// Removes all access of other users to a folder or a file.
/// Logs the change if `tell` is set.
#[cfg(unix)]
fn tighten(path: &Path, tell: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let metadata = fs::symlink_metadata(path)?;
    let mode = metadata.permissions().mode();
    if metadata.is_symlink() || mode & 0o077 == 0 {
        return Ok(());
    }
    if tell {
        tracing::warn!(
            path = %path.display(),
            "other users could access this path; their access is removed"
        );
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

/// Does nothing: only Unix has such permissions.
#[cfg(not(unix))]
fn tighten(_path: &Path, _tell: bool) -> io::Result<()> {
    Ok(())
}

/// The file itself, or all files in the folder and below it.
pub(super) fn all_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(if path.exists() {
            vec![path.into()]
        } else {
            Vec::new()
        });
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        found.append(&mut all_files(&entry?.path())?);
    }
    Ok(found)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_behind_a_link_is_for_its_owner_only() {
        let above = tempfile::tempdir().unwrap();
        let (folder, link) = (above.path().join("folder"), above.path().join("link"));
        let outside = above.path().join("outside");
        fs::create_dir(&folder).unwrap();
        for file in [&folder.join("file"), &outside] {
            fs::write(file, b"").unwrap();
        }
        symlink(&folder, &link).unwrap();
        symlink(&outside, folder.join("link")).unwrap();
        for path in [&folder, &folder.join("file"), &outside] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        tighten_all(&link, false).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("file")), 0o700);
        assert_eq!(mode(&outside), 0o755, "a link inside is not followed");
    }
}
