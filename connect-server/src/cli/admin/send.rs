//! The client for commands to a running server.

use std::{error::Error as _, time::Duration};

use bytes::Bytes;
use connect_core::wire::ErrorBody;
use http::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use serde::{Serialize, de::DeserializeOwned};

use super::{AdminCredentials, MARK, OPERATOR, operator_name};
use crate::workers::outbound::install_provider;

/// The reason for a missing result from a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSent {
    /// No server at the address in the credentials, or another one.
    /// The server with these credentials was killed.
    #[error("{0}")]
    NoServer(String),
    /// The server refused the command, or failed.
    #[error("{0}")]
    Refused(String),
    /// There was no response, or only a part of one.
    #[error(
        "the server at {url} did not answer: {cause}; it may have executed the command, so check \
         before you repeat it"
    )]
    NoAnswer { url: String, cause: String },
}

/// Sends a JSON request to a path of the running server.
/// Returns its answer, read from JSON.
///
/// # Errors
/// See [`NotSent`].
pub(crate) async fn send<T: DeserializeOwned>(
    credentials: &AdminCredentials,
    path: &str,
    request: &impl Serialize,
    at_most: Duration,
) -> Result<T, NotSent> {
    let answer = post(credentials, path, request, at_most).await?;
    serde_json::from_slice(&answer).map_err(|error| NotSent::NoAnswer {
        url: credentials.url.clone(),
        cause: error.to_string(),
    })
}

/// Begins a client for a server on this machine.
pub(crate) fn local_client(at_most: Duration) -> reqwest::ClientBuilder {
    install_provider();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .timeout(at_most)
}

/// Like [`send`], but returns the bytes of the answer.
///
/// # Errors
/// See [`NotSent`].
pub(crate) async fn post(
    credentials: &AdminCredentials,
    path: &str,
    request: &impl Serialize,
    at_most: Duration,
) -> Result<Bytes, NotSent> {
    // Our own shapes have string keys only: this cannot fail.
    let body = serde_json::to_vec(request).unwrap_or_default();
    let url = &credentials.url;
    let no_answer = |error: reqwest::Error| NotSent::NoAnswer {
        url: url.clone(),
        cause: cause(&error),
    };
    let request = local_client(at_most)
        .build()
        .map_err(no_answer)?
        .post(format!("{url}{path}"))
        .bearer_auth(&credentials.key)
        .header(CONTENT_TYPE, "application/json")
        .header(OPERATOR, user().unwrap_or_default())
        .body(body);
    let response = request.send().await.map_err(|error| {
        if error.is_connect() || error.is_builder() {
            return NotSent::NoServer(format!("nothing answers at {url}: {}", cause(&error)));
        }
        no_answer(error)
    })?;
    let status = response.status();
    if !response.headers().contains_key(MARK) {
        let found = format!("another server answers at {url}, with status {status}");
        return Err(NotSent::NoServer(found));
    }
    let body = response.bytes().await.map_err(no_answer)?;
    if status.is_success() {
        return Ok(body);
    }
    let refused = serde_json::from_slice::<ErrorBody>(&body).map(|body| body.error.message);
    Err(NotSent::Refused(refused.unwrap_or_else(|_| {
        format!("the server at {url} answered {status}")
    })))
}

/// The user behind the command.
/// It is the caller of `sudo`, or else the signed-in user.
pub(crate) fn user() -> Option<String> {
    let names = ["SUDO_USER", "LOGNAME", "USER"].into_iter();
    let mut names = names.filter_map(|name| std::env::var(name).ok());
    names.find_map(|name| operator_name(&name))
}

/// The innermost cause.
/// The client's own text has little more than the address.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = inner.to_string();
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::{TcpListener, TcpSocket},
    };

    use serde_json::Value;

    use crate::commands::{OwnerCommand, screens::ScreenCommand};

    use super::{super::PATH, *};

    /// Sends a command to a program with this answer.
    async fn sent_to(says: Option<&'static str>) -> NotSent {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let credentials =
            AdminCredentials::new(format!("http://{}", listener.local_addr().unwrap()));
        let other = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            match says {
                Some(text) => stream.write_all(text.as_bytes()).await.unwrap(),
                // Until the test ends.
                None => std::future::pending().await,
            }
        });
        let sent = sent_by(credentials).await;
        other.abort();
        sent
    }

    /// Sends a command by these credentials.
    async fn sent_by(credentials: AdminCredentials) -> NotSent {
        let list = OwnerCommand::Screen(ScreenCommand::List);
        let sent = send::<Value>(&credentials, PATH, &list, Duration::from_millis(300)).await;
        sent.unwrap_err()
    }

    #[tokio::test]
    async fn what_another_program_says_is_no_result() {
        for other in [
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
            "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
        ] {
            let found = sent_to(Some(other)).await;
            assert!(matches!(found, NotSent::NoServer(_)), "{other}: {found}");
        }
    }

    #[tokio::test]
    async fn where_nothing_answers_no_command_was_executed() {
        // Bound, and not listened on: a connection is refused.
        let free = TcpSocket::new_v4().unwrap();
        free.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let refused = format!("http://{}", free.local_addr().unwrap());
        for (url, cause) in [
            (&*refused, "Connection refused"),
            ("nowhere", "relative URL without a base"),
        ] {
            let found = sent_by(AdminCredentials::new(url.to_owned())).await;
            let told = format!("nothing answers at {url}: {cause}");
            assert!(
                matches!(&found, NotSent::NoServer(why) if why.starts_with(&told)),
                "{found}"
            );
        }
    }

    /// It may be our server, and it may have executed the command.
    #[tokio::test]
    async fn a_server_that_says_nothing_is_not_waited_for_without_end() {
        for silent in [None, Some(""), Some("SSH-2.0-OpenSSH_9.7\r\n")] {
            let found = sent_to(silent).await;
            assert!(matches!(found, NotSent::NoAnswer { .. }), "{found}");
        }
    }
}
