//! `connect-server health`: whether the server on this machine is ready.

use std::{
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    process::ExitCode,
    time::Duration,
};

use serde_json::Value;

use super::{
    Options,
    admin::{cause, local_client},
    failure,
};

/// The time limit for the answer.
/// A server without its database answers after five seconds.
const AT_MOST: Duration = Duration::from_secs(8);

/// The reason why a server is not healthy.
#[derive(Debug, thiserror::Error)]
enum Unhealthy {
    #[error("--listen has port 0: name the port of the server")]
    UnknownPort,
    #[error("no server answers at {url}: {cause}")]
    NoAnswer { url: String, cause: String },
    #[error("the server at {url} is not ready: {reason}")]
    Unready { url: String, reason: String },
}

/// Asks the server with these settings, and prints its answer.
/// The exit code is 0 if it is ready, and 1 otherwise.
pub(crate) async fn run(options: &Options) -> ExitCode {
    match ask(options).await {
        Ok(url) => {
            // The exit code tells it too.
            let _ = writeln!(io::stdout(), "the server at {url} is ready");
            ExitCode::SUCCESS
        }
        Err(unhealthy) => {
            failure::tell("connect-server", &unhealthy);
            ExitCode::FAILURE
        }
    }
}

/// Returns the address of the server, if it is ready.
async fn ask(options: &Options) -> Result<String, Unhealthy> {
    let address = reachable(options.listen);
    if address.port() == 0 {
        return Err(Unhealthy::UnknownPort);
    }
    let scheme = options.tls().map_or("http", |_| "https");
    let url = format!("{scheme}://{address}");
    let no_answer = |error: reqwest::Error| Unhealthy::NoAnswer {
        url: url.clone(),
        cause: cause(&error),
    };
    let client = local_client(AT_MOST)
        // The certificate is for the public name. Nothing secret is sent.
        .tls_danger_accept_invalid_certs(true)
        .build()
        .map_err(no_answer)?;
    let request = client.get(format!("{url}/readyz"));
    let response = request.send().await.map_err(no_answer)?;
    let status = response.status();
    if status.is_success() {
        return Ok(url);
    }
    let body: Value = response.json().await.unwrap_or_default();
    let reason = body["reason"].as_str().map(str::to_owned);
    let reason = reason.unwrap_or_else(|| format!("it answers with status {status}"));
    Err(Unhealthy::Unready { url, reason })
}

/// Returns the server's address, as reached on this machine.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    listen
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;
    use crate::cli::{Arguments, Command};

    fn options(listen: &str) -> Options {
        let words = ["connect-server", "health", "--listen", listen];
        match Arguments::try_parse_from(words).unwrap().command {
            Command::Health(options) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_server_on_every_address_is_asked_on_this_machine() {
        for (listen, asked) in [
            ("0.0.0.0:8443", "127.0.0.1:8443"),
            ("[::]:8443", "[::1]:8443"),
            ("10.0.0.7:8443", "10.0.0.7:8443"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), asked);
        }
    }

    #[tokio::test]
    async fn a_server_is_healthy_if_it_says_so() {
        let unready = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 36\r\n\r\n\
                       {\"status\":\"unready\",\"reason\":\"full\"}";
        for (says, expected) in [
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", None),
            (unready, Some("is not ready: full")),
            (
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
                Some("is not ready: it answers with status 404 Not Found"),
            ),
            ("SSH-2.0-OpenSSH_9.7\r\n", Some("no server answers at http")),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap().to_string();
            let server = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                assert!(request[..length].starts_with(b"GET /readyz "));
                stream.write_all(says.as_bytes()).await.unwrap();
            });
            let found = ask(&options(&address)).await;
            server.await.unwrap();
            match (found, expected) {
                (Ok(url), None) => assert_eq!(url, format!("http://{address}")),
                (Err(error), Some(why)) => assert!(error.to_string().contains(why), "{error}"),
                (found, _) => panic!("{says}: {found:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_port_without_a_server_is_not_healthy() {
        let unknown = ask(&options("0")).await.unwrap_err().to_string();
        assert_eq!(unknown, "--listen has port 0: name the port of the server");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let free = listener.local_addr().unwrap().to_string();
        drop(listener);
        let refused = ask(&options(&free)).await.unwrap_err().to_string();
        assert!(refused.contains("Connection refused"), "{refused}");
    }
}
