//! The progress of a transfer, and its result.

use serde::Serialize;

/// The stage of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The file is read and checked.
    Checking,
    /// Rows are copied.
    Moving,
    /// File and store are compared.
    Comparing,
}

/// The progress of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferProgress {
    /// The current stage.
    pub stage: Stage,
    /// The rows done in this stage, including an earlier, interrupted transfer.
    pub rows: u64,
    /// The total number of rows, once known.
    pub of: Option<u64>,
}

/// The result of a transfer, equal in file and store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transferred {
    /// The number of rows.
    pub rows: u64,
    /// The bytes of all keys and values.
    pub bytes: u64,
    /// The checksum of the file, in hexadecimal digits.
    /// Two stores with the same rows have the same checksum.
    pub checksum: String,
}
