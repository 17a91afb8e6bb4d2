//! The operator's commands as one warp filter.

use std::sync::Arc;

use connect_core::Connect;
use http::StatusCode;
use warp::{filters::BoxedFilter, reply::Response};

use super::{
    endpoint::Reply,
    operator::{Order, orders},
};
use crate::{
    cli::admin::{AdminCredentials, PATH},
    commands::{Authority, Execution, OwnerCommand},
    telemetry::audit,
};

/// Answers `POST /admin/v1/commands` for callers with the admin credentials.
/// Rejects every other path.
pub(super) fn commands(
    connect: Connect,
    credentials: &AdminCredentials,
    owner_url: &str,
) -> BoxedFilter<(Response,)> {
    let url = Arc::<str>::from(owner_url);
    orders(PATH, credentials, move |order| {
        execute(connect.clone(), url.clone(), order)
    })
}

async fn execute(
    connect: Connect,
    url: Arc<str>,
    order: Order<OwnerCommand>,
) -> Result<Reply, Reply> {
    let connect = order.connect(&connect);
    let mut execution = Execution::new(&connect, Authority::Operator, Some(&url));
    let shown = order.content.execute(&mut execution).await;
    if let Some(action) = execution.action {
        let status = audit::status_of_result(&shown);
        order.write_down(action, execution.subject, status);
    }
    Ok(Reply::json(StatusCode::OK, shown?.await?.to_string()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use connect_core::storage::{Commit, Storage as _, Write, memory::MemoryStorage};

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    /// A row of the list of accounts without an account id.
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
        let credentials = AdminCredentials::new("http://127.0.0.1:1".into());
        let filter = commands(
            Connect::builder(storage).build(),
            &credentials,
            &credentials.url,
        );
        let log = CapturedLog::default();
        let listening = log.listen();
        let failed = warp::test::request()
            .method("POST")
            .path("/admin/v1/commands")
            .header("authorization", format!("Bearer {}", credentials.key))
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
            log.contains("request_id=\"list-1\"") && log.contains("cannot be read"),
            "{log}"
        );
    }
}
