//! The choice of a place to keep records.

use std::{path::PathBuf, str::FromStr};

/// A place to keep records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageChoice {
    /// In memory: gone when the server stops.
    Memory,
    /// In an embedded store on redb, in this directory.
    Redb(PathBuf),
    /// In an embedded store on sled, in this directory.
    Sled(PathBuf),
}

impl FromStr for StorageChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("redb", path)) if !path.is_empty() => Ok(Self::Redb(path.into())),
            Some(("sled", path)) if !path.is_empty() => Ok(Self::Sled(path.into())),
            _ => Err("must be \"memory\", or \"redb:\" or \"sled:\" and a directory".to_owned()),
        }
    }
}
