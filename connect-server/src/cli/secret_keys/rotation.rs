//! `connect-server secrets rotate`: a new key in front of the file.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use connect_core::environment::SecretKey;
use http::StatusCode;
use serde_json::json;

use super::{KeyFileError, file};
use crate::{
    cli::{
        AdminOptions,
        admin::write_down,
        failure,
        store::{NoDataFolder, NoStore, OtherOwner},
    },
    telemetry::audit::{Action, Subject},
};

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
pub(crate) fn rotate(options: &AdminOptions) -> ExitCode {
    let rotated = add_key(options);
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

fn add_key(options: &AdminOptions) -> Result<(PathBuf, SecretKey), NotRotated> {
    if options.store.secrets.secrets_key.is_some() {
        return Err(NotRotated::Given);
    }
    let choice = options.store.choice()?;
    choice.check_exists()?;
    choice.check_owner()?;
    let path = options.store.key_file(&choice).ok_or(NotRotated::NoFile)?;
    let key = file::add_key(&path)?;
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
