//! `connect-server check`: first the store checks its own rows and files, then the core checks what
//! the rows say.

mod findings;
mod text;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use connect_core::{CheckProgress, Connect};

use self::findings::Findings;
use crate::{
    cli::{CheckOptions, StorageChoice},
    failure,
    progress_line::ProgressLine,
    sandbox::{ClockFileError, SandboxClock},
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
};

/// Problems were found.
const FOUND: u8 = 1;

/// The store could not be checked.
const NOT_CHECKED: u8 = 2;

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
    #[error("the report could not be written: {0}")]
    Output(#[from] io::Error),
}

/// Checks a store and prints the report: exit code 0 when nothing is wrong, 1 when something is, 2
/// when the store could not be checked, or not all of it.
pub(crate) async fn run(options: &CheckOptions) -> ExitCode {
    match check(options).await {
        Ok(findings) if findings.needs_newer_program() => ExitCode::from(NOT_CHECKED),
        Ok(findings) if findings.is_clean() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(FOUND),
        Err(error) => {
            failure::tell("connect-server check", &error);
            ExitCode::from(NOT_CHECKED)
        }
    }
}

/// Checks a store and prints the report.
async fn check(options: &CheckOptions) -> Result<Findings, NotChecked> {
    let choice = options.store.choice()?;
    if choice == StorageChoice::Memory {
        return Err(NotChecked::InMemory);
    }
    choice.check_exists()?;
    choice.check_owner()?;
    let store = Store::open(&choice, &options.store).await?;
    let mut line = ProgressLine::new();
    let mut of = 0;
    // Where the store finds its files damaged, the core may still say which records are.
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
    let records = connect.check(&mut show).await;
    // The core has logged the reason already; the store's is the better one.
    let records = records.map_err(|failure| match &of_store {
        Ok(_) => NotChecked::Unreadable(failure.to_string()),
        Err(error) => NotChecked::Unreadable(error.to_string()),
    })?;
    let findings = Findings {
        store: of_store,
        records,
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
