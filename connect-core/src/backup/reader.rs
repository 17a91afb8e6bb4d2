//! Strict reading of a file, with checksums verified before any use.

use std::{
    fs::File,
    io::{BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{
    error::{DamagedFile, TransferError},
    format::{
        CHUNK, CHUNK_BYTES, CHUNK_HEAD_LEN, CHUNK_ROWS, DIGEST_LEN, END, END_LEN, END_MARK,
        HEAD_LEN, LONGEST_CHUNK, MAGIC, ROW_HEAD_LEN, SHORT_HEAD_LEN, VERSION, rows_of,
    },
    locked_file::LockedFile,
    progress::Transferred,
};
use crate::storage::{Entry, Key, RowsVersion};

/// The parts of a file read or written so far.
#[derive(Clone, Default)]
pub(super) struct Sofar {
    /// The hash of all bytes so far.
    pub(super) hash: Sha256,
    /// The number of bytes so far.
    pub(super) at: u64,
    pub(super) chunks: u64,
    pub(super) rows: u64,
    /// The bytes of keys and values.
    pub(super) bytes: u64,
    /// The last key.
    pub(super) last: Option<Key>,
}

/// A part of a file.
pub(super) enum BackupPart {
    /// A chunk with its rows.
    Chunk(Vec<Entry>),
    /// The end: the file is complete.
    End(Transferred),
}

/// Reads a file from its beginning, part by part.
pub(super) struct BackupReader {
    path: PathBuf,
    file: BufReader<LockedFile>,
    length: u64,
    sofar: Sofar,
}

impl BackupReader {
    /// Opens a file, and reads its head.
    ///
    /// # Errors
    /// It cannot be read, is in use, or is no export of this version.
    pub(super) fn open(path: &Path) -> Result<Self, TransferError> {
        let file = File::open(path).map_err(TransferError::io(path))?;
        Self::of(LockedFile::shared(file, path)?, path)
    }

    /// Reads the head of an open file.
    ///
    /// # Errors
    /// It cannot be read, or is no export of this version.
    pub(super) fn of(mut file: LockedFile, path: &Path) -> Result<Self, TransferError> {
        let facts = file.metadata().map_err(TransferError::io(path))?;
        if !facts.is_file() {
            return Err(TransferError::NotAnExport(path.to_owned()));
        }
        file.seek(SeekFrom::Start(0))
            .map_err(TransferError::io(path))?;
        let mut reader = Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(CHUNK_BYTES, file),
            length: facts.len(),
            sofar: Sofar::default(),
        };
        reader.head()?;
        Ok(reader)
    }

    fn head(&mut self) -> Result<(), TransferError> {
        let mut head = self.take(self.length.min(SHORT_HEAD_LEN) as usize)?;
        let magic = head.len().min(MAGIC.len());
        if head[..magic] != MAGIC[..magic] {
            return Err(TransferError::NotAnExport(self.path.clone()));
        }
        if (head.len() as u64) < SHORT_HEAD_LEN {
            return Err(self.unfinished());
        }
        let rows = match u32_at(&head, MAGIC.len()) {
            1 => RowsVersion::FIRST,
            VERSION if self.length < HEAD_LEN => return Err(self.unfinished()),
            VERSION => {
                let numbers = self.take((HEAD_LEN - SHORT_HEAD_LEN) as usize)?;
                head.extend_from_slice(&numbers);
                RowsVersion {
                    written_by: u32_at(&numbers, 0),
                    oldest_reader: u32_at(&numbers, 4),
                }
            }
            version => {
                let path = self.path.clone();
                return Err(TransferError::Version { path, version });
            }
        };
        rows.check().map_err(|source| TransferError::NewerRows {
            path: self.path.clone(),
            source,
        })?;
        self.sofar.hash.update(&head);
        self.sofar.at = head.len() as u64;
        Ok(())
    }

    /// The totals of the parts read so far.
    pub(super) fn sofar(&self) -> &Sofar {
        &self.sofar
    }

    /// Returns the file, and the totals so far.
    pub(super) fn into_file(self) -> (LockedFile, Sofar) {
        (self.file.into_inner(), self.sofar)
    }

    /// Returns true if the file has the last bytes of a finished one.
    /// The rest of the file is not checked.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn has_end_mark(&mut self) -> Result<bool, TransferError> {
        let Some(at) = self.length.checked_sub(END_MARK.len() as u64) else {
            return Ok(false);
        };
        let mut mark = [0; END_MARK.len()];
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(&mut mark))
            .map_err(TransferError::io(&self.path))?;
        Ok(mark == *END_MARK)
    }

    /// Reads the next part.
    /// Do not call it again after the end or an error.
    ///
    /// # Errors
    /// The file is damaged, or ends too soon.
    pub(super) fn next(&mut self) -> Result<BackupPart, TransferError> {
        match self.left() {
            0 => Err(self.unfinished()),
            _ => match self.take(1)?[0] {
                CHUNK => self.chunk(),
                END => self.end(),
                _ => Err(self.damaged("no chunk begins here")),
            },
        }
    }

    fn chunk(&mut self) -> Result<BackupPart, TransferError> {
        let head = self.take_all(CHUNK_HEAD_LEN - 1)?;
        let (number, rows, length) = (u64_at(&head, 0), u32_at(&head, 8), u32_at(&head, 12));
        if number != self.sofar.chunks {
            let (expected, number) = (self.sofar.chunks + 1, number.saturating_add(1));
            return Err(self.damaged(format!(
                "chunk {number} is where chunk {expected} has to be"
            )));
        }
        let count = rows as usize;
        let longest = if count == 1 {
            LONGEST_CHUNK
        } else {
            CHUNK_BYTES
        };
        let fewest = count.saturating_mul(ROW_HEAD_LEN);
        if !(1..=CHUNK_ROWS).contains(&count) || !(fewest..=longest).contains(&(length as usize)) {
            return Err(self.damaged(format!(
                "a chunk of {rows} rows with {length} bytes is not written by any export"
            )));
        }
        let bytes = self.take_all(length as usize)?;
        let digest = self.take_all(DIGEST_LEN)?;
        let mut hash = self.sofar.hash.clone();
        hash.update([CHUNK]);
        hash.update(&head);
        hash.update(&bytes);
        if hash.clone().finalize()[..] != digest[..] {
            return Err(self.damaged("the checksum of a chunk does not hold"));
        }
        hash.update(&digest);
        let entries = rows_of(&bytes, rows).map_err(|what| self.damaged(what))?;
        let mut last = self.sofar.last.as_ref();
        for (key, _) in &entries {
            if last.is_some_and(|last| last >= key) {
                return Err(self.damaged("the keys of a chunk do not ascend"));
            }
            last = Some(key);
        }
        self.sofar.last = last.cloned();
        self.sofar.hash = hash;
        self.sofar.at += (CHUNK_HEAD_LEN + bytes.len() + DIGEST_LEN) as u64;
        self.sofar.chunks += 1;
        self.sofar.rows += u64::from(rows);
        self.sofar.bytes += (bytes.len() - fewest) as u64;
        Ok(BackupPart::Chunk(entries))
    }

    fn end(&mut self) -> Result<BackupPart, TransferError> {
        let end = self.take_all(END_LEN - 1)?;
        let (counts, rest) = end.split_at(24);
        let (digest, mark) = rest.split_at(DIGEST_LEN);
        let mut hash = self.sofar.hash.clone();
        hash.update([END]);
        hash.update(counts);
        if hash.finalize()[..] != *digest || mark != END_MARK {
            return Err(self.damaged("the checksum of the file does not hold"));
        }
        let Sofar {
            chunks,
            rows,
            bytes,
            ..
        } = self.sofar;
        if [chunks, rows, bytes] != [0, 8, 16].map(|at| u64_at(counts, at)) {
            return Err(self.damaged("the file has not as many rows as it says"));
        }
        self.sofar.at += END_LEN as u64;
        if self.left() > 0 {
            return Err(self.damaged("something follows the end"));
        }
        Ok(BackupPart::End(Transferred {
            rows,
            bytes,
            checksum: hex::encode(digest),
        }))
    }

    /// The number of unread bytes.
    fn left(&self) -> u64 {
        self.length.saturating_sub(self.sofar.at)
    }

    /// Reads the number of bytes announced in the current part.
    fn take_all(&mut self, count: usize) -> Result<Vec<u8>, TransferError> {
        let at = self
            .file
            .stream_position()
            .map_err(TransferError::io(&self.path))?;
        if self.length.saturating_sub(at) < count as u64 {
            return Err(self.unfinished());
        }
        self.take(count)
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, TransferError> {
        let mut bytes = vec![0; count];
        self.file
            .read_exact(&mut bytes)
            .map_err(TransferError::io(&self.path))?;
        Ok(bytes)
    }

    fn damaged(&self, what: impl Into<String>) -> TransferError {
        TransferError::Damaged(DamagedFile {
            path: self.path.clone(),
            at: self.sofar.at,
            what: what.into(),
        })
    }

    fn unfinished(&self) -> TransferError {
        TransferError::Unfinished {
            path: self.path.clone(),
            length: self.length,
        }
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    number.map_or(0, |number| u64::from_be_bytes(*number))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    number.map_or(0, |number| u32::from_be_bytes(*number))
}
