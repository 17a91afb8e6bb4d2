//! The reasons for a failed read of an engine.

use std::sync::Arc;

use crate::storage::StorageError;

/// The reason for a failed read.
#[derive(Clone, Debug)]
pub(crate) enum ReadFault {
    /// One row is damaged. The other rows are readable.
    Row {
        /// The key of the row.
        key: Arc<[u8]>,
        /// The damage.
        damage: Damage,
    },
    /// A part of the engine's files is damaged. Reopening does not help.
    Damaged(StorageError),
    /// The engine failed. Reopening may help.
    Engine(StorageError),
}

/// Damage to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// Its bytes differ from the written ones.
    Checksum,
    /// A part of its value is missing.
    MissingPart,
}

impl From<ReadFault> for StorageError {
    fn from(fault: ReadFault) -> Self {
        match fault {
            ReadFault::Row { key, damage } => {
                let damage = match damage {
                    Damage::Checksum => "is damaged",
                    Damage::MissingPart => "lacks a part of its value",
                };
                let shown = &key[..key.len().min(SHOWN)];
                Self::new(format_args!(
                    "the row with the key {} {damage}; `connect-server check` finds all such \
                     rows, and a copy of the folder brings them back",
                    hex::encode(shown)
                ))
            }
            ReadFault::Damaged(error) | ReadFault::Engine(error) => error,
        }
    }
}

/// The most bytes of a key to show in an error.
pub(super) const SHOWN: usize = 128;
