//! The command line's side: a command goes to the server that has the store open, or to the store.

use std::{io::Write as _, path::Path, process::ExitCode, sync::Arc, time::Duration};

use connect_core::{
    Connect, Error,
    environment::Clock as _,
    storage::disk::{self, OpenError},
};
use http::StatusCode;
use serde_json::Value;

use super::{
    AdminCommand, Pass, PassError, PassFile,
    send::{NotSent, send, user},
};
use crate::{
    audit::{self, Asked, Person, Subject},
    cli::{AdminOptions, StorageChoice},
    half_import::{self, HalfImport},
    networks::Networks,
    outbound::AddressGuard,
    sandbox::{ClockFileError, SandboxClock},
    start_clock::{self, DoubtfulClock},
    store::{NoDataFolder, NoStore, OtherOwner, Store, StoreError},
    webhooks::PublicWebhooks,
};

/// The time that a server may take for a command.
const AT_MOST: Duration = Duration::from_secs(30);

/// The reason why a command was not executed.
#[derive(Debug, thiserror::Error)]
enum NotDone {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error(
        "no server with a store in memory runs here, and there is nothing else to open: start one, and name \
         the same --data DIR as it has, if any ({0})"
    )]
    InMemory(String),
    #[error(transparent)]
    NoStore(#[from] NoStore),
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    #[error(transparent)]
    Pass(#[from] PassError),
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
    HalfImport(#[from] HalfImport),
    #[error(transparent)]
    ClockFile(#[from] ClockFileError),
    #[error(transparent)]
    Clock(#[from] DoubtfulClock),
    #[error("{}", .0.cause())]
    Refused(#[from] Error),
    #[error("the result could not be read: {0}")]
    Result(#[from] serde_json::Error),
    #[error(
        "the command was executed, but its result could not be written: {0}; a value that is shown \
         once is lost"
    )]
    Output(#[from] std::io::Error),
}

/// The process that executed a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExecutedBy {
    Server,
    CommandLine,
}

/// Executes a command and prints its result: exit code 0, or 1 with the reason on standard error. `allowed` are the
/// networks to which webhooks may lead where no server executes it.
pub(crate) async fn run(
    options: &AdminOptions,
    command: AdminCommand,
    allowed: Option<Networks>,
) -> ExitCode {
    let guard = AddressGuard::allowing(allowed.unwrap_or_default());
    match print_result(options, &command, guard).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The last resort: if nobody can read this, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "connect-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn print_result(
    options: &AdminOptions,
    command: &AdminCommand,
    guard: AddressGuard,
) -> Result<(), NotDone> {
    let (result, by) = result(options, command, guard).await?;
    let text = if options.json {
        result.to_string()
    } else {
        let mut text = command.text(result)?;
        if let (ExecutedBy::CommandLine, Some(note)) = (by, command.without_server()) {
            text.push('\n');
            text.push_str(note);
        }
        text
    };
    let mut output = std::io::stdout().lock();
    writeln!(output, "{text}")?;
    output.flush()?;
    Ok(())
}

/// Executes a command: through the server that has the store open, or else on the store.
async fn result(
    options: &AdminOptions,
    command: &AdminCommand,
    guard: AddressGuard,
) -> Result<(Value, ExecutedBy), NotDone> {
    let choice = options.store.choice()?;
    if choice.is_shared() {
        let store = Store::open(&choice, &options.store).await?;
        return on_store(store, &choice, command, guard).await;
    }
    let pass = options.store.pass().ok_or(NoDataFolder)?;
    let Some(folder) = choice.path() else {
        return in_memory(&pass, command).await;
    };
    choice.check_exists()?;
    let mut found = None;
    // A pass that a killed server left is not looked at, whoever has its port by now.
    if disk::is_in_use(folder) {
        match by_server(&pass, command).await {
            Err(NotDone::Sent(NotSent::NoServer(instead))) => found = Some(instead),
            done => return Ok((done?, ExecutedBy::Server)),
        }
    }
    choice.check_owner()?;
    // Waits a moment for a process that is about to end.
    let store = match (Store::open(&choice, &options.store).await, found) {
        (Err(StoreError::Embedded(OpenError::InUse { path })), Some(found)) => {
            let store = path.display().to_string();
            return Err(NotDone::NoCommands { store, found });
        }
        (opened, _) => opened?,
    };
    on_store(store, &choice, command, guard).await
}

/// Has the server with a store in memory execute a command.
async fn in_memory(pass: &Path, command: &AdminCommand) -> Result<(Value, ExecutedBy), NotDone> {
    // What a killed server left is not looked at, whoever has its port by now.
    if !PassFile::is_held(pass) {
        let none = format!("no server holds {}", pass.display());
        return Err(NotDone::InMemory(none));
    }
    match by_server(pass, command).await {
        Err(NotDone::Sent(NotSent::NoServer(found))) => Err(NotDone::InMemory(found)),
        done => Ok((done?, ExecutedBy::Server)),
    }
}

/// Executes a command on a store that is open here.
async fn on_store(
    store: Store,
    choice: &StorageChoice,
    command: &AdminCommand,
    guard: AddressGuard,
) -> Result<(Value, ExecutedBy), NotDone> {
    half_import::check(&*store.storage()).await?;
    let links = PublicWebhooks::new(guard);
    let clock = SandboxClock::of(store.storage(), choice.clock()).await?;
    let connect = Connect::builder(store.storage())
        .clock(clock.clone())
        .webhook_links(Arc::new(links))
        .build();
    start_clock::check(&connect, clock.now()).await?;
    let mut subject = Subject::default();
    let result = command.execute(&connect, None, &mut subject).await;
    if let Some(action) = command.action() {
        // No server has a line of it: whatever keeps the output of this process has.
        let status = result
            .as_ref()
            .map_or_else(audit::status_of, |_| StatusCode::OK);
        let person = Person::Operator(user());
        audit::write(Asked::CommandLine, action, &person, subject, status);
    }
    Ok((result?, ExecutedBy::CommandLine))
}

/// Has the server to which a pass leads execute a command.
async fn by_server(path: &Path, command: &AdminCommand) -> Result<Value, NotDone> {
    let pass = Pass::read(path)?.ok_or_else(|| {
        let missing = format!("there is no file {}", path.display());
        NotSent::NoServer(missing)
    })?;
    Ok(send(&pass, command, AT_MOST).await?)
}
