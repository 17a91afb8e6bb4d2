//! The operator's commands as one warp filter.

use std::{net::IpAddr, sync::Arc};

use connect_core::{Connect, Error, Reason};
use http::{HeaderValue, Method, StatusCode};
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    gate,
    incoming::{Asked, Body, Incoming, incoming, respond},
    operator::{Key, person},
};
use crate::{
    admin::{AdminCommand, MARK, PATH, Pass},
    audit::{self, Subject},
    endpoint::Reply,
    net::RequestNote,
};

/// Answers `POST /admin/v1/commands` of those who have the pass. Rejects every other path.
pub(super) fn commands(connect: Connect, pass: &Pass, owner_url: &str) -> BoxedFilter<(Response,)> {
    let (key, url) = (Key::of(pass), Arc::<str>::from(owner_url));
    warp::path!("admin" / "v1" / "commands")
        .and(incoming())
        .then(move |client, incoming| answer(connect.clone(), key, url.clone(), client, incoming))
        .boxed()
}

async fn answer(
    connect: Connect,
    key: Key,
    url: Arc<str>,
    client: IpAddr,
    mut incoming: Incoming<impl Body>,
) -> Response {
    let asked = Asked::of(&mut incoming);
    let mut note = RequestNote::of(Some(PATH));
    if let Err(refused) = key.check(&incoming.headers) {
        return respond(refused.into(), asked, None, note).await;
    }
    note.set_caller(|| "operator".to_owned());
    let reply = execute(&connect, &url, client, incoming).await;
    let reply = reply.unwrap_or_else(|refused| refused);
    let mut response = respond(reply, asked, None, note).await;
    let mark = HeaderValue::from_static("1");
    response.headers_mut().insert(MARK, mark);
    response
}

async fn execute<S: Body>(
    connect: &Connect,
    url: &str,
    client: IpAddr,
    incoming: Incoming<S>,
) -> Result<Reply, Reply> {
    if incoming.method != Method::POST {
        return Err(Reply::method_not_allowed(&incoming.method, &[Method::POST]));
    }
    let body = gate::read(&incoming.headers, incoming.body, incoming.held).await?;
    gate::check_content(&incoming.headers)?;
    if body.is_empty() {
        let missing = Reason::of("body", "is missing; send a command as JSON");
        return Err(Error::Malformed(missing).into());
    }
    let command: AdminCommand = serde_json::from_slice(&body).map_err(|error| {
        let problem = format!("is no command of this version: {error}");
        Error::Malformed(Reason::of("body", problem))
    })?;
    let mut subject = Subject::default();
    let result = command.execute(connect, Some(url), &mut subject).await;
    if let Some(action) = command.action() {
        let headers = &incoming.headers;
        let asked = audit::Asked::Request { client, headers };
        let status = result
            .as_ref()
            .map_or_else(audit::status_of, |_| StatusCode::OK);
        audit::write(asked, action, &person(headers), subject, status);
    }
    let result = result?;
    Ok(Reply::json(StatusCode::OK, result.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::storage::{Commit, Storage as _, Write, memory::MemoryStorage};

    use super::*;
    use crate::heard::Heard;

    /// A row of the list of accounts that has no account's id.
    const DAMAGED: [u8; 18] = {
        let mut key = [0; 18];
        key[16] = 0x14;
        key
    };

    #[tokio::test]
    async fn the_cause_of_a_failed_command_is_in_the_log_and_not_in_the_answer() {
        let storage = Arc::new(MemoryStorage::new());
        let damage = Commit {
            writes: vec![(DAMAGED.into(), Write::Put(Vec::new().into()))],
            ..Commit::default()
        };
        storage.commit(damage).await.unwrap();
        let pass = Pass::new("http://127.0.0.1:1".into());
        let filter = commands(Connect::builder(storage).build(), &pass, &pass.url);
        let log = Heard::default();
        let listening = log.listen();
        let failed = warp::test::request()
            .method("POST")
            .path("/admin/v1/commands")
            .header("authorization", format!("Bearer {}", pass.key()))
            .header("content-type", "application/json")
            .header("x-request-id", "list-1")
            .body(r#"{"screen":"list"}"#)
            .reply(&filter)
            .await;
        drop(listening);
        assert_eq!(failed.status(), 500);
        let answer = String::from_utf8_lossy(failed.body()).into_owned();
        assert!(answer.contains("server_error"), "{answer}");
        let log = log.text();
        assert!(log.contains("a request failed"), "{log}");
        assert!(
            log.contains("list-1") && log.contains("cannot be read"),
            "{log}"
        );
    }
}
