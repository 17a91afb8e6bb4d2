//! Sends a command to a server, or executes it on the store.

use std::{io::Write as _, path::Path, process::ExitCode, sync::Arc, time::Duration};

use connect_core::{Author, Connect, Error, Origin, environment::Clock as _};
use http::StatusCode;
use serde_json::Value;

use super::{
    AdminCredentials, AdminCredentialsFile, NotReached, NotSent, PATH, Reached, reach::ask_server,
    send, user,
};
use crate::{
    cli::{
        AdminOptions, KeyFileError, NoKeys, StorageChoice,
        clock_check::{self, ClockSkew},
        failure,
        secret_keys::SecretKeySource,
        store::{NoDataFolder, Store},
    },
    commands::{Authority, Execution, OwnerCommand},
    net::networks::Networks,
    sandbox::{ClockFileError, SandboxClock},
    telemetry::audit::{self, Action, ActionOrigin, Person, Subject},
    workers::{outbound::AddressGuard, webhooks::PublicWebhooks},
};

/// The time limit for a server's answer to a command.
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
    Reached(#[from] NotReached),
    #[error(transparent)]
    ClockFile(#[from] ClockFileError),
    #[error(transparent)]
    Clock(#[from] ClockSkew),
    #[error(
        "the command was not executed, as the rows of an older version could not be changed first: {}",
        .0.cause()
    )]
    Migration(Error),
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    #[error(transparent)]
    Keys(#[from] NoKeys),
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

/// The executor of a command.
enum Executor {
    /// A running server.
    Server(AdminCredentials),
    /// This process, with the store open.
    CommandLine { connect: Connect, _store: Store },
}

/// Executes a command and prints its result.
/// The exit code is 0, or 1 with the reason on standard error. `allowed` are the networks allowed
/// for webhooks when no server executes the command.
pub(crate) async fn run(
    options: &AdminOptions,
    command: OwnerCommand,
    allowed: Option<Networks>,
) -> ExitCode {
    let guard = AddressGuard::allowing(allowed.unwrap_or_default());
    match print_result(options, command, guard).await {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(error) => {
            failure::tell("connect-server", &error);
            ExitCode::FAILURE
        }
    }
}

/// Executes a command and the commands for the rest of its result, and prints each result.
/// Returns whether one of them is bad news.
async fn print_result(
    options: &AdminOptions,
    mut command: OwnerCommand,
    guard: AddressGuard,
) -> Result<bool, NotDone> {
    let (mut result, executor) = first_result(options, &command, guard).await?;
    let mut has_faults = false;
    loop {
        has_faults |= command.has_faults(&result);
        let rest = command.rest(&result);
        print(options.json, &command, result, &executor)?;
        let Some(next) = rest else {
            return Ok(has_faults);
        };
        command = next;
        result = match &executor {
            Executor::Server(credentials) => {
                let sent = send(credentials, PATH, &command, AT_MOST).await;
                sent.map_err(NotReached::from)?
            }
            Executor::CommandLine { connect, .. } => on_store(connect, &command).await?,
        };
    }
}

/// Prints the result of a command.
fn print(
    is_json: bool,
    command: &OwnerCommand,
    result: Value,
    executor: &Executor,
) -> Result<(), NotDone> {
    let text = if is_json {
        result.to_string()
    } else {
        let mut text = command.text(result)?;
        if let (Executor::CommandLine { .. }, Some(note)) = (executor, command.without_server()) {
            text.push('\n');
            text.push_str(note);
        }
        text
    };
    if text.is_empty() {
        return Ok(());
    }
    let mut output = std::io::stdout().lock();
    writeln!(output, "{text}")?;
    output.flush()?;
    Ok(())
}

/// Executes a command through a running server, or else on the store.
async fn first_result(
    options: &AdminOptions,
    command: &OwnerCommand,
    guard: AddressGuard,
) -> Result<(Value, Executor), NotDone> {
    let choice = options.store.choice()?;
    let ask = async |credentials: AdminCredentials| {
        let result = send(&credentials, PATH, command, AT_MOST).await?;
        Ok((result, Executor::Server(credentials)))
    };
    if choice == StorageChoice::Memory {
        let credentials = options.store.credentials().ok_or(NoDataFolder)?;
        return in_memory(&credentials, ask).await;
    }
    Ok(match Reached::find(&options.store, &choice, ask).await? {
        Reached::Server(result) => result,
        Reached::Here(store) => {
            let keys = SecretKeySource::of(&options.store, &choice)?;
            let connect = connect_to(&store, &choice, keys, command, guard).await?;
            let result = on_store(&connect, command).await?;
            let _store = store;
            (result, Executor::CommandLine { connect, _store })
        }
    })
}

/// Sends a command to the server with a store in memory.
async fn in_memory(
    credentials: &Path,
    ask: impl AsyncFnOnce(AdminCredentials) -> Result<(Value, Executor), NotSent>,
) -> Result<(Value, Executor), NotDone> {
    // The credentials of a killed server are ignored: another program may have its port by now.
    if !AdminCredentialsFile::is_held(credentials) {
        let none = format!("no server holds {}", credentials.display());
        return Err(NotDone::InMemory(none));
    }
    ask_server(credentials, ask)
        .await
        .map_err(|error| match error {
            NotReached::Sent(NotSent::NoServer(found)) => NotDone::InMemory(found),
            other => other.into(),
        })
}

/// Makes the core for commands on a store opened here.
async fn connect_to(
    store: &Store,
    choice: &StorageChoice,
    keys: SecretKeySource,
    command: &OwnerCommand,
    guard: AddressGuard,
) -> Result<Connect, NotDone> {
    let links = PublicWebhooks::new(guard);
    let clock = SandboxClock::of(store.storage(), choice.clock()).await?;
    let connect = Connect::builder(store.storage())
        .clock(clock.clone())
        .webhook_links(Arc::new(links))
        .secret_keys(keys.keys())
        .build();
    clock_check::check(&connect, clock.now()).await?;
    if !command.is_list() {
        connect.migrate().await.map_err(NotDone::Migration)?;
    }
    if command.seals() {
        keys.prepare(&connect).await?;
    }
    Ok(by_operator(&connect))
}

/// Executes a command on a store opened here.
async fn on_store(connect: &Connect, command: &OwnerCommand) -> Result<Value, NotDone> {
    let mut execution = Execution::new(connect, Authority::Operator, None);
    let shown = command.execute(&mut execution).await;
    if let Some(action) = execution.action {
        let status = audit::status_of_result(&shown);
        write_down(action, execution.subject, status);
    }
    Ok(shown?.await?)
}

/// The core for calls of the user of this process.
fn by_operator(connect: &Connect) -> Connect {
    connect.by(Author::Operator { name: user() }, Origin::default())
}

/// Notes an action of the command line in the trail of the store.
/// A failure is only logged: the action is done.
pub(crate) async fn note(connect: &Connect, action: Action) {
    let (object, name) = action.parts();
    // A note in a store of an older program would keep that program from it.
    let noted = match connect.is_migrated().await {
        Ok(true) => by_operator(connect).note_action(None, object, name).await,
        Ok(false) => return,
        Err(error) => Err(error),
    };
    if let Err(error) = noted {
        let action = action.name();
        tracing::warn!(
            action,
            cause = error.cause(),
            "an action could not be noted in the audit trail"
        );
    }
}

/// Notes an action of the command line in the trail of a store opened here.
pub(crate) async fn note_in(store: &Store, action: Action) {
    note(&Connect::builder(store.storage()).build(), action).await;
}

/// Writes the audit line of an action of the command line.
///
/// The line goes to the output of this process, not to the log of a server.
pub(crate) fn write_down(action: Action, subject: Subject, status: StatusCode) {
    let person = Person::Operator(user());
    audit::write(ActionOrigin::CommandLine, action, &person, subject, status);
}
