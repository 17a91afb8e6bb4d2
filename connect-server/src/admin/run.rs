//! The command line's side: a command goes to the server that has the store open, or to the store.

use std::{io::Write as _, process::ExitCode, time::Duration};

use connect_core::{Connect, storage::disk::OpenError, wire::ErrorBody};
use http::StatusCode;

use super::{
    AdminCommand, Pass,
    command::execute,
    filter::PATH,
    screens::{self, ScreenView},
};
use crate::{
    cli::AdminOptions,
    outbound::install_provider,
    store::{NoDataFolder, Store},
};

/// The reason why a command was not executed.
#[derive(Debug, thiserror::Error)]
enum NotDone {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error("a store in memory belongs to its server: there is nothing to open")]
    InMemory,
    #[error("there is no store in {0}; `connect-server serve` makes one")]
    NoStore(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{0}")]
    Refused(String),
    #[error("the server at {url} did not answer: {source}")]
    Server { url: String, source: reqwest::Error },
    #[error("the result could not be read: {0}")]
    Result(#[from] serde_json::Error),
    #[error("the result could not be written: {0}")]
    Output(#[from] std::io::Error),
}

/// Executes a command and prints its result: exit code 0, or 1 with the reason on standard error.
pub(crate) async fn run(options: &AdminOptions, command: AdminCommand) -> ExitCode {
    match command_done(options, command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The last resort: if nobody can read this, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "connect-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn command_done(options: &AdminOptions, command: AdminCommand) -> Result<(), NotDone> {
    let choice = options.store.choice()?;
    let pass = choice.pass().ok_or(NotDone::InMemory)?;
    let sent = match Pass::read(&pass) {
        Some(pass) => send(&pass, &command).await?,
        None => None,
    };
    let result = match sent {
        Some(result) => result,
        None => {
            if let Some(folder) = choice.path().filter(|_| !choice.has_files()) {
                return Err(NotDone::NoStore(folder.display().to_string()));
            }
            let store = Store::open(&choice, options.store.cache_bytes())?;
            let connect = Connect::builder(store.storage()).build();
            let done = execute(&connect, command).await;
            done.map_err(|error| NotDone::Refused(error.to_string()))?
        }
    };
    let mut output = std::io::stdout().lock();
    if options.json {
        writeln!(output, "{result}")?;
    } else {
        let screens: Vec<ScreenView> = serde_json::from_value(result)?;
        writeln!(output, "{}", screens::text(&screens))?;
    }
    output.flush()?;
    Ok(())
}

/// Sends a command to a server. `None` when there is none: it was killed, and its pass stayed. Its
/// port may be another server's by now, which does not know the key.
async fn send(pass: &Pass, command: &AdminCommand) -> Result<Option<serde_json::Value>, NotDone> {
    let failed = |source| NotDone::Server {
        url: pass.url.clone(),
        source,
    };
    install_provider();
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(30));
    let client = client.build().map_err(failed)?;
    let request = client
        .post(format!("{}{PATH}", pass.url))
        .bearer_auth(pass.key())
        .body(serde_json::to_vec(command)?);
    let answer = match request.send().await {
        Err(error) if error.is_connect() => return Ok(None),
        answer => answer.map_err(failed)?,
    };
    let (status, body) = (answer.status(), answer.bytes().await.map_err(failed)?);
    if status == StatusCode::UNAUTHORIZED {
        return Ok(None);
    }
    if status.is_success() {
        return Ok(Some(serde_json::from_slice(&body)?));
    }
    let refused = serde_json::from_slice::<ErrorBody>(&body).map(|body| body.error.message);
    Err(NotDone::Refused(refused.unwrap_or_else(|_| {
        format!("the server answered {status}")
    })))
}
