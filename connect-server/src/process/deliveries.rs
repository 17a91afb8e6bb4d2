//! Holds back webhooks, e-mail and image downloads of a trial copy.
//! A copy on trial must not send anything for real.

use connect_core::{
    storage::{CommitError, Storage, StorageError},
    transfer::{restored, take_over},
};
use http::StatusCode;

use crate::{
    cli::{Options, admin::write_down},
    telemetry::audit::{Action, Subject},
};

/// The mark of a restored store could not be read or removed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeliveriesError {
    /// It could not be read.
    #[error("whether the store was restored from a backup cannot be read: {0}")]
    Unreadable(#[from] StorageError),
    /// It could not be removed.
    #[error("the mark of a restored store could not be taken away: {0}")]
    NotTaken(#[from] CommitError),
}

/// Returns whether the server holds back deliveries, and whether the store became the one in use.
/// `--deliveries` makes a restored store the one in use.
///
/// # Errors
/// [`DeliveriesError`].
pub(crate) async fn are_held(
    options: &Options,
    storage: &dyn Storage,
) -> Result<(bool, bool), DeliveriesError> {
    const OFF: &str = "deliveries are off: webhooks and e-mail are not sent, images not downloaded";
    let mut is_taken_over = false;
    if options.deliveries {
        let taken = take_over(storage).await;
        let status = match &taken {
            Ok(true) => Some(StatusCode::OK),
            Ok(false) => None,
            Err(_) => Some(StatusCode::SERVICE_UNAVAILABLE),
        };
        if let Some(status) = status {
            write_down(Action::DeliverFromStore, Subject::default(), status);
        }
        is_taken_over = taken?;
        if is_taken_over {
            tracing::warn!("the restored store is now in use: deliveries are on");
        }
    }
    if options.no_deliveries {
        tracing::warn!("{OFF}, as --no-deliveries says");
        return Ok((true, is_taken_over));
    }
    if restored(storage).await?.is_some() {
        tracing::warn!(
            "{OFF}, as the store was restored from a backup: if it is the one in use from now on, start the \
             server once with --deliveries"
        );
        return Ok((true, is_taken_over));
    }
    Ok((false, is_taken_over))
}

#[cfg(test)]
mod tests {
    use connect_core::{
        storage::{Commit, Write, memory::MemoryStorage},
        transfer::{CheckedFile, ExportOptions, ImportOptions, export},
    };

    use super::*;
    use crate::cli::{import_guard, tests::serve};

    #[tokio::test]
    async fn a_restored_store_is_served_once_it_is_whole_and_delivers_once_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.connect");
        let (source, store) = (MemoryStorage::new(), MemoryStorage::new());
        let exported = export(&source, &path, ExportOptions::default(), &mut |_| {}).await;
        exported.unwrap();
        let file = CheckedFile::read(&path, &mut |_| {}).await.unwrap();
        let how = ImportOptions { restores: true };
        let first = file.first_rows(how).unwrap().into_iter();
        let begun = Commit {
            writes: first.map(|(key, row)| (key, Write::Put(row))).collect(),
            ..Commit::default()
        };
        store.commit(begun).await.unwrap();
        assert!(import_guard::check(&store).await.is_err());
        file.import(&store, how, &mut |_| {}).await.unwrap();
        assert!(import_guard::check(&store).await.is_ok());
        for (flags, held) in [
            (&[][..], true),
            (&["--deliveries"], false),
            (&[], false),
            (&["--no-deliveries"], true),
        ] {
            let (found, _) = are_held(&serve(flags).unwrap(), &store).await.unwrap();
            assert_eq!(found, held, "{flags:?}");
        }
    }
}
