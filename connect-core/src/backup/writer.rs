//! Writing a file: a new one, or the rest of an interrupted export.

use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use sha2::Digest as _;

use super::{
    error::TransferError,
    format::{Filling, HEAD_LEN, head},
    locked_file::LockedFile,
    progress::Transferred,
    reader::{BackupPart, BackupReader, Sofar},
    seal,
};

/// Writes a file, part by part.
/// Each part is synced to disk before the next one is written.
pub(super) struct BackupWriter {
    path: PathBuf,
    file: LockedFile,
    sofar: Sofar,
}

impl BackupWriter {
    /// Creates a file, or opens an unfinished export.
    /// Only the owner can read the file. An unfinished export continues after its last complete chunk.
    /// `overwrite` starts over, even a finished export. Without it, a finished export returns `None`.
    ///
    /// # Errors
    /// The file is no export, or a damaged one; it is in use, or cannot be written.
    pub(super) fn open(path: &Path, overwrite: bool) -> Result<Option<Self>, TransferError> {
        let mut options = File::options();
        options.read(true).write(true);
        private(&mut options);
        match options.clone().create_new(true).open(path) {
            Ok(file) => {
                let file = LockedFile::exclusive(file, path)?;
                sync_folder(path)?;
                Self::begin(file, path).map(Some)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let file = options.open(path).map_err(TransferError::io(path))?;
                let file = LockedFile::exclusive(file, path)?;
                Self::go_on(file, path, overwrite)
            }
            Err(error) => Err(TransferError::io(path)(error)),
        }
    }

    /// Continues with an existing file.
    fn go_on(
        file: LockedFile,
        path: &Path,
        overwrite: bool,
    ) -> Result<Option<Self>, TransferError> {
        let length = file.metadata().map_err(TransferError::io(path))?.len();
        let again = file.clone();
        // This also refuses a file that is not an export.
        let mut reader = match BackupReader::of(file, path) {
            Err(TransferError::Unfinished { .. }) if length < HEAD_LEN => {
                return Self::begin(again, path).map(Some);
            }
            Ok(_) if overwrite => return Self::begin(again, path).map(Some),
            reader => reader?,
        };
        let damage = loop {
            match reader.next() {
                Ok(BackupPart::Chunk(_)) => {}
                Ok(BackupPart::End(_)) => return Ok(None),
                Err(damage) => break damage,
            }
        };
        let is_cut = matches!(
            damage,
            TransferError::Unfinished { .. } | TransferError::Damaged(_)
        );
        // A finished file is never truncated. In an unfinished one, only a partly written part can follow
        // the last complete one.
        if !is_cut || reader.has_end_mark()? {
            return Err(damage);
        }
        let (file, sofar) = reader.into_file();
        Self::behind(file, path, sofar).map(Some)
    }

    /// Starts a file, discarding any content.
    fn begin(file: LockedFile, path: &Path) -> Result<Self, TransferError> {
        let mut writer = Self::behind(file, path, Sofar::default())?;
        let head = head();
        writer.append(&head)?;
        writer.sofar.hash.update(&head);
        Ok(writer)
    }

    /// Truncates the file after the known parts, to write there.
    fn behind(mut file: LockedFile, path: &Path, sofar: Sofar) -> Result<Self, TransferError> {
        file.set_len(sofar.at)
            .and_then(|()| file.seek(SeekFrom::Start(sofar.at)))
            .and_then(|_| only_for_owner(&file))
            .map_err(TransferError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            sofar,
        })
    }

    /// The totals of the parts written so far.
    pub(super) fn sofar(&self) -> &Sofar {
        &self.sofar
    }

    /// Writes a chunk of at least one row; `last` is its last key.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn chunk(&mut self, filled: &Filling, last: &[u8]) -> Result<(), TransferError> {
        let (chunk, sofar) = seal::chunk(&self.sofar, filled, last);
        self.append(&chunk)?;
        self.sofar = sofar;
        Ok(())
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn end(mut self) -> Result<Transferred, TransferError> {
        let (end, written) = seal::end(&self.sofar);
        self.append(&end)?;
        self.file
            .sync_all()
            .map_err(TransferError::io(&self.path))?;
        Ok(written)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), TransferError> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_data())
            .map_err(TransferError::io(&self.path))?;
        self.sofar.at += bytes.len() as u64;
        Ok(())
    }
}

/// Makes a new file private.
/// It holds digests of tokens, and secrets of webhooks.
#[cfg(unix)]
pub(super) fn private(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
pub(super) fn private(_: &mut OpenOptions) {}

/// Restricts access to a file to its owner.
#[cfg(unix)]
pub(super) fn only_for_owner(file: &File) -> std::io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
pub(super) fn only_for_owner(_: &File) -> std::io::Result<()> {
    Ok(())
}

/// Syncs the folder, making the name of a new file durable.
pub(super) fn sync_folder(path: &Path) -> Result<(), TransferError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(TransferError::io(folder))
}
