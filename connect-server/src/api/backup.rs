//! The backup endpoint as one warp filter.

use connect_core::{Connect, Error, Reason, wire::ErrorCode};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use warp::{filters::BoxedFilter, reply::Response};

use super::{
    endpoint::Reply,
    operator::{Order, orders},
};
use crate::{
    cli::{
        admin::AdminCredentials,
        backup::{BackupBegun, BackupRequest, Backups, NoBackup, PATH},
    },
    telemetry::audit::{Action, Subject},
};

/// Answers `POST /admin/v1/backup` for callers with the admin credentials.
/// Rejects every other path.
pub(super) fn backup(
    connect: Connect,
    backups: Backups,
    credentials: &AdminCredentials,
) -> BoxedFilter<(Response,)> {
    orders(PATH, credentials, move |order| {
        execute(connect.clone(), backups.clone(), order)
    })
}

async fn execute(
    connect: Connect,
    backups: Backups,
    order: Order<BackupRequest>,
) -> Result<Reply, Reply> {
    match order.content {
        BackupRequest::Begin => {
            let begun = backups.begin().await.map_err(refused);
            let status = begun
                .as_ref()
                .map_or_else(Reply::status, |_| StatusCode::OK);
            order.write_down(Action::BackUpStore, Subject::default(), status);
            let begun = BackupBegun { backup: begun? };
            let (object, action) = Action::BackUpStore.parts();
            let connect = order.connect(&connect);
            if let Err(error) = connect.note_action(None, object, action).await {
                tracing::warn!(
                    cause = error.cause(),
                    "an action could not be noted in the audit trail"
                );
            }
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
        NoBackup::InMemory | NoBackup::Database => Error::Conflict(problem).into(),
        NoBackup::Store(_) | NoBackup::Row(_) | NoBackup::Panicked => {
            let cause = Some(reason.to_string());
            let problem = problem.detail(ErrorCode::ServerError);
            Reply::error(StatusCode::SERVICE_UNAVAILABLE, problem).with_cause(cause)
        }
    }
}
