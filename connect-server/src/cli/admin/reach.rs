//! The process working on a store: a running server, or this one.

use std::path::Path;

use connect_core::storage::disk::{self, OpenError};

use super::{AdminCredentials, AdminCredentialsError, NotSent};
use crate::cli::{
    StorageChoice, StoreOptions,
    import_guard::{self, UnfinishedImport},
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
};

/// The reason why no process works on a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReached {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error(transparent)]
    NoStore(#[from] NoStore),
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    #[error(transparent)]
    Credentials(#[from] AdminCredentialsError),
    #[error(transparent)]
    Sent(#[from] NotSent),
    #[error(
        "the store in {store} is in use by a process that is starting, stopping, or takes no \
         commands ({found}); try again in a moment"
    )]
    NoCommands { store: String, found: String },
    #[error(transparent)]
    Open(#[from] StoreError),
    #[error(transparent)]
    UnfinishedImport(#[from] UnfinishedImport),
}

/// The process working on a store.
pub(crate) enum Reached<T> {
    /// A running server, with its answer.
    Server(T),
    /// This process, with the store open.
    Here(Store),
}

impl<T> Reached<T> {
    /// Asks the server with the store open, or else opens the store.
    /// A database is opened even while servers use it.
    ///
    /// # Errors
    /// See [`NotReached`].
    pub(crate) async fn find(
        options: &StoreOptions,
        choice: &StorageChoice,
        ask: impl AsyncFnOnce(AdminCredentials) -> Result<T, NotSent>,
    ) -> Result<Self, NotReached> {
        choice.check_exists()?;
        let mut found = None;
        // The credentials of a killed server are ignored: another program may have its port by now.
        if choice.path().is_some_and(disk::is_in_use) {
            let credentials = options.credentials().ok_or(NoDataFolder)?;
            match ask_server(&credentials, ask).await {
                Err(NotReached::Sent(NotSent::NoServer(instead))) => found = Some(instead),
                answer => return answer.map(Self::Server),
            }
        }
        choice.check_owner()?;
        // Waits a moment for a process that is about to end.
        let store = match (Store::open(choice, options).await, found) {
            (Err(StoreError::Embedded(OpenError::InUse { path })), Some(found)) => {
                let store = path.display().to_string();
                return Err(NotReached::NoCommands { store, found });
            }
            (opened, _) => opened?,
        };
        import_guard::check(&*store.storage()).await?;
        Ok(Self::Here(store))
    }
}

/// Asks the server named by the credentials in a file.
///
/// # Errors
/// There is no such file, or see [`NotSent`].
pub(super) async fn ask_server<T>(
    credentials: &Path,
    ask: impl AsyncFnOnce(AdminCredentials) -> Result<T, NotSent>,
) -> Result<T, NotReached> {
    let credentials = AdminCredentials::read(credentials)?.ok_or_else(|| {
        let missing = format!("there is no file {}", credentials.display());
        NotSent::NoServer(missing)
    })?;
    Ok(ask(credentials).await?)
}
