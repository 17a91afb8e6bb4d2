//! The choice of a place to keep records.

use std::{fmt, path::PathBuf, str::FromStr};

use url::Url;

/// A place to keep records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageChoice {
    /// In memory: gone when the server stops.
    Memory,
    /// In an embedded store on redb, in this directory.
    Redb(PathBuf),
    /// In an embedded store on sled, in this directory.
    Sled(PathBuf),
    /// In a database on PostgreSQL, which several servers may share.
    Postgres(DatabaseUrl),
}

impl FromStr for StorageChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("redb", path)) if !path.is_empty() => Ok(Self::Redb(path.into())),
            Some(("sled", path)) if !path.is_empty() => Ok(Self::Sled(path.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.parse()?)),
            _ => Err(
                "must be \"memory\", \"redb:\" or \"sled:\" and a directory, or an address such as \
                 postgres://user:password@host/database"
                    .to_owned(),
            ),
        }
    }
}

/// As it is given, without the password of a database.
impl fmt::Display for StorageChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Redb(path) => write!(f, "redb:{}", path.display()),
            Self::Sled(path) => write!(f, "sled:{}", path.display()),
            Self::Postgres(url) => write!(f, "{url}"),
        }
    }
}

/// The address of a database. It is shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(Url);

impl DatabaseUrl {
    /// The address with its password.
    pub fn secret(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| {
            format!("must be an address such as postgres://user:password@host/database: {error}")
        })?;
        if url.query_pairs().any(|(name, _)| name == "password") {
            return Err(
                "must have the password in front of the host: user:password@host".to_owned(),
            );
        }
        Ok(Self(url))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        if shown.password().is_some() {
            // It fails for addresses without a host alone, which have no password.
            let _ = shown.set_password(Some("********"));
        }
        f.write_str(shown.as_str())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_shown_without_its_password() {
        let text = "postgres://shop:s3cret@db.example:5433/connect?sslmode=require";
        let choice: StorageChoice = text.parse().unwrap();
        let StorageChoice::Postgres(url) = &choice else {
            panic!("{choice}");
        };
        assert_eq!(url.secret(), text);
        let shown = "postgres://shop:********@db.example:5433/connect?sslmode=require";
        assert_eq!(choice.to_string(), shown);
        assert!(!format!("{choice:?}").contains("s3cret"));
        let refused = "postgres://db/connect?password=s3cret".parse::<StorageChoice>();
        assert!(!refused.unwrap_err().contains("s3cret"));
    }
}
