//! The file of a backup, with a temporary name until it is complete.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{
    error::TransferError,
    format::MAGIC,
    locked_file::LockedFile,
    progress::Transferred,
    reader::{BackupPart, BackupReader},
    writer::{only_for_owner, private, sync_folder},
};

/// A backup under way, readable only for its owner.
/// Its name ends in `.part` until it is complete. Dropped before then, it is removed.
pub struct BackupFile {
    path: PathBuf,
    part: PathBuf,
    file: LockedFile,
    is_whole: bool,
    /// The leftover of a killed backup.
    /// It stays locked, so no other backup uses it as a leftover too.
    _left: Option<LockedFile>,
}

impl BackupFile {
    /// Creates the file, replacing the leftover of a killed backup.
    ///
    /// # Errors
    /// The file exists already, or one with `.part` not left by a backup; or it is in use, or cannot be
    /// written.
    pub fn create(path: &Path) -> Result<Self, TransferError> {
        if path.symlink_metadata().is_ok() {
            return Err(TransferError::Exists(path.to_owned()));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let left = match File::open(&part) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(TransferError::io(&part)(error)),
            Ok(file) => Some(Self::checked(file, &part)?),
        };
        if left.is_some() {
            fs::remove_file(&part).map_err(TransferError::io(&part))?;
        }
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        private(&mut options);
        let file = options.open(&part).map_err(TransferError::io(&part))?;
        let file = LockedFile::exclusive(file, &part)?;
        only_for_owner(&file).map_err(TransferError::io(&part))?;
        Ok(Self {
            path: path.to_owned(),
            part,
            file,
            is_whole: false,
            _left: left,
        })
    }

    /// Checks that a backup left this file, and locks it.
    fn checked(file: File, path: &Path) -> Result<LockedFile, TransferError> {
        let mut file = LockedFile::exclusive(file, path)?;
        let mut begin = Vec::new();
        let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
        if is_file {
            let mut first = (&mut file).take(MAGIC.len() as u64);
            first
                .read_to_end(&mut begin)
                .map_err(TransferError::io(path))?;
        }
        if is_file && MAGIC.starts_with(&begin) {
            Ok(file)
        } else {
            Err(TransferError::NotAnExport(path.to_owned()))
        }
    }

    /// Writes the next piece.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(&mut self, piece: &[u8]) -> Result<(), TransferError> {
        self.file
            .write_all(piece)
            .and_then(|()| self.file.sync_data())
            .map_err(TransferError::io(&self.part))
    }

    /// Reads the written file and checks it.
    /// Then gives the file its final name, unless another file has it by now.
    ///
    /// # Errors
    /// It is not whole, or cannot be read; or there is a file of that name.
    pub fn finish(mut self) -> Result<Transferred, TransferError> {
        let failed = TransferError::io(&self.part);
        self.file.sync_all().map_err(failed)?;
        let mut reader = BackupReader::of(self.file.clone(), &self.part)?;
        let written = loop {
            if let BackupPart::End(written) = reader.next()? {
                break written;
            }
        };
        give_name(&self.part, &self.path, &WAYS).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => TransferError::Exists(self.path.clone()),
            _ => TransferError::io(&self.path)(error),
        })?;
        self.is_whole = true;
        sync_folder(&self.path)?;
        Ok(written)
    }
}

impl Drop for BackupFile {
    fn drop(&mut self) {
        if !self.is_whole {
            // What stays is no backup, as its name tells, and the next one replaces it.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// A way to rename a file, without replacing another one.
type Way = fn(&Path, &Path) -> io::Result<()>;

/// The ways, the surest first. File systems such as exFAT and network ones lack some.
const WAYS: [Way; 3] = [by_link, by_rename, by_place];

/// Renames a file, by the first way its file system supports.
fn give_name(from: &Path, to: &Path, ways: &[Way]) -> io::Result<()> {
    let mut result = Err(ErrorKind::Unsupported.into());
    for way in ways {
        result = way(from, to);
        let is_done = match &result {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::AlreadyExists,
        };
        if is_done {
            break;
        }
    }
    result
}

fn by_link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to)?;
    // The file has its new name already, and the old one takes no space.
    let _ = fs::remove_file(from);
    Ok(())
}

#[cfg(target_os = "linux")]
fn by_rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(target_os = "linux"))]
fn by_rename(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Reserves the name with an empty file, then renames over it.
fn by_place(from: &Path, to: &Path) -> io::Result<()> {
    drop(File::create_new(to)?);
    fs::rename(from, to).inspect_err(|_| {
        // The reserved file is still empty.
        let _ = fs::remove_file(to);
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Each way alone is enough for a file system, and replaces nothing.
    #[test]
    fn a_file_gets_its_name_where_there_are_no_links() {
        let lacks: Way = |_, _| Err(io::Error::from_raw_os_error(1));
        for way in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let [part, path] = ["file.part", "file"].map(|name| folder.path().join(name));
            fs::write(&part, "backup").unwrap();
            fs::write(&path, "other").unwrap();
            let refused = give_name(&part, &path, &[lacks, way, by_place]).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&path).unwrap(), b"other");
            fs::remove_file(&path).unwrap();
            give_name(&part, &path, &[lacks, way, by_place]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"backup");
            assert!(!part.exists());
        }
    }
}
