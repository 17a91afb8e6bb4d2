//! Copies in a bucket of S3, shared by any number of servers.
//! A wrong setting ends the start. Without an answer the server starts all the same: the API needs no images.

mod address;
mod failure;
mod settings;

use std::{ffi::OsString, time::Duration};

use object_store::{
    Error, ObjectStore, ObjectStoreExt as _, path::Path as Key, prefix::PrefixStore,
};
use tokio::time::timeout;

pub use address::{BucketAddress, NoBucketAddress};
pub(super) use failure::BucketFailure;

/// The time for reading or storing a copy, retries included.
/// Shorter than a stop of the server may take.
const LIMIT: Duration = Duration::from_secs(6);

/// The time for trying out the settings at the start.
const TRIAL: Duration = Duration::from_secs(10);

/// The object for trying out the settings, beside the copies.
const TRIAL_OBJECT: &str = "connect-server.txt";
const TRIAL_TEXT: &str =
    "Connect keeps the copies of images here. Each server writes this file when it starts.\n";

/// Opens a bucket by variables `AWS_*`, and tries its settings out.
/// Returns it with the failure if S3 gives no answer.
///
/// # Errors
/// A setting is wrong, in one sentence.
pub(super) async fn open(
    address: &BucketAddress,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<(impl ObjectStore, Option<BucketFailure>), String> {
    let client = settings::client(address, variables)?;
    let credentials = client.has_role.then(|| client.store.credentials().clone());
    let store = PrefixStore::new(client.store, address.prefix.clone());
    let trial = async {
        if let Some(credentials) = credentials {
            let found = timeout(LIMIT, credentials.get_credential()).await;
            // The reason would name addresses unknown to most operators.
            found.ok().and_then(Result::ok).ok_or(
                "there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role",
            )?;
        }
        Ok(try_out(&store).await)
    };
    let tried = timeout(TRIAL, trial).await;
    let tried: Result<_, &str> = tried.unwrap_or_else(|_| Ok(Err(overdue(TRIAL))));
    match tried? {
        Ok(()) => Ok((store, None)),
        Err(failure @ BucketFailure::Unreachable(_)) => Ok((store, Some(failure))),
        Err(wrong) => Err(wrong.to_string()),
    }
}

/// Writes and reads an object, as is done with copies.
async fn try_out(store: &impl ObjectStore) -> Result<(), BucketFailure> {
    let key = Key::from(TRIAL_OBJECT);
    ask(store.put(&key, TRIAL_TEXT.into())).await?;
    ask(async { store.get(&key).await?.bytes().await }).await?;
    Ok(())
}

/// Waits for the answer to a request, within the limit.
///
/// # Errors
/// The failure, in a sentence.
pub(super) async fn ask<T>(
    request: impl Future<Output = Result<T, Error>>,
) -> Result<T, BucketFailure> {
    match timeout(LIMIT, request).await {
        Ok(answer) => answer.map_err(|error| BucketFailure::of(&error)),
        Err(_) => Err(overdue(LIMIT)),
    }
}

fn overdue(limit: Duration) -> BucketFailure {
    BucketFailure::Unreachable(format!("not within {} seconds", limit.as_secs()))
}
