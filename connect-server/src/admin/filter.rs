//! The listener's side: commands that reach a running server.

use bytes::Bytes;
use connect_core::{Connect, Error, Reason};
use http::{StatusCode, header::AUTHORIZATION};
use sha2::{Digest as _, Sha256};
use warp::{Filter, filters::BoxedFilter, reply::Response};

use super::{
    Pass,
    command::{AdminCommand, execute},
};
use crate::endpoint::Reply;

/// The path of commands.
pub(super) const PATH: &str = "/admin/v1/commands";

/// The largest command, in bytes.
const MOST_BYTES: u64 = 64 * 1024;

/// Answers `POST /admin/v1/commands` of those who have the pass. Rejects every other path.
pub(crate) fn filter(connect: Connect, pass: &Pass) -> BoxedFilter<(Response,)> {
    let key = digest(pass.key());
    warp::path!("admin" / "v1" / "commands")
        .and(warp::post())
        .and(warp::header::optional::<String>(AUTHORIZATION.as_str()))
        .and(warp::body::content_length_limit(MOST_BYTES))
        .and(warp::body::bytes())
        .then(move |authorization: Option<String>, body| {
            let connect = connect.clone();
            async move {
                let sent = authorization
                    .as_deref()
                    .and_then(|value| value.strip_prefix("Bearer "));
                let reply = if sent.is_some_and(|sent| digest(sent) == key) {
                    answer(&connect, body).await.unwrap_or_else(Reply::from)
                } else {
                    let reason = Reason::new("commands need the key in the data folder");
                    Reply::from(Error::Unauthorized(reason))
                };
                warp::Reply::into_response(reply)
            }
        })
        .boxed()
}

/// Digests are compared, so the time that takes says nothing of the key.
fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

async fn answer(connect: &Connect, body: Bytes) -> Result<Reply, Error> {
    let command: AdminCommand = serde_json::from_slice(&body).map_err(|error| {
        let problem = format!("is no command of this version: {error}");
        Error::Malformed(Reason::of("body", problem))
    })?;
    let done = execute(connect, command).await?;
    Ok(Reply::json(StatusCode::OK, done.to_string()))
}
