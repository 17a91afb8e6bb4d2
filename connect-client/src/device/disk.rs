//! The folder and the files of a queue.
//! They hold sales, so on Unix only their owner can read them.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use super::error::QueueError;

/// The file operations of a list. Tests inject failures here.
pub(super) trait Disk: Send {
    /// Writes at this offset and waits until it is on disk.
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Cuts the file to `length` bytes, and waits for the disk.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// The length of the file.
    fn length(&self) -> io::Result<u64>;
}

impl Disk for File {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)?;
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.sync_all()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// Makes a missing folder, and locks it.
/// The lock lasts as long as the returned file is open.
pub(super) fn lock(folder: &Path) -> Result<File, QueueError> {
    let failed = |source| disk_error(folder, source);
    make(folder).map_err(failed)?;
    let lock = open(&folder.join("lock")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(QueueError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Makes a folder with its parents, and syncs their names to disk.
fn make(folder: &Path) -> io::Result<()> {
    let changed = parents_of_new(folder);
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    changed.into_iter().try_for_each(sync_folder)
}

/// The folders with a new entry once this folder is made.
fn parents_of_new(folder: &Path) -> Vec<&Path> {
    let is_new = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let new = folder.ancestors().take_while(is_new);
    new.filter_map(Path::parent).collect()
}

/// Opens a file, or makes an empty one.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create(true).open(path)
}

/// Replaces a file atomically by one with this text.
/// After an error the old file is still there.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<File> {
    let new = path.with_extension("new");
    let replaced = || {
        let mut file = open(&new)?;
        file.set_len(0)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        Ok(file)
    };
    // On a full disk the incomplete new file would take up room.
    replaced().inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Waits until the names in a folder are on disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    let is_here = folder.as_os_str().is_empty();
    File::open(if is_here { Path::new(".") } else { folder })?.sync_all()
}

/// Does nothing. Elsewhere a folder cannot be opened, and its names are written through.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn disk_error(path: &Path, source: io::Error) -> QueueError {
    let path = path.to_owned();
    QueueError::Disk { path, source }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn each_folder_that_gets_a_new_name_is_known() {
        let old = TempDir::new().unwrap();
        let (one, two) = (old.path().join("one"), old.path().join("one/two"));
        assert_eq!(parents_of_new(&two), [&*one, old.path()]);
        assert!(parents_of_new(old.path()).is_empty());
        assert_eq!(parents_of_new(Path::new("no-such-queue")), [Path::new("")]);
        sync_folder(Path::new("")).unwrap();
        make(&two).unwrap();
        assert!(two.is_dir());
    }

    #[test]
    fn a_file_that_cannot_be_replaced_stays() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("rows");
        fs::create_dir(&path).unwrap();
        replace(&path, b"new").unwrap_err();
        assert!(path.is_dir());
        assert!(!folder.path().join("rows.new").exists());
    }
}
