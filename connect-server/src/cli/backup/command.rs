//! Writes the pieces of a backup to a file, for the command line.

use std::{
    fs::{File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use bytes::Bytes;
use connect_core::transfer::{BackupFile, Pieces, TransferError, Transferred};
use http::StatusCode;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{
    held::NoBackup,
    request::{BackupBegun, BackupRequest, PATH},
};
use crate::{
    cli::{
        BackupOptions, StorageChoice,
        admin::{AdminCredentials, NotReached, NotSent, Reached, note_in, post, send, user},
        failure,
        progress_line::ProgressLine,
        store::{NoDataFolder, Store},
    },
    telemetry::audit::{self, Action, ActionOrigin, Person, Subject},
};

/// The time limit for a server's answer with a piece.
const AT_MOST: Duration = Duration::from_secs(60);

const MIB: f64 = 1024.0 * 1024.0;

/// The reason for a missing backup.
#[derive(Debug, thiserror::Error)]
enum NotBackedUp {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error("a store in memory cannot be backed up: it is gone with its server")]
    InMemory,
    #[error(
        "a database is backed up by its own means: pg_dump --dbname=ADDRESS --format=custom --file=FILE beside \
         running servers, or a snapshot; leave the password out of ADDRESS, and put it into ~/.pgpass; \
         `connect-server export` makes a file for any store while no server runs"
    )]
    Database,
    #[error("another backup of this store is under way: wait until it is done")]
    Busy,
    #[error("{}: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Reached(NotReached),
    #[error("the server does not answer: {0}")]
    NoAnswer(String),
    #[error(
        "{0}; there is no backup, and the unfinished file is removed: run connect-server backup \
         again"
    )]
    Midway(Box<Self>),
    #[error(transparent)]
    Held(#[from] NoBackup),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("the backup is whole, but the result could not be written: {0}")]
    Output(#[from] io::Error),
}

impl From<NotReached> for NotBackedUp {
    fn from(reason: NotReached) -> Self {
        match reason {
            // A backup that was begun and is not wanted any more does no harm.
            NotReached::Sent(NotSent::NoAnswer { cause, .. }) => Self::NoAnswer(cause),
            other => Self::Reached(other),
        }
    }
}

/// Writes all rows of one moment into a file.
/// Works beside a running server. The exit code is 0, or 1 with the reason on standard error.
pub(crate) async fn run(options: &BackupOptions) -> ExitCode {
    match back_up(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            failure::tell("connect-server backup", &error);
            ExitCode::FAILURE
        }
    }
}

async fn back_up(options: &BackupOptions) -> Result<(), NotBackedUp> {
    let choice = options.store.choice()?;
    match choice {
        StorageChoice::Memory => return Err(NotBackedUp::InMemory),
        StorageChoice::Postgres(_) => return Err(NotBackedUp::Database),
        StorageChoice::Redb(_) | StorageChoice::Sled(_) => {
            choice.check_exists().map_err(NotReached::from)?
        }
    }
    choice.check_owner().map_err(NotReached::from)?;
    let _lock = lock(&choice)?;
    // Made before the store keeps a snapshot for it.
    let file = BackupFile::create(&options.file)?;
    let mut source = BackupSource::find(options, &choice).await?;
    let mut line = ProgressLine::new();
    let written = write(async || source.next().await, file, options.rate, &mut line).await;
    line.end();
    let written = written.map_err(|reason| NotBackedUp::Midway(Box::new(reason)))?;
    print(options, &written, choice.images().as_deref())
}

/// Locks the backups of this store until the returned file is closed.
///
/// The end of this process closes it, by any cause. So the holder of the lock may begin anew a backup held by
/// a server for another command.
fn lock(choice: &StorageChoice) -> Result<Option<File>, NotBackedUp> {
    let Some(path) = choice.backup_lock() else {
        return Ok(None);
    };
    let open = File::options().create(true).append(true).open(&path);
    let locked = open
        .map_err(TryLockError::Error)
        .and_then(|file| file.try_lock().map(|()| file));
    match locked {
        Ok(file) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(NotBackedUp::Busy),
        Err(TryLockError::Error(source)) => Err(NotBackedUp::Lock { path, source }),
    }
}

/// Writes all pieces, at most so many MiB a second.
async fn write(
    mut next: impl AsyncFnMut() -> Result<Bytes, NotBackedUp>,
    mut file: BackupFile,
    rate: u32,
    line: &mut ProgressLine<impl io::Write>,
) -> Result<Transferred, NotBackedUp> {
    let (started, mut bytes) = (Instant::now(), 0);
    loop {
        let piece = next().await?;
        if piece.is_empty() {
            break;
        }
        file.append(&piece)?;
        bytes += piece.len();
        let mib = bytes as f64 / MIB;
        line.show(&format!("writing: {mib:.0} MiB"));
        sleep_until(started + Duration::from_secs_f64(mib / f64::from(rate))).await;
    }
    Ok(file.finish()?)
}

/// The process with the store open.
enum BackupSource {
    /// A running server, asked for a backup of its own.
    Server {
        credentials: AdminCredentials,
        begun: BackupBegun,
    },
    /// This one, with the store open until the end.
    Here { pieces: Box<Pieces>, _store: Store },
}

impl BackupSource {
    /// Takes a snapshot of all rows, in the server or else here.
    async fn find(options: &BackupOptions, choice: &StorageChoice) -> Result<Self, NotBackedUp> {
        let ask = async |credentials: AdminCredentials| {
            let begun = send(&credentials, PATH, &BackupRequest::Begin, AT_MOST).await?;
            Ok(Self::Server { credentials, begun })
        };
        let store = match Reached::find(&options.store, choice, ask).await? {
            Reached::Server(source) => return Ok(source),
            Reached::Here(store) => store,
        };
        let pieces = store.freeze();
        let status = match &pieces {
            Ok(_) => StatusCode::OK,
            Err(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        // The line goes to the output of this process, not to the log of a server.
        let person = Person::Operator(user());
        let subject = Subject::default();
        audit::write(
            ActionOrigin::CommandLine,
            Action::BackUpStore,
            &person,
            subject,
            status,
        );
        let pieces = Box::new(pieces?);
        // Behind the snapshot: the file holds the rows of its moment.
        note_in(&store, Action::BackUpStore).await;
        Ok(Self::Here {
            pieces,
            _store: store,
        })
    }

    /// The next piece of the file; empty at its end.
    async fn next(&mut self) -> Result<Bytes, NotBackedUp> {
        Ok(match self {
            Self::Server { credentials, begun } => {
                let backup = begun.backup;
                let sent = post(credentials, PATH, &BackupRequest::Next { backup }, AT_MOST).await;
                sent.map_err(|reason| match reason {
                    NotSent::NoServer(found) => NotBackedUp::NoAnswer(found),
                    other => NotReached::from(other).into(),
                })?
            }
            Self::Here { pieces, .. } => pieces.next_piece()?.unwrap_or_default().into(),
        })
    }
}

fn print(
    options: &BackupOptions,
    written: &Transferred,
    images: Option<&Path>,
) -> Result<(), NotBackedUp> {
    let Transferred {
        rows,
        bytes,
        checksum,
    } = written;
    let file = options.file.display();
    let images = images.unwrap_or(Path::new("images")).display();
    let mut output = io::stdout().lock();
    if options.json {
        let images = images.to_string();
        let result =
            json!({ "rows": rows, "bytes": bytes, "checksum": checksum, "images": images });
        writeln!(output, "{result}")?;
    } else {
        writeln!(
            output,
            "{file}: {rows} rows, {bytes} bytes\nchecksum {checksum}\nKeep the file as safe as the server. The \
             keys for the secrets of webhooks are not in it: have a copy of them elsewhere. The images are not in it: copy the folder {images}, or the one that \
             --images names, afterwards. Images are never changed or deleted."
        )?;
    }
    output.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_has_one_backup_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let [one, other] = [one, other].map(StorageChoice::Redb);
        let held = lock(&one).unwrap();
        assert!(matches!(lock(&one), Err(NotBackedUp::Busy)));
        assert!(lock(&other).is_ok());
        drop(held);
        assert!(lock(&one).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_backup_is_not_faster_than_its_rate() {
        let folder = tempfile::tempdir().unwrap();
        let file = BackupFile::create(&folder.path().join("shop.connect")).unwrap();
        let mut rows = (1..=3).map(|n: u8| (Box::from([n]), vec![n; 5 << 20].into()));
        let mut pieces = Pieces::of(move || Ok(rows.next().into_iter().collect()));
        let next = async || Ok(pieces.next_piece()?.unwrap_or_default().into());
        let (mut output, began) = (Vec::new(), Instant::now());
        let mut line = ProgressLine::to(&mut output, true);
        let written = write(next, file, 5, &mut line).await.unwrap();
        assert_eq!(written.rows, 3);
        let seconds = began.elapsed().as_secs_f64();
        assert!((3.0..3.1).contains(&seconds), "{seconds}");
        let shown = "\rwriting: 10 MiB\x1b[K\rwriting: 15 MiB\x1b[K";
        assert_eq!(String::from_utf8(output).unwrap(), shown);
    }
}
