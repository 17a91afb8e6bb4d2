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

use connect_core::{CheckProgress, Connect};
use http::StatusCode;

use self::findings::{Findings, Repairs};
use super::{
    CheckOptions, StorageChoice,
    admin::write_down,
    failure,
    progress_line::ProgressLine,
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
};
use crate::{
    sandbox::{ClockFileError, SandboxClock},
    telemetry::audit::{Action, Subject},
};

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
    if purpose == Use::Repair {
        let status = match &checked {
            Ok(findings) if findings.needs_newer_program() => StatusCode::CONFLICT,
            Ok(_) => StatusCode::OK,
            Err(error) => error.status(),
        };
        write_down(Action::RepairStore, Subject::default(), status);
    }
    match checked {
        Ok(findings) if findings.needs_newer_program() => ExitCode::from(NOT_CHECKED),
        Ok(findings) if findings.is_clean() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(FOUND),
        Err(error) => {
            failure::tell(purpose.command(), &error);
            ExitCode::from(NOT_CHECKED)
        }
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
    let records = records.map_err(|failure| match &of_store {
        Ok(_) if purpose == Use::Repair => NotChecked::Unwritable(failure.cause().to_string()),
        Ok(report) if report.damaged_pages > 0 => NotChecked::Damaged(report.damaged_pages),
        Ok(_) => NotChecked::Unreadable(failure.cause().to_string()),
        Err(error) => NotChecked::Unreadable(error.to_string()),
    })?;
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

#[cfg(test)]
mod tests;
