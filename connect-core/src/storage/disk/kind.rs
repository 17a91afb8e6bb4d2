//! The kinds of stores, by the engine under them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The engine under a store on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// sled 0.34.
    Sled,
    /// redb 4.
    Redb,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sled => "sled",
            Self::Redb => "redb",
        })
    }
}
