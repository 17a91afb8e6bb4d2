//! Requests of the operator, with the key of the running server.

use std::net::IpAddr;

use connect_core::{Author, Connect, Error, Reason};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use warp::{Filter as _, filters::BoxedFilter, reply::Response};

use super::{
    caller::bearer,
    endpoint::Reply,
    gate,
    incoming::{self, Incoming, IncomingBody, incoming, respond},
};
use crate::{
    cli::admin::{AdminCredentials, MARK, OPERATOR, operator_name},
    net::RequestNote,
    net::completion::complete,
    telemetry::audit::{self, Action, ActionOrigin, Person, Subject},
};

/// A request of the operator.
pub(super) struct Order<T> {
    client: IpAddr,
    headers: HeaderMap,
    /// Its content.
    pub(super) content: T,
}

impl<T> Order<T> {
    /// Writes the audit line with its outcome.
    pub(super) fn write_down(&self, action: Action, subject: Subject, status: StatusCode) {
        let asked = ActionOrigin::Request {
            client: self.client,
            headers: &self.headers,
        };
        audit::write(asked, action, &operator(&self.headers), subject, status);
    }

    /// The core for calls of the operator.
    pub(super) fn connect(&self, connect: &Connect) -> Connect {
        let asked = ActionOrigin::Request {
            client: self.client,
            headers: &self.headers,
        };
        let name = operator_of(&self.headers);
        connect.by(Author::Operator { name }, asked.origin())
    }
}

/// The operator, under the name from the command line.
fn operator(headers: &HeaderMap) -> Person {
    Person::Operator(operator_of(headers))
}

/// The name of the operator from the command line.
fn operator_of(headers: &HeaderMap) -> Option<String> {
    let name = headers.get(OPERATOR).and_then(|name| name.to_str().ok());
    name.and_then(operator_name)
}

/// Writes the audit line of a refused request without a known action.
fn write_down_unread(client: IpAddr, headers: &HeaderMap, person: &Person, status: StatusCode) {
    let asked = ActionOrigin::Request { client, headers };
    let action = Action::OperatorRequest;
    audit::write(asked, action, person, Subject::default(), status);
}

/// Answers `POST` requests at `path` with the operator's key.
/// Refuses requests without it. Rejects every other path.
pub(super) fn orders<T, F>(
    path: &'static str,
    credentials: &AdminCredentials,
    answer: impl Fn(Order<T>) -> F + Clone + Send + Sync + 'static,
) -> BoxedFilter<(Response,)>
where
    T: DeserializeOwned + Send + 'static,
    F: Future<Output = Result<Reply, Reply>> + Send + 'static,
{
    let key = digest(&credentials.key);
    let mut at = warp::any().boxed();
    for segment in path.split('/').skip(1) {
        at = at.and(warp::path(segment)).boxed();
    }
    at.and(warp::path::end())
        .and(incoming())
        .then(move |client, incoming| {
            let answer = answer.clone();
            async move {
                let asked = incoming::ResponseContext::of(&incoming);
                let mut note = RequestNote::of(Some(path));
                if let Err(refused) = check_key(key, &incoming.headers) {
                    let status = audit::status_of(&refused);
                    write_down_unread(client, &incoming.headers, &Person::Unknown, status);
                    return respond(refused.into(), asked, None, note).await;
                }
                note.set_caller(|| "operator".to_owned());
                let reply = match order(client, incoming).await {
                    // It leaves its line of the audit also when the client goes away.
                    Ok(order) => complete(answer(order)).await,
                    Err(refused) => Err(refused),
                };
                let reply = reply.unwrap_or_else(|refused| refused);
                let mut response = respond(reply, asked, None, note).await;
                let mark = HeaderValue::from_static("1");
                response.headers_mut().insert(MARK, mark);
                response
            }
        })
        .boxed()
}

/// Reads a request.
async fn order<T: DeserializeOwned>(
    client: IpAddr,
    incoming: Incoming<impl IncomingBody>,
) -> Result<Order<T>, Reply> {
    let Incoming {
        method,
        headers,
        body,
        held,
        ..
    } = incoming;
    let read = async {
        if method != Method::POST {
            return Err(Reply::method_not_allowed(&method, &[Method::POST]));
        }
        let body = gate::read(&headers, body, held).await?;
        gate::check_content(&headers)?;
        if body.is_empty() {
            let missing = Reason::of("body", "is missing; send a command as JSON");
            return Err(Error::Malformed(missing).into());
        }
        serde_json::from_slice(&body).map_err(|error| {
            let problem = format!("is no command of this version: {error}");
            Error::Malformed(Reason::of("body", problem)).into()
        })
    };
    match read.await {
        Ok(content) => Ok(Order {
            client,
            headers,
            content,
        }),
        Err(refused) => {
            write_down_unread(client, &headers, &operator(&headers), refused.status());
            Err(refused)
        }
    }
}

/// The digest of a key. Comparing digests leaks nothing by timing.
fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

fn check_key(key: [u8; 32], headers: &HeaderMap) -> Result<(), Error> {
    if bearer(headers).map(digest) == Ok(key) {
        return Ok(());
    }
    let reason = Reason::of("key", "must be that in the file of the running server");
    Err(Error::Unauthorized(reason))
}
