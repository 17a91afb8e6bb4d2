//! The choice of a place to keep records.

use std::{fmt, path::PathBuf, str::FromStr};

use connect_core::storage::postgres::DatabaseAddress;

/// A place to keep records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageChoice {
    /// In memory, lost when the server stops.
    Memory,
    /// In an embedded store on redb, in this directory.
    Redb(PathBuf),
    /// In an embedded store on sled, in this directory.
    Sled(PathBuf),
    /// In a database on PostgreSQL, possibly shared by several servers.
    Postgres(DatabaseAddress),
}

impl FromStr for StorageChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("redb", path)) if !path.is_empty() => Ok(Self::Redb(path.into())),
            Some(("sled", path)) if !path.is_empty() => Ok(Self::Sled(path.into())),
            Some(("postgres" | "postgresql", _)) => match text.parse() {
                Ok(address) => Ok(Self::Postgres(address)),
                Err(error) => Err(error.to_string()),
            },
            _ => Err(
                "must be \"memory\", \"redb:\" or \"sled:\" and a directory, or an address such as \
                 postgres://user:password@host/database"
                    .to_owned(),
            ),
        }
    }
}

/// Writes the choice as given, without the password of a database.
impl fmt::Display for StorageChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Redb(path) => write!(f, "redb:{}", path.display()),
            Self::Sled(path) => write!(f, "sled:{}", path.display()),
            Self::Postgres(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_names_no_place_is_refused() {
        for word in ["", "disk", "redb", "redb:", "sled:", "mysql:shop"] {
            let refused = word.parse::<StorageChoice>().unwrap_err();
            assert!(
                refused.starts_with("must be \"memory\""),
                "{word}: {refused}"
            );
        }
    }

    #[test]
    fn a_database_is_shown_without_its_password() {
        let text = "postgres://shop:s3cret@db.example:5433/connect?sslmode=require";
        let choice: StorageChoice = text.parse().unwrap();
        let shown = "postgres://shop:********@db.example:5433/connect?sslmode=require";
        assert_eq!(choice.to_string(), shown);
        assert!(!format!("{choice:?}").contains("s3cret"));
    }
}
