//! From a file into a store.

use std::path::Path;

use super::{
    compare::compare,
    error::{DamagedFile, TransferError},
    marker::{UnfinishedImport, marker_key},
    progress::{Stage, TransferProgress, Transferred},
    reader::{Part, Reader},
    walk::Walk,
};
use crate::storage::{Commit, CommitError, Entry, Expectation, Guard, Read, Storage, Value, Write};

/// Writes all rows of a file into an empty store, and compares both. Goes on with what an interrupted
/// import of the same file has left. The whole file is checked before anything is written, and until
/// all is done the store has a mark ([`unfinished_import`](super::unfinished_import)). A store that
/// has exactly these rows already is left as it is.
///
/// # Errors
/// The file is damaged or unfinished; the store has other rows; the store or the disk failed.
pub async fn import(
    storage: &dyn Storage,
    path: &Path,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    let file = check(path, progress).await?;
    let mut state = storage.read(&[Read::Get(&marker_key())]).await?;
    let mark = state.value()?;
    if mark.is_none() && Walk::behind(storage, None).next().await?.is_some() {
        return match compare(storage, path, Some(file.rows), progress).await {
            Err(TransferError::Differs(difference)) => Err(TransferError::NotEmpty(difference)),
            compared => compared,
        };
    }
    let mut import = Import {
        storage,
        checksum: &file.checksum,
        chunks: 0,
        mark,
    };
    import.find_out()?;
    let mut reader = Reader::open(path)?;
    while let Part::Chunk(rows) = reader.next()? {
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
    if compared != file {
        // Somebody has put another file in its place meanwhile.
        return Err(TransferError::OtherFile(file.checksum));
    }
    import.finish().await?;
    Ok(file)
}

/// Reads the whole file.
async fn check(
    path: &Path,
    progress: &mut (dyn FnMut(TransferProgress) + Send),
) -> Result<Transferred, TransferError> {
    let mut reader = Reader::open(path)?;
    let mark = marker_key();
    loop {
        let at = reader.sofar().at;
        match reader.next()? {
            Part::Chunk(rows) if rows.iter().any(|(key, _)| *key == mark) => {
                return Err(TransferError::Damaged(DamagedFile {
                    path: path.to_owned(),
                    at,
                    what: "it holds the mark of an import, which no export has".to_owned(),
                }));
            }
            Part::Chunk(_) => {}
            Part::End(file) => return Ok(file),
        }
        progress(TransferProgress {
            stage: Stage::Checking,
            rows: reader.sofar().rows,
            of: None,
        });
        tokio::task::yield_now().await;
    }
}

/// A store that is being filled.
struct Import<'i> {
    storage: &'i dyn Storage,
    checksum: &'i str,
    /// The chunks that the store has.
    chunks: u64,
    /// The mark as it is in the store.
    mark: Option<Value>,
}

impl Import<'_> {
    /// Finds out how far an earlier import has come.
    fn find_out(&mut self) -> Result<(), TransferError> {
        let Some(mark) = &self.mark else {
            return Ok(());
        };
        let earlier = UnfinishedImport::of(mark)?;
        if earlier.checksum != self.checksum {
            return Err(TransferError::OtherFile(earlier.checksum));
        }
        self.chunks = earlier.chunks;
        Ok(())
    }

    /// Writes a chunk and the mark in one commit. Should its outcome be unknown, the next import
    /// reads it in the mark.
    async fn write(&mut self, rows: Vec<Entry>) -> Result<(), TransferError> {
        let mark = UnfinishedImport {
            checksum: self.checksum.to_owned(),
            chunks: self.chunks + 1,
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

    /// Takes the mark away.
    async fn finish(&mut self) -> Result<(), TransferError> {
        let Some(mark) = self.mark.take() else {
            return Ok(());
        };
        self.commit(Commit {
            guard: None,
            expects: vec![(marker_key(), Expectation::Is(mark))],
            writes: vec![(marker_key(), Write::Remove)],
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
