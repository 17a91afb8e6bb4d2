//! `connect-server export`, `import` and `restore`: a store to a file, and back.

use std::{
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use connect_core::transfer::{
    self, CheckedFile, Stage, TransferError, TransferProgress, Transferred,
};
use http::StatusCode;
use rustix::process::geteuid;
use serde_json::json;

use super::{
    CheckOptions, ExportOptions, ImportOptions, StorageChoice,
    admin::{note_in, write_down},
    check::{self, Use},
    failure,
    progress_line::ProgressLine,
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
};
use crate::telemetry::audit::{Action, Subject};

/// The reason why a store was not moved.
#[derive(Debug, thiserror::Error)]
enum NotMoved {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error("a store in memory belongs to its server: choose another with --storage")]
    InMemory,
    #[error(transparent)]
    NoStore(#[from] NoStore),
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    #[error(transparent)]
    Open(#[from] StoreError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("{0}: {1}")]
    Store(String, TransferError),
    #[error("all rows were moved, but the result could not be written: {0}")]
    Output(#[from] io::Error),
}

impl NotMoved {
    /// The status of a request with this outcome, for the audit line.
    fn status(&self) -> StatusCode {
        use TransferError::{Commit, Io, Storage};
        match self {
            Self::Open(_)
            | Self::Transfer(Io { .. } | Storage(_) | Commit(_))
            | Self::Store(_, Io { .. } | Storage(_) | Commit(_)) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::CONFLICT,
        }
    }
}

/// Writes a store into a file.
/// The exit code is 0, or 1 with the reason on standard error.
pub(crate) async fn export(options: &ExportOptions) -> ExitCode {
    let moved = async {
        let choice = options.store.choice()?;
        if choice == StorageChoice::Memory {
            return Err(NotMoved::InMemory);
        }
        choice.check_exists()?;
        choice.check_owner()?;
        let store = Store::open(&choice, &options.store).await?;
        let mut line = ProgressLine::new();
        let how = transfer::ExportOptions {
            overwrite: options.overwrite,
        };
        let mut show = |progress| line.show(&told(progress));
        let written = transfer::export(&*store.storage(), &options.file, how, &mut show).await;
        line.end();
        let written = written?;
        note_in(&store, Action::ExportStore).await;
        Ok(written)
    };
    let moved = written_down(Action::ExportStore, moved).await;
    let printed = moved.and_then(|moved| print(&options.file, &moved, EXPORTED, options.json));
    exit("export", printed)
}

/// Reads a store from a file.
/// The exit code is 0, or 1 with the reason on standard error.
pub(crate) async fn import(options: &ImportOptions) -> ExitCode {
    let how = transfer::ImportOptions::default();
    exit(
        "import",
        read_and_print(options, how, Action::ImportStore).await,
    )
}

/// Makes a store from a backup and checks it.
/// The exit code is the check's, or 1 with the reason on standard error.
pub(crate) async fn restore(options: &ImportOptions) -> ExitCode {
    let how = transfer::ImportOptions { restores: true };
    if let Err(error) = read_and_print(options, how, Action::RestoreStore).await {
        return exit("restore", Err(error));
    }
    let check = CheckOptions {
        store: options.store.clone(),
        json: options.json,
    };
    check::run(&check, Use::Check).await
}

/// Reads a store from a file, writes the audit line, and prints the result.
async fn read_and_print(
    options: &ImportOptions,
    how: transfer::ImportOptions,
    action: Action,
) -> Result<(), NotMoved> {
    let (moved, note) = written_down(action, read(options, how)).await?;
    print(&options.file, &moved, note, options.json)
}

/// Moves a store, and writes the audit line of it.
async fn written_down<T>(
    action: Action,
    moves: impl Future<Output = Result<T, NotMoved>>,
) -> Result<T, NotMoved> {
    let moved = moves.await;
    let status = moved
        .as_ref()
        .map_or_else(NotMoved::status, |_| StatusCode::OK);
    write_down(action, Subject::default(), status);
    moved
}

/// Reads the whole file, then opens the store and writes its rows.
/// A refused file leaves no store. An interruption leaves a store marked as unfinished.
async fn read(
    options: &ImportOptions,
    how: transfer::ImportOptions,
) -> Result<(Transferred, &'static str), NotMoved> {
    let choice = options.store.choice()?;
    if choice == StorageChoice::Memory {
        return Err(NotMoved::InMemory);
    }
    if geteuid().is_root() {
        choice.check_owner()?;
    }
    let mut line = ProgressLine::new();
    let mut show = |progress| line.show(&told(progress));
    let moved = async {
        let file = CheckedFile::read(&options.file, &mut show).await?;
        let store = Store::open_with(&choice, &options.store, file.first_rows(how)?).await?;
        let storage = store.storage();
        let moved = file.import(&*storage, how, &mut show).await;
        let moved = moved.map_err(|reason| NotMoved::Store(choice.to_string(), reason))?;
        // An import may have completed an interrupted restore.
        let restored = transfer::restored(&*storage).await;
        let is_restored = restored.map_err(TransferError::from)?.is_some();
        Ok::<_, NotMoved>((moved, if is_restored { RESTORED } else { IMPORTED }))
    };
    let moved = moved.await;
    line.end();
    moved
}

/// The advice after an export.
const EXPORTED: &str = "Keep the file as safe as the server. The keys for the secrets of webhooks and the copies of images \
                        are not in it.";

/// The advice after an import.
const IMPORTED: &str = "Copy the folder of images and the file of keys (store.keys), if there are any, to the new place as \
                        well, before a server starts.";

/// The advice after a restore.
const RESTORED: &str = "Copy the folder of images and the file of keys (store.keys), if there are any, beside it. A server on this store delivers nothing \
                        (webhooks, e-mail, downloads of images) until it is started once with --deliveries.";

/// The progress in words.
fn told(progress: TransferProgress) -> String {
    let TransferProgress { stage, rows, of } = progress;
    let stage = match stage {
        Stage::Checking => "checking the file",
        Stage::Moving => "moving",
        Stage::Comparing => "comparing",
    };
    match of {
        Some(of) => format!("{stage}: {rows} of {of} rows"),
        None => format!("{stage}: {rows} rows"),
    }
}

fn print(file: &Path, moved: &Transferred, note: &str, is_json: bool) -> Result<(), NotMoved> {
    let Transferred {
        rows,
        bytes,
        checksum,
    } = moved;
    let mut output = io::stdout().lock();
    if is_json {
        let result = json!({ "rows": rows, "bytes": bytes, "checksum": checksum, "equal": true });
        writeln!(output, "{result}")?;
    } else {
        writeln!(
            output,
            "{}: {rows} rows, {bytes} bytes\nchecksum {checksum}\nFile and store are equal. {note}",
            file.display()
        )?;
    }
    output.flush()?;
    Ok(())
}

fn exit(command: &str, moved: Result<(), NotMoved>) -> ExitCode {
    match moved {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            failure::tell(&format!("connect-server {command}"), &error);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use connect_core::storage::StorageError;

    use super::*;

    #[test]
    fn progress_is_told_with_its_stage_and_the_number_of_rows_where_it_is_known() {
        for (stage, of, expected) in [
            (Stage::Checking, None, "checking the file: 7 rows"),
            (Stage::Moving, Some(9), "moving: 7 of 9 rows"),
            (Stage::Comparing, Some(9), "comparing: 7 of 9 rows"),
        ] {
            assert_eq!(told(TransferProgress { stage, rows: 7, of }), expected);
        }
    }

    /// The log tells a refusal from a failure.
    #[test]
    fn a_store_that_does_not_answer_is_no_refusal() {
        let gone = || StorageError::new("gone");
        for (reason, status) in [
            (NotMoved::InMemory, StatusCode::CONFLICT),
            (TransferError::UnfinishedImport.into(), StatusCode::CONFLICT),
            (
                TransferError::Storage(gone()).into(),
                StatusCode::SERVICE_UNAVAILABLE,
            ),
            (
                NotMoved::Store("redb:x".into(), TransferError::Storage(gone())),
                StatusCode::SERVICE_UNAVAILABLE,
            ),
        ] {
            assert_eq!(reason.status(), status, "{reason}");
        }
    }
}
