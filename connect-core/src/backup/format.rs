//! The file format, and its limits.
//!
//! ```text
//! file  = head chunk* end
//! head  = MAGIC, version (4), number of the program (4), number of the oldest program that can read the rows (4)
//! chunk = 1 (1), number (8), rows (4), length (4), row*, digest (32)
//! row   = length of the key (2), length of the value (4), key, value
//! end   = 2 (1), chunks (8), rows (8), bytes of keys and values (8), digest (32), END_MARK
//! ```
//!
//! The head of version 1 ends before the numbers of the programs; these numbers are the [version of
//! rows](crate::storage::RowsVersion).
//!
//! Numbers are big-endian, with their length in bytes in parentheses. A digest is the SHA-256 of everything
//! before it in the file, so a moved chunk is detected, and the last digest is the checksum of the whole
//! file. Keys ascend over all chunks. Two stores with the same rows have the same chunks, in whatever pages
//! the rows were read and however often that was interrupted.

use crate::storage::{Entry, MAX_KEY_LEN, MAX_VALUE_LEN, RowsVersion};

/// The first bytes of every file.
/// The last of them reveal a transfer as text.
pub(super) const MAGIC: &[u8; 16] = b"connect store\x00\r\n";

/// The version of the format.
pub(super) const VERSION: u32 = 2;

/// The length of the head up to the version, as in version 1.
pub(super) const SHORT_HEAD_LEN: u64 = 20;

/// The length of the head, in bytes.
pub(super) const HEAD_LEN: u64 = 28;

/// The last bytes of every finished file.
pub(super) const END_MARK: &[u8; 16] = b"\r\n\x00connect ends\n";

/// The first byte of a chunk.
pub(super) const CHUNK: u8 = 1;

/// The first byte of the end.
pub(super) const END: u8 = 2;

/// The length of a chunk before its rows, in bytes.
pub(super) const CHUNK_HEAD_LEN: usize = 17;

/// The length of the end, in bytes.
pub(super) const END_LEN: usize = 25 + DIGEST_LEN + END_MARK.len();

/// The length of a digest, in bytes.
pub(super) const DIGEST_LEN: usize = 32;

/// The length of a row before its key, in bytes.
pub(super) const ROW_HEAD_LEN: usize = 6;

/// The most rows of a chunk.
pub(super) const CHUNK_ROWS: usize = 2000;

/// The most bytes of rows in a chunk of several rows.
pub(super) const CHUNK_BYTES: usize = 1024 * 1024;

/// The most bytes of rows in any chunk.
pub(super) const LONGEST_CHUNK: usize = ROW_HEAD_LEN + MAX_KEY_LEN + MAX_VALUE_LEN;

/// The head of a file.
pub(super) fn head() -> Vec<u8> {
    let RowsVersion {
        written_by,
        oldest_reader,
    } = RowsVersion::THIS;
    let numbers = [VERSION, written_by, oldest_reader].map(u32::to_be_bytes);
    [&MAGIC[..], &numbers.concat()].concat()
}

/// The length of a row, in bytes.
pub(super) fn row_len((key, value): &Entry) -> usize {
    ROW_HEAD_LEN + key.len() + value.len()
}

/// The rows of one chunk, until it is full.
#[derive(Default)]
pub(super) struct Filling {
    rows: u32,
    bytes: Vec<u8>,
    /// The bytes of keys and values only.
    content: u64,
}

impl Filling {
    /// Returns true if the chunk must end before this row.
    pub(super) fn is_full_for(&self, row: &Entry) -> bool {
        let is_too_long = self.bytes.len() + row_len(row) > CHUNK_BYTES;
        self.rows as usize == CHUNK_ROWS || (self.rows > 0 && is_too_long)
    }

    /// Adds a row within the limits of length.
    pub(super) fn add(&mut self, (key, value): &Entry) {
        self.bytes
            .extend_from_slice(&(key.len() as u16).to_be_bytes());
        self.bytes
            .extend_from_slice(&(value.len() as u32).to_be_bytes());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        self.rows += 1;
        self.content += (key.len() + value.len()) as u64;
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> u64 {
        u64::from(self.rows)
    }

    /// The bytes of keys and values.
    pub(super) fn content(&self) -> u64 {
        self.content
    }

    /// Encodes the chunk with this number, without its digest.
    pub(super) fn chunk(&self, number: u64) -> Vec<u8> {
        let mut chunk = Vec::with_capacity(CHUNK_HEAD_LEN + self.bytes.len() + DIGEST_LEN);
        chunk.push(CHUNK);
        chunk.extend_from_slice(&number.to_be_bytes());
        chunk.extend_from_slice(&self.rows.to_be_bytes());
        chunk.extend_from_slice(&(self.bytes.len() as u32).to_be_bytes());
        chunk.extend_from_slice(&self.bytes);
        chunk
    }
}

/// Parses the rows of a chunk.
///
/// # Errors
/// A sentence describing the damage.
pub(super) fn rows_of(mut bytes: &[u8], count: u32) -> Result<Vec<Entry>, String> {
    let mut rows = Vec::with_capacity(count as usize);
    for number in 1..=count {
        let cut = || format!("row {number} goes beyond the end of the chunk");
        let (key_len, rest) = bytes.split_first_chunk::<2>().ok_or_else(cut)?;
        let (value_len, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        let key_len = usize::from(u16::from_be_bytes(*key_len));
        let value_len = u32::from_be_bytes(*value_len) as usize;
        if key_len > MAX_KEY_LEN || value_len > MAX_VALUE_LEN {
            return Err(format!("row {number} is longer than a row can be"));
        }
        let (key, rest) = rest.split_at_checked(key_len).ok_or_else(cut)?;
        let (value, rest) = rest.split_at_checked(value_len).ok_or_else(cut)?;
        rows.push((key.into(), value.into()));
        bytes = rest;
    }
    if bytes.is_empty() {
        Ok(rows)
    } else {
        Err("bytes follow its last row".to_owned())
    }
}
