//! `connect-server secrets`: the keys for stored secrets, counted and rotated.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use connect_core::environment::SecretKey;
use http::StatusCode;
use serde_json::json;

use super::{
    AdminOptions, KeyFileError,
    admin::{self, write_down},
    failure,
    secret_keys::add_key,
    store::{NoDataFolder, NoStore, OtherOwner},
};
use crate::{
    commands::secrets::SecretCommand,
    telemetry::audit::{Action, Subject},
};

/// The commands about the keys for stored secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum SecretsCommand {
    /// Count the stored secrets by the key that seals them.
    Status,
    /// Put a new key in front of the file of keys. A running server seals all secrets by it within minutes.
    ///
    /// Makes the file if it is lost. Secrets sealed by its keys then stay closed until it is back.
    Rotate,
}

/// Runs a command.
/// The exit code is 0, or 1 with the reason on standard error.
pub(crate) async fn run(options: &AdminOptions, command: SecretsCommand) -> ExitCode {
    match command {
        SecretsCommand::Status => admin::run(options, SecretCommand::Status.into(), None).await,
        SecretsCommand::Rotate => rotate(options),
    }
}

/// The reason why there is no new key.
#[derive(Debug, thiserror::Error)]
enum NotRotated {
    #[error(transparent)]
    NoDataFolder(#[from] NoDataFolder),
    #[error(transparent)]
    NoStore(#[from] NoStore),
    #[error(transparent)]
    Owner(#[from] OtherOwner),
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error(
        "the keys are in CONNECT_SECRETS_KEY: put a new one in front of them there, with a comma behind it, and \
         restart the server; `openssl rand -hex 32` prints one"
    )]
    Given,
    #[error("there is no file of keys: name one with --secrets-key-file FILE, as the server does")]
    NoFile,
    #[error("the new key is in the file, but the result could not be written: {0}")]
    Output(#[from] io::Error),
}

/// Adds the key and prints what comes next.
/// The exit code is 0, or 1 with the reason on standard error.
fn rotate(options: &AdminOptions) -> ExitCode {
    let rotated = rotated(options);
    let status = match &rotated {
        Ok(_) => StatusCode::OK,
        Err(NotRotated::File(_)) => StatusCode::INTERNAL_SERVER_ERROR,
        Err(_) => StatusCode::CONFLICT,
    };
    write_down(Action::RotateSecretKeys, Subject::default(), status);
    let told = rotated.and_then(|(path, key)| Ok(tell(options.json, &path, &key)?));
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            failure::tell("connect-server", &error);
            ExitCode::FAILURE
        }
    }
}

fn rotated(options: &AdminOptions) -> Result<(PathBuf, SecretKey), NotRotated> {
    if options.store.secrets.secrets_key.is_some() {
        return Err(NotRotated::Given);
    }
    let choice = options.store.choice()?;
    choice.check_exists()?;
    choice.check_owner()?;
    let path = options.store.key_file(&choice).ok_or(NotRotated::NoFile)?;
    let key = add_key(&path)?;
    Ok((path, key))
}

fn tell(as_json: bool, path: &Path, key: &SecretKey) -> io::Result<()> {
    let (id, file) = (key.id().as_str(), path.display());
    let mut output = io::stdout().lock();
    if as_json {
        let result = json!({ "key": id, "file": path });
        return writeln!(output, "{result}");
    }
    writeln!(
        output,
        "The key {id} is the first one in {file}. A running server seals all secrets by it within minutes.\n\
         Copy the file now, apart from the backups: backups from now on need the new key.\n\
         `connect-server secrets status` shows when a former key seals nothing any more."
    )
}
