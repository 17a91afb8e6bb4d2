//! The pieces of a backup as one warp filter.

use std::net::IpAddr;

use connect_core::{Error, Reason, wire::ErrorCode};
use http::{HeaderValue, Method, StatusCode, header::CONTENT_TYPE};
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    gate,
    incoming::{Asked, Body, Incoming, incoming, respond},
    operator::{Key, person},
};
use crate::{
    admin::{MARK, Pass},
    audit::{self, Action, Subject},
    backup::{BackupBegun, BackupRequest, Backups, NoBackup, PATH},
    endpoint::Reply,
    net::RequestNote,
};

/// Answers `POST /admin/v1/backup` of those who have the pass. Rejects every other path.
pub(super) fn backup(backups: Backups, pass: &Pass) -> BoxedFilter<(Response,)> {
    let key = Key::of(pass);
    warp::path!("admin" / "v1" / "backup")
        .and(incoming())
        .then(move |client, incoming| answer(backups.clone(), key, client, incoming))
        .boxed()
}

async fn answer(
    backups: Backups,
    key: Key,
    client: IpAddr,
    mut incoming: Incoming<impl Body>,
) -> Response {
    let asked = Asked::of(&mut incoming);
    let mut note = RequestNote::of(Some(PATH));
    if let Err(refused) = key.check(&incoming.headers) {
        return respond(refused.into(), asked, None, note).await;
    }
    note.set_caller(|| "operator".to_owned());
    let reply = execute(&backups, client, incoming).await;
    let reply = reply.unwrap_or_else(|refused| refused);
    let mut response = respond(reply, asked, None, note).await;
    let mark = HeaderValue::from_static("1");
    response.headers_mut().insert(MARK, mark);
    response
}

async fn execute<S: Body>(
    backups: &Backups,
    client: IpAddr,
    incoming: Incoming<S>,
) -> Result<Reply, Reply> {
    if incoming.method != Method::POST {
        return Err(Reply::method_not_allowed(&incoming.method, &[Method::POST]));
    }
    let headers = &incoming.headers;
    let body = gate::read(headers, incoming.body, incoming.held).await?;
    gate::check_content(headers)?;
    let request = serde_json::from_slice(&body).map_err(|error| {
        let problem = format!("is no request of this version: {error}");
        Error::Malformed(Reason::of("body", problem))
    })?;
    match request {
        BackupRequest::Begin => {
            let begun = backups.begin().await.map_err(refused);
            let status = begun
                .as_ref()
                .map_or_else(Reply::status, |_| StatusCode::OK);
            let asked = audit::Asked::Request { client, headers };
            let subject = Subject::default();
            audit::write(
                asked,
                Action::BackUpStore,
                &person(headers),
                subject,
                status,
            );
            let begun = BackupBegun { backup: begun? };
            // Our own shapes have string keys only: this cannot fail.
            Ok(Reply::json(
                StatusCode::OK,
                serde_json::to_vec(&begun).unwrap_or_default(),
            ))
        }
        BackupRequest::Next { backup } => {
            let piece = backups.next(backup).await.map_err(refused)?;
            let bytes = HeaderValue::from_static("application/octet-stream");
            Ok(Reply::json(StatusCode::OK, piece).with_header(CONTENT_TYPE, bytes))
        }
    }
}

fn refused(reason: NoBackup) -> Reply {
    let problem = Reason::new(reason.to_string());
    match reason {
        NoBackup::GivenUp => Error::NotFound(problem).into(),
        NoBackup::InMemory | NoBackup::Database | NoBackup::Busy => Error::Conflict(problem).into(),
        NoBackup::Store(_) | NoBackup::Row(_) | NoBackup::Panicked => {
            let cause = Some(reason.to_string());
            let problem = problem.detail(ErrorCode::ServerError);
            Reply::error(StatusCode::SERVICE_UNAVAILABLE, problem).with_cause(cause)
        }
    }
}
