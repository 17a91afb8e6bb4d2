//! A file locked against changes by other processes, or even reads.

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Deref,
    path::Path,
    sync::Arc,
};

use super::error::TransferError;

/// A file, locked until its last clone is dropped.
#[derive(Clone)]
pub(super) struct LockedFile(Arc<UnlockOnDrop>);

/// Unlocks the file when dropped.
/// Closing it is not enough: a child process being started by another thread briefly holds a copy of the
/// descriptor, and with it the lock.
struct UnlockOnDrop(File);

impl Drop for UnlockOnDrop {
    fn drop(&mut self) {
        // Closing the last descriptor releases a lock that could not be released here.
        let _ = self.0.unlock();
    }
}

impl LockedFile {
    /// Locks a file for reading, shared with other readers.
    ///
    /// # Errors
    /// Another process writes it.
    pub(super) fn shared(file: File, path: &Path) -> Result<Self, TransferError> {
        Self::locked(file.try_lock_shared(), file, path)
    }

    /// Locks a file for writing.
    ///
    /// # Errors
    /// Another process has it.
    pub(super) fn exclusive(file: File, path: &Path) -> Result<Self, TransferError> {
        Self::locked(file.try_lock(), file, path)
    }

    fn locked(
        outcome: Result<(), TryLockError>,
        file: File,
        path: &Path,
    ) -> Result<Self, TransferError> {
        match outcome {
            Ok(()) => Ok(Self(Arc::new(UnlockOnDrop(file)))),
            Err(TryLockError::WouldBlock) => Err(TransferError::FileInUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(TransferError::io(path)(source)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0.0
    }
}

impl Read for LockedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&**self).read(buffer)
    }
}

impl Write for LockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&**self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&**self).flush()
    }
}

impl Seek for LockedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&**self).seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Lock = fn(File, &Path) -> Result<LockedFile, TransferError>;

    #[test]
    fn a_file_is_free_once_it_is_let_go_though_a_copy_of_the_descriptor_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap();
        let ways: [Lock; 2] = [LockedFile::shared, LockedFile::exclusive];
        for lock in ways {
            let open = || File::options().read(true).write(true).open(&path).unwrap();
            let file = lock(open(), &path).unwrap();
            let (clone, _copy) = (file.clone(), file.try_clone().unwrap());
            drop(file);
            let refused = LockedFile::exclusive(open(), &path).err().unwrap();
            assert!(matches!(refused, TransferError::FileInUse(_)), "{refused}");
            drop(clone);
            LockedFile::exclusive(open(), &path).unwrap();
        }
    }
}
