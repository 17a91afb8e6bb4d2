//! The import of a file into a store.

use std::path::{Path, PathBuf};

use super::{
    compare::compare,
    error::{DamagedFile, TransferError},
    locked_file::LockedFile,
    marker::{UnfinishedImport, marker_key},
    progress::{Stage, TransferProgress, Transferred},
    reader::{BackupPart, BackupReader},
    restored::{Restored, restored, restored_key},
    walk::StoreWalk,
};
use crate::storage::{Commit, CommitError, Entry, Expectation, Guard, Read, Storage, Value, Write};

/// Options for an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Restores the store from a backup.
    /// The store has a mark ([`restored`](super::restored())) from its first row on. It must be empty
    /// before: even the same rows are an error.
    pub restores: bool,
}

/// A completely read and verified file of an export or a backup.
/// A lock prevents changes to it meanwhile.
pub struct CheckedFile {
    path: PathBuf,
    facts: Transferred,
    _lock: LockedFile,
}

impl CheckedFile {
    /// Reads the whole file.
    ///
    /// # Errors
    /// The file is damaged or unfinished, or cannot be read.
    pub async fn read(
        path: &Path,
        progress: &mut (dyn FnMut(TransferProgress) + Send),
    ) -> Result<Self, TransferError> {
        let mut reader = BackupReader::open(path)?;
        let marks = [marker_key(), restored_key()];
        loop {
            let at = reader.sofar().at;
            match reader.next()? {
                BackupPart::Chunk(rows) if rows.iter().any(|(key, _)| marks.contains(key)) => {
                    return Err(TransferError::Damaged(DamagedFile {
                        path: path.to_owned(),
                        at,
                        what: "it holds the mark of an import, which no export has".to_owned(),
                    }));
                }
                BackupPart::Chunk(_) => {}
                BackupPart::End(facts) => {
                    return Ok(Self {
                        path: path.to_owned(),
                        facts,
                        _lock: reader.into_file().0,
                    });
                }
            }
            progress(TransferProgress {
                stage: Stage::Checking,
                rows: reader.sofar().rows,
                of: None,
            });
            tokio::task::yield_now().await;
        }
    }

    /// The first rows of a new store: the mark of an unfinished import.
    /// So a store whose import was interrupted is never mistaken for a complete, empty one.
    ///
    /// # Errors
    /// The mark cannot be serialized.
    pub fn first_rows(&self, options: ImportOptions) -> Result<Vec<Entry>, TransferError> {
        let mark = UnfinishedImport {
            checksum: self.facts.checksum.clone(),
            chunks: 0,
            restores: options.restores,
        };
        Ok(vec![(marker_key(), mark.row()?)])
    }

    /// Writes all rows of the file into an empty store, and compares both.
    /// Continues an interrupted import of the same file. Until the end, the store has a mark
    /// ([`unfinished_import`](super::unfinished_import)). A store with exactly these rows is left
    /// unchanged.
    ///
    /// # Errors
    /// The store has other rows; the store or the disk failed.
    pub async fn import(
        &self,
        storage: &dyn Storage,
        options: ImportOptions,
        progress: &mut (dyn FnMut(TransferProgress) + Send),
    ) -> Result<Transferred, TransferError> {
        let (path, file) = (&*self.path, &self.facts);
        let mut state = storage.read(&[Read::Get(&marker_key())]).await?;
        let mark = state.value()?;
        if mark.is_none() {
            let is_empty = StoreWalk::behind(storage, None).next().await?.is_none();
            if options.restores && !(is_empty && restored(storage).await?.is_none()) {
                return Err(TransferError::InUse);
            }
            if !is_empty {
                return match compare(storage, path, Some(file.rows), progress).await {
                    Err(TransferError::Differs(difference)) => {
                        Err(TransferError::NotEmpty(difference))
                    }
                    compared => compared,
                };
            }
        }
        let mut import = Import {
            storage,
            checksum: &file.checksum,
            chunks: 0,
            restores: options.restores,
            mark,
        };
        import.find_out()?;
        let mut reader = BackupReader::open(path)?;
        while let BackupPart::Chunk(rows) = reader.next()? {
            if reader.sofar().chunks > import.chunks {
                import.write(rows).await?;
            }
            progress(TransferProgress {
                stage: Stage::Moving,
                rows: reader.sofar().rows,
                of: Some(file.rows),
            });
            tokio::task::yield_now().await;
        }
        let compared = compare(storage, path, Some(file.rows), progress).await?;
        if compared != *file {
            // The file was replaced by another one meanwhile.
            return Err(TransferError::OtherFile(file.checksum.clone()));
        }
        import.finish().await?;
        Ok(compared)
    }
}

/// Reads a whole file, then writes its rows into an empty store.
/// See [`CheckedFile::read`] and [`CheckedFile::import`].
///
/// # Errors
/// The file is damaged or unfinished; the store has other rows; the store or the disk failed.
pub async fn import(
    storage: &dyn Storage,
    path: &Path,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    let file = CheckedFile::read(path, progress).await?;
    file.import(storage, ImportOptions::default(), progress)
        .await
}

/// An import into a store.
struct Import<'i> {
    storage: &'i dyn Storage,
    checksum: &'i str,
    /// The number of chunks already in the store.
    chunks: u64,
    /// Set if the store gets the mark of a restored one.
    restores: bool,
    /// The mark as stored.
    mark: Option<Value>,
}

impl Import<'_> {
    /// Reads the progress of an earlier import.
    fn find_out(&mut self) -> Result<(), TransferError> {
        let Some(mark) = &self.mark else {
            return Ok(());
        };
        let earlier = UnfinishedImport::of(mark)?;
        if earlier.checksum != self.checksum {
            return Err(TransferError::OtherFile(earlier.checksum));
        }
        self.chunks = earlier.chunks;
        // The option of the first run stays: a restored copy for trial must not become a live store.
        self.restores |= earlier.restores;
        Ok(())
    }

    /// Writes a chunk and the mark in one commit.
    /// If its outcome is unknown, the next import reads it in the mark.
    async fn write(&mut self, rows: Vec<Entry>) -> Result<(), TransferError> {
        let mark = UnfinishedImport {
            checksum: self.checksum.to_owned(),
            chunks: self.chunks + 1,
            restores: self.restores,
        };
        let becomes = mark.row()?;
        let put = |(key, value)| (key, Write::New(value));
        let commit = Commit {
            guard: Some(Guard {
                key: marker_key(),
                was: self.mark.take(),
                becomes: becomes.clone(),
            }),
            expects: Vec::new(),
            writes: rows.into_iter().map(put).collect(),
        };
        self.commit(commit).await?;
        self.chunks = mark.chunks;
        self.mark = Some(becomes);
        Ok(())
    }

    /// Removes the mark.
    /// A restored store gets its own mark in the same commit.
    async fn finish(&mut self) -> Result<(), TransferError> {
        let mut writes = Vec::new();
        if self.restores {
            let restored = Restored {
                checksum: self.checksum.to_owned(),
            };
            writes.push((restored_key(), Write::New(restored.row()?)));
        }
        let mark = self.mark.take();
        if mark.is_some() {
            writes.push((marker_key(), Write::Remove));
        }
        if writes.is_empty() {
            return Ok(());
        }
        let is = |mark| (marker_key(), Expectation::Is(mark));
        self.commit(Commit {
            guard: None,
            expects: mark.map(is).into_iter().collect(),
            writes,
        })
        .await
    }

    async fn commit(&self, commit: Commit) -> Result<(), TransferError> {
        let done = self.storage.commit(commit).await;
        done.map_err(|error| match error {
            CommitError::Conflict => TransferError::OthersWrite,
            error => TransferError::Commit(error),
        })
    }
}
