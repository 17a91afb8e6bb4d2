//! The receiver of webhooks, with requests signed as by the service.

use std::{net::SocketAddr, process::Stdio, time::SystemTime};

use connect_client::wire::{ProductInput, Timestamp};
use connect_webhook_verify::{Secret, sign};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStderr, ChildStdout, Command},
};

use crate::service::Service;

const PROGRAM: &str = env!("CARGO_BIN_EXE_webhook_receiver");
const SECRET: &str = "whsec_of_the_tests";

/// A running receiver, killed on drop.
struct Running {
    _child: Child,
    address: SocketAddr,
    lines: Lines<BufReader<ChildStdout>>,
    log: Lines<BufReader<ChildStderr>>,
}

impl Running {
    async fn start(listen: &str, secrets: &str) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["--listen", listen])
            .env("WEBHOOK_SECRETS", secrets)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let log = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next_line().await.unwrap().unwrap();
        let address = first.strip_prefix("Receiving at http://").unwrap();
        Self {
            address: address.trim_end_matches('/').parse().unwrap(),
            lines,
            log,
            _child: child,
        }
    }

    /// The next line of its output.
    async fn line(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap()
    }

    /// The next line of its log.
    async fn logged(&mut self) -> String {
        self.log.next_line().await.unwrap().unwrap()
    }

    /// Sends a body signed with this secret; returns status and text.
    async fn send(&self, secret: &str, body: &str) -> (u16, String) {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let signature = sign(&Secret::new(secret).unwrap(), now, body).to_string();
        let request = format!(
            "POST /hooks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\
             Service-Signature: {signature}\r\n\r\n{body}",
            body.len()
        );
        let mut connection = TcpStream::connect(self.address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        let (head, text) = answer.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), text.to_owned())
    }
}

/// The event with this number at a location.
fn event(number: u64) -> String {
    format!(
        r#"{{"id":"019a8c52-8e20-7000-8000-00000000000{number}","type":"catalog.product.changed","createdAt":"2026-11-20T09:15:30.123456Z","locationId":"019a8c52-8e20-7c42-8a1f-4c2d6e8fab01","sequence":{number},"data":{{"name":"Tea"}}}}"#
    )
}

#[tokio::test]
async fn it_prints_a_line_for_each_event() {
    let mut receiver = Running::start("127.0.0.1:0", &format!("whsec_new,{SECRET}")).await;
    for number in [1, 3, 2, 3, 4] {
        let (status, text) = receiver.send(SECRET, &event(number)).await;
        assert_eq!((status, &*text), (204, ""), "{number}");
    }
    let ping = r#"{"id":"019a8c52-8e20-7000-8000-000000000009","type":"ping","createdAt":"2026-11-20T09:15:30.123456Z","locationId":null,"sequence":null,"data":{}}"#;
    assert_eq!(receiver.send("whsec_new", ping).await.0, 204);

    const LINE: &str = "2026-11-20T09:15:30.123456Z catalog.product.changed";
    const AT: &str = r#"at 019a8c52-8e20-7c42-8a1f-4c2d6e8fab01 name="Tea""#;
    for number in ["#1", "#3", "#2 (late)", "#4"] {
        assert_eq!(
            receiver.line().await,
            format!("verified {LINE} {number} {AT}")
        );
    }
    assert_eq!(
        receiver.line().await,
        "verified 2026-11-20T09:15:30.123456Z ping"
    );
    let again = "019a8c52-8e20-7000-8000-000000000003 came again";
    assert_eq!(receiver.logged().await, again);
}

/// The clocks of service and receiver both show the machine's time.
#[tokio::test]
async fn it_takes_what_a_service_delivers() {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let now = Timestamp::from_micros(now.try_into().unwrap());
    let service = Service::start_at(now).await;
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let secret = service.webhook(format!("http://{address}/")).await;
    let mut receiver = Running::start(&address, &secret).await;
    let products = service.client().location(service.locations[0]).products();
    products.create(&ProductInput::named("Tea")).await.unwrap();
    assert_eq!(service.deliver().await, 1);
    let line = receiver.line().await;
    assert!(line.contains(" catalog.product.changed #"), "{line}");
    assert!(
        line.contains(&format!(" at {} ", service.locations[0])),
        "{line}"
    );
    assert!(line.contains(r#" name="Tea""#), "{line}");
}

#[tokio::test]
async fn it_says_what_is_wrong_with_a_request() {
    let mut receiver = Running::start("127.0.0.1:0", SECRET).await;
    let (status, text) = receiver.send("whsec_other", &event(1)).await;
    assert_eq!((status, &*text), (401, "no_match"));
    assert!(receiver.logged().await.contains("no v1 matches"));
    let advice = receiver.logged().await;
    assert!(advice.contains("WEBHOOK_SECRETS"), "{advice}");

    assert_eq!(receiver.send(SECRET, "[1]").await.0, 400);
    let said = receiver.logged().await;
    assert!(said.starts_with("signed, but no event: "), "{said}");

    // A secret without its prefix is recognised as one.
    let mut receiver = Running::start("127.0.0.1:0", "of_the_tests").await;
    assert_eq!(receiver.send(SECRET, &event(1)).await.0, 401);
    assert!(receiver.logged().await.contains("whsec_"));
}

#[tokio::test]
async fn what_it_cannot_start_with_is_a_clear_error() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (listen, secrets, says) in [
        ("127.0.0.1:0", None, "set WEBHOOK_SECRETS"),
        ("127.0.0.1:0", Some(""), "the webhook secret is empty"),
        ("127.0.0.1:0", Some("whsec_a\n"), "white space"),
        (&taken, Some(SECRET), "--listen 127.0.0.1:PORT"),
    ] {
        let mut command = Command::new(PROGRAM);
        command
            .args(["--listen", listen])
            .env_remove("WEBHOOK_SECRETS");
        if let Some(secrets) = secrets {
            command.env("WEBHOOK_SECRETS", secrets);
        }
        let ended = command.output().await.unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.starts_with("webhook_receiver: "), "{said}");
        assert!(said.contains(says), "{said}");
    }
}
