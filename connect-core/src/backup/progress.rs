//! The progress of a transfer, and its result.

use serde::Serialize;

/// The part of its work that a transfer is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The file is read and checked.
    Checking,
    /// Rows are carried over.
    Moving,
    /// File and store are compared.
    Comparing,
}

/// The progress of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferProgress {
    /// The part of the work.
    pub stage: Stage,
    /// The rows of this part that are done, those of an earlier, interrupted transfer included.
    pub rows: u64,
    /// The number of rows of the whole, once it is known.
    pub of: Option<u64>,
}

/// A store that was carried over: what the file and the store both have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transferred {
    /// The number of rows.
    pub rows: u64,
    /// The bytes of all keys and values.
    pub bytes: u64,
    /// The checksum of the file, in hexadecimal digits. Two stores with the same rows have the same.
    pub checksum: String,
}
