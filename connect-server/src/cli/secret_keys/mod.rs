//! The keys for stored secrets: in a file, in a setting, or in memory.

mod file;

use std::{path::PathBuf, str::FromStr, sync::Arc};

use clap::Args;
use connect_core::{
    Connect,
    environment::{KeyRing, NoSecretKey, SecretKey, SecretKeys, SystemRandomness},
};

use self::file::KeyFile;
pub use self::file::KeyFileError;
pub(super) use self::file::add_key;
use super::{StorageChoice, StoreOptions, secret};

/// The place of the keys for stored secrets.
#[derive(Clone, Debug, Args)]
pub struct SecretKeyOptions {
    /// The file of the keys by which the secrets in the store are sealed: one in each line, as `openssl rand -hex 32`
    /// prints it. The first one seals, all open. A new line takes effect at once [default: "store.keys" beside the
    /// store, made at the first start; a database has none]
    #[arg(
        long,
        value_name = "FILE",
        env = "CONNECT_SECRETS_KEY_FILE",
        conflicts_with = "secrets_key",
        global = true
    )]
    pub secrets_key_file: Option<PathBuf>,
    /// These keys in place of a file, with commas between. Set them in the environment, as others on this machine
    /// can read a command line [default: the keys of the file]
    #[arg(
        long,
        value_name = "KEYS",
        env = "CONNECT_SECRETS_KEY",
        hide_env_values = true,
        value_parser = secret::secret::<GivenKeys>(),
        global = true
    )]
    pub secrets_key: Option<GivenKeys>,
}

/// Keys given as text, with commas between. `Debug` hides them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenKeys(KeyRing);

impl FromStr for GivenKeys {
    type Err = NoSecretKey;

    fn from_str(text: &str) -> Result<Self, NoSecretKey> {
        let keys = text.split(',').map(|key| key.trim().parse());
        let keys = keys.collect::<Result<Vec<SecretKey>, _>>()?;
        Ok(Self(KeyRing::new(keys)))
    }
}

/// The reason why a server does not start for want of keys.
#[derive(Debug, thiserror::Error)]
pub enum NoKeys {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// A database has no place of its own for keys.
    #[error(
        "a database needs a key for the secrets in it, the same on each of its servers: set CONNECT_SECRETS_KEY_FILE \
         to a file with the line that `openssl rand -hex 32` prints, or CONNECT_SECRETS_KEY to that line; keep a copy \
         apart from the backups of the database"
    )]
    Unset,
    /// The named file is missing.
    #[error(
        "{}, the file of keys for stored secrets, is missing: bring it, or make it with `connect-server secrets rotate` \
         and bring it to each server of the database", .0.display()
    )]
    Missing(PathBuf),
}

/// The keys of a store, as chosen by the settings.
pub(crate) enum SecretKeySource {
    /// In this file. It may be missing.
    File {
        file: Arc<KeyFile>,
        /// Set for a store of one server, whose first start makes the file.
        may_make: bool,
    },
    /// In a setting, or in memory.
    Given(KeyRing),
    /// None are set for a database.
    Unset,
}

impl SecretKeySource {
    /// Reads the keys of a store.
    ///
    /// # Errors
    /// The file exists, but cannot be used.
    pub(crate) fn of(options: &StoreOptions, choice: &StorageChoice) -> Result<Self, KeyFileError> {
        if let Some(GivenKeys(keys)) = &options.secrets.secrets_key {
            return Ok(Self::Given(keys.clone()));
        }
        Ok(match options.key_file(choice) {
            Some(path) => Self::File {
                file: Arc::new(KeyFile::open(path)?),
                may_make: !choice.is_shared(),
            },
            None if choice.is_shared() => Self::Unset,
            None => Self::Given(KeyRing::new(vec![SecretKey::random(&SystemRandomness)])),
        })
    }

    /// The keys for the core.
    pub(crate) fn keys(&self) -> Arc<dyn SecretKeys> {
        match self {
            Self::File { file, .. } => file.clone(),
            Self::Given(keys) => Arc::new(keys.clone()),
            Self::Unset => Arc::new(KeyRing::default()),
        }
    }

    /// Makes the missing file of a store without sealed secrets, and tells of secrets that do not open.
    ///
    /// A store with sealed secrets and no file has lost it. A new file in its place would look like the former one,
    /// which could then be brought back only over secrets of the new one.
    ///
    /// # Errors
    /// See [`NoKeys`].
    pub(crate) async fn prepare(&self, connect: &Connect) -> Result<(), NoKeys> {
        let stored = match connect.stored_secrets().await {
            Ok(stored) => stored,
            // A damaged store is served too. What it has is not known, so no file is made for it.
            Err(error) => {
                let cause = error.cause();
                tracing::warn!(%cause, "the stored secrets could not be counted");
                return Ok(());
            }
        };
        let has_sealed = !stored.by_key.is_empty();
        match self {
            Self::Unset if !has_sealed => return Err(NoKeys::Unset),
            Self::File { file, may_make } if !has_sealed && file.is_missing() => {
                if !may_make {
                    return Err(NoKeys::Missing(file.path().to_owned()));
                }
                file.make()?;
                tracing::info!(file = %file.path().display(), "a key for stored secrets was made");
            }
            _ => {}
        }
        if stored.unopened > 0 {
            let missing = stored
                .by_key
                .keys()
                .filter(|key| !stored.keys.contains(key));
            let missing: Vec<_> = missing.map(|key| key.as_str()).collect();
            tracing::error!(
                secrets = stored.unopened,
                keys = missing.join(","),
                "stored secrets do not open: bring back their keys"
            );
        }
        Ok(())
    }
}

impl StoreOptions {
    /// The file of keys for stored secrets, if there is a place for it.
    pub(crate) fn key_file(&self, choice: &StorageChoice) -> Option<PathBuf> {
        let named = self.secrets.secrets_key_file.clone();
        named.or_else(|| choice.beside(".keys"))
    }
}
