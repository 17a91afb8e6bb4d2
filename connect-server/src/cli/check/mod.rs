//! `connect-server check` and `connect-server repair`.
//!
//! First the store checks its own rows and files, then the core checks their content. `repair` lets the core
//! repair the rows before, and reports in the same way.

mod findings;
mod text;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use connect_core::{
    CheckProgress, Connect, Error,
    storage::{StorageError, disk::Report},
};
use http::StatusCode;

use self::findings::{Findings, Repairs};
use super::{
    CheckOptions, StorageChoice,
    admin::{note, write_down},
    failure,
    progress_line::ProgressLine,
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
};
use crate::{
    sandbox::{ClockFileError, SandboxClock},
    telemetry::audit::{Action, Subject},
};

/// The exit code without problems.
const CLEAN: u8 = 0;

/// The exit code when problems were found.
const FOUND: u8 = 1;

/// The exit code when the store could not be checked.
const NOT_CHECKED: u8 = 2;

/// The purpose of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A report.
    Check,
    /// Repairs, and a report.
    Repair,
}

impl Use {
    fn command(self) -> &'static str {
        match self {
            Self::Check => "connect-server check",
            Self::Repair => "connect-server repair",
        }
    }
}

/// The reason why a store was not checked.
#[derive(Debug, thiserror::Error)]
enum NotChecked {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error("a store in memory is gone when its server ends: there is nothing to check")]
    InMemory,
    #[error(transparent)]
    NoStore(#[from] NoStore),
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    #[error(transparent)]
    Open(#[from] StoreError),
    #[error(transparent)]
    ClockFile(#[from] ClockFileError),
    #[error("the store cannot be read; {0}")]
    Unreadable(String),
    #[error(
        "damaged pages of the database's file: {0}, and a check of the records needs one of them; restore the whole \
         folder from a copy without problems, or without a copy keep one of the folder as it is, and run \
         connect-server repair"
    )]
    Damaged(u64),
    #[error(
        "the store cannot be written to: {0}; if its files are damaged and there is no copy, keep one of the \
         folder as it is, create an empty file connect.accept-loss in it, and give this command again"
    )]
    Unwritable(String),
    #[error("the report could not be written: {0}")]
    Output(#[from] io::Error),
}

impl NotChecked {
    /// The status of a request with this outcome, for the audit line.
    fn status(&self) -> StatusCode {
        match self {
            Self::NoDataFolder(_) | Self::InMemory | Self::NoStore(_) | Self::Owner(_) => {
                StatusCode::CONFLICT
            }
            _ => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// Checks or repairs a store and prints the report.
/// The exit code is 0 without problems, 1 with problems, and 2 when the store could not be checked, or not
/// all of it.
pub(crate) async fn run(options: &CheckOptions, purpose: Use) -> ExitCode {
    let checked = check(options, purpose).await;
    let (code, status) = match &checked {
        Ok(findings) => outcome(findings),
        Err(error) => (NOT_CHECKED, error.status()),
    };
    if purpose == Use::Repair {
        write_down(Action::RepairStore, Subject::default(), status);
    }
    if let Err(error) = checked {
        failure::tell(purpose.command(), &error);
    }
    ExitCode::from(code)
}

/// Returns the exit code of a finished check, and the status for the audit line of a repair.
fn outcome(findings: &Findings) -> (u8, StatusCode) {
    if findings.needs_newer_program() {
        (NOT_CHECKED, StatusCode::CONFLICT)
    } else if findings.is_clean() {
        (CLEAN, StatusCode::OK)
    } else {
        (FOUND, StatusCode::OK)
    }
}

/// Checks or repairs a store and prints the report.
async fn check(options: &CheckOptions, purpose: Use) -> Result<Findings, NotChecked> {
    let choice = options.store.choice()?;
    if choice == StorageChoice::Memory {
        return Err(NotChecked::InMemory);
    }
    choice.check_exists()?;
    choice.check_owner()?;
    let store = Store::open(&choice, &options.store).await?;
    let mut line = ProgressLine::new();
    let mut of = 0;
    // If the store finds damaged files, the core may still name the damaged records.
    let of_store = store.verify(&mut |progress| {
        of = progress.of;
        line.show(&format!("store: {} of {of} rows", progress.rows));
    });
    // By the machine's clock, events that the sandbox's clock has had purged would be missing.
    let clock = SandboxClock::of(store.storage(), choice.clock()).await?;
    let connect = Connect::builder(store.storage()).clock(clock).build();
    let mut show = |progress: CheckProgress| {
        let (rows, problems) = (progress.rows, progress.problems);
        line.show(&format!(
            "records: {rows} of {of} rows, {problems} problems"
        ));
    };
    let mut repairs = (purpose == Use::Repair).then(Repairs::default);
    let records = match &mut repairs {
        None => connect.check(&mut show).await,
        Some(repairs) => {
            let mut tell = |problem: &str, done: &str| repairs.add(problem, done);
            connect.repair(&mut show, &mut tell).await
        }
    };
    let records = records.map_err(|failure| not_checked(purpose, &of_store, &failure))?;
    if repairs.as_ref().is_some_and(|repairs| repairs.count > 0) {
        note(&connect, Action::RepairStore).await;
    }
    let findings = Findings {
        store: of_store,
        records,
        repairs,
    };
    line.end();
    let mut output = io::stdout().lock();
    if options.json {
        writeln!(output, "{}", findings.to_json())?;
    } else {
        text::write(&mut output, &choice, &findings)?;
    }
    output.flush()?;
    Ok(findings)
}

/// Returns the reason for a check of the records without an end.
fn not_checked(purpose: Use, store: &Result<Report, StorageError>, failure: &Error) -> NotChecked {
    match (store, purpose) {
        (Err(error), _) => NotChecked::Unreadable(error.to_string()),
        (Ok(_), Use::Repair) => NotChecked::Unwritable(failure.cause()),
        (Ok(report), Use::Check) => match report.damaged_pages {
            0 => NotChecked::Unreadable(failure.cause()),
            pages => NotChecked::Damaged(pages),
        },
    }
}

#[cfg(test)]
mod tests;
