//! The progress of a store: its marks, and a record of the last.
//!
//! The engine stores its [`StoreMark`] in the same batch as the rows, so the two always agree. The
//! record is a file beside the engine's, rewritten in place after each durable group and never
//! synced: it survives a killed process. After a loss of power it may be older than the engine,
//! never newer. It is therefore a lower bound of the acknowledged groups, and an engine below it
//! has lost data.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::files;

/// The name of the record.
pub(super) const FILE: &str = "connect.progress";

/// The state of a store after a group of commits.
/// It holds the group's number, and a fingerprint of all rows, cheap to update from group to group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreMark {
    /// The number of the last group, from 1 on.
    pub(super) number: u64,
    /// The number of rows.
    pub(super) rows: u64,
    /// The sum of the checksums of all rows, wrapping round. The order of rows does not matter.
    pub(super) sum: u64,
}

impl StoreMark {
    /// The length of an encoded mark in bytes.
    pub(super) const LEN: usize = 24;

    /// Counts a row in.
    pub(super) fn add(&mut self, checksum: u64) {
        self.rows = self.rows.wrapping_add(1);
        self.sum = self.sum.wrapping_add(checksum);
    }

    /// Counts a row out, by its former checksum.
    pub(super) fn remove(&mut self, checksum: u64) {
        self.rows = self.rows.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(checksum);
    }

    /// Returns whether both have the same rows.
    pub(super) fn same_rows(&self, other: &Self) -> bool {
        (self.rows, self.sum) == (other.rows, other.sum)
    }

    /// The bytes of a mark.
    pub(super) fn encode(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let fields = [self.number, self.rows, self.sum];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_be_bytes());
        }
        bytes
    }

    /// Reads the bytes of a mark; `None` if they are not one.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != Self::LEN {
            return None;
        }
        let field = |at: usize| Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Self {
            number: field(0)?,
            rows: field(8)?,
            sum: field(16)?,
        })
    }
}

/// The content of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    /// The last group recorded as durable.
    pub(super) mark: StoreMark,
    /// The length of the engine's data file at the time, in bytes.
    pub(super) length: u64,
}

const MAGIC: &[u8; 8] = b"connect2";
const RECORD_LEN: usize = MAGIC.len() + StoreMark::LEN + 8 + 4;

impl Recorded {
    fn encode(&self) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        let (content, checksum) = bytes.split_at_mut(RECORD_LEN - 4);
        content[..8].copy_from_slice(MAGIC);
        content[8..8 + StoreMark::LEN].copy_from_slice(&self.mark.encode());
        content[8 + StoreMark::LEN..].copy_from_slice(&self.length.to_be_bytes());
        checksum.copy_from_slice(&crc32fast::hash(content).to_be_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<4>()?;
        let content = content.strip_prefix(MAGIC)?;
        if crc32fast::hash(&bytes[..bytes.len() - 4]).to_be_bytes() != *checksum {
            return None;
        }
        let (mark, length) = content.split_last_chunk::<8>()?;
        Some(Self {
            mark: StoreMark::decode(mark)?,
            length: u64::from_be_bytes(*length),
        })
    }

    /// Reads the record of a folder. `None` if missing or torn.
    pub(super) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(folder.join(FILE)) {
            Ok(bytes) => Ok(Self::decode(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The record, open for writing.
/// Both files stay open, so recording works even when the process has no file descriptors left.
#[derive(Debug)]
pub(super) struct ProgressRecord {
    record: File,
    data: File,
    data_path: PathBuf,
}

impl ProgressRecord {
    /// Opens the record of a folder, creating it if missing.
    /// `data` is the engine's data file.
    pub(super) fn open(folder: &Path, data: &Path) -> io::Result<Self> {
        let record = files::private()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(FILE))?;
        Ok(Self {
            record,
            data: File::open(data)?,
            data_path: data.into(),
        })
    }

    /// Records a durable group, with the data file's current length.
    pub(super) fn record(&self, mark: StoreMark) -> io::Result<()> {
        let length = self.data.metadata()?.len();
        write_at_start(&self.record, &Recorded { mark, length }.encode())
    }

    /// Syncs the record and its name, to survive a loss of power.
    pub(super) fn sync(&self, folder: &Path) -> io::Result<()> {
        self.record.sync_all()?;
        files::sync_folder(folder)
    }

    /// The engine's data file.
    pub(super) fn data_path(&self) -> &Path {
        &self.data_path
    }
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, Write};

    file.rewind()?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: Recorded = Recorded {
        mark: StoreMark {
            number: 7,
            rows: 3,
            sum: u64::MAX,
        },
        length: 1 << 20,
    };

    #[test]
    fn a_record_is_read_as_it_was_written() {
        assert_eq!(Recorded::decode(&RECORDED.encode()), Some(RECORDED));
    }

    #[test]
    fn a_torn_record_is_none() {
        let whole = RECORDED.encode();
        for len in 0..whole.len() {
            assert_eq!(Recorded::decode(&whole[..len]), None, "{len} bytes");
        }
        for at in 0..whole.len() {
            let mut torn = whole;
            torn[at] ^= 1;
            assert_eq!(Recorded::decode(&torn), None, "flipped at {at}");
        }
    }

    #[test]
    fn marks_do_not_depend_on_the_order_of_rows() {
        let (mut one, mut other) = (StoreMark::default(), StoreMark::default());
        for checksum in [1, u64::MAX, 77] {
            one.add(checksum);
        }
        one.remove(1);
        other.add(77);
        other.add(u64::MAX);
        assert!(one.same_rows(&other));
        other.remove(77);
        assert!(!one.same_rows(&other));
    }
}
