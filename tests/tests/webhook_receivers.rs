//! The receivers of the verifier's page, in the languages whose interpreter is installed, beside the
//! demo: a change arrives at each, verified, and a receiver with a wrong secret says so.

use std::{fs, path::Path, process::Stdio, time::Duration};

use connect_tests::{data::DataFolder, http::Request};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, BufReader, Lines},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStderr, ChildStdout, Command},
    time::{sleep, timeout},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");
const PAGE: &str = include_str!("../../connect-webhook-verify/docs/receivers.md");
/// The interpreters, and the endings of their files.
const LANGUAGES: [(&str, &str); 3] = [("node", "mjs"), ("python3", "py"), ("php", "php")];
/// The demo delivers every second. Until then a machine that is busy may take its time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running receiver, which is killed when this is dropped.
struct Receiver {
    program: &'static str,
    _child: Child,
    output: Lines<BufReader<ChildStdout>>,
    log: Lines<BufReader<ChildStderr>>,
}

/// Writes the files of the page to a folder. A paragraph that begins with the name of a file comes
/// before each.
fn unpack(folder: &Path) {
    let mut parts = PAGE.split("\n```");
    while let (Some(text), Some(block)) = (parts.next(), parts.next()) {
        let named = text.rsplit_once("\n\n`").map(|(_, named)| named);
        let name = named.and_then(|named| named.split('`').next());
        let of_language = |name: &&str| LANGUAGES.iter().any(|(_, end)| name.ends_with(end));
        if let (Some(name), Some((_, code))) = (name.filter(of_language), block.split_once('\n')) {
            fs::write(folder.join(name), code).unwrap();
        }
    }
}

async fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().await;
    if found.is_err() {
        eprintln!("left out: there is no {program} here");
    }
    found.is_ok()
}

async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

impl Receiver {
    async fn start(
        (program, ending): (&'static str, &str),
        folder: &Path,
        port: u16,
        secret: &str,
    ) -> Self {
        let mut command = Command::new(program);
        if program == "php" {
            command.arg("-S").arg(format!("127.0.0.1:{port}"));
        }
        let mut child = command
            .arg(folder.join("server").with_extension(ending))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PORT", port.to_string())
            .env("WEBHOOK_SECRETS", secret)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let accepts = async {
            while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, accepts).await.expect(program);
        Self {
            program,
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            log: BufReader::new(child.stderr.take().unwrap()).lines(),
            _child: child,
        }
    }

    /// Waits for the line that says that an event was taken. PHP has a log only.
    async fn takes(&mut self, event: &Value) {
        let says = format!("event {}", event["id"].as_str().unwrap());
        if self.program == "php" {
            find(&mut self.log, &says).await;
        } else {
            find(&mut self.output, &says).await;
        }
    }
}

/// Waits for a line that says this.
async fn find(lines: &mut Lines<impl AsyncBufRead + Unpin>, says: &str) {
    let found = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(says) {
                return;
            }
        }
        panic!("it ended before it said {says:?}");
    };
    let found = timeout(PATIENCE, found).await;
    assert!(found.is_ok(), "nobody said {says:?}");
}

#[tokio::test]
async fn a_change_arrives_verified_in_every_language() {
    let data = DataFolder::new(PROGRAM, "webhook");
    unpack(data.path());
    let server = data.serve().await;
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for language in LANGUAGES {
        if !is_installed(language.0).await {
            continue;
        }
        for is_right in [true, false] {
            let port = free_port().await;
            let url = format!("http://127.0.0.1:{port}/");
            let events = "catalog.product.changed";
            let create = ["create", "--url", &url, "--events", events];
            let made = data.json(&create).await;
            let secret = made["secret"].as_str().unwrap();
            let secret = if is_right { secret } else { "whsec_another" };
            let receiver = Receiver::start(language, data.path(), port, secret).await;
            let receivers = if is_right { &mut right } else { &mut wrong };
            receivers.push(receiver);
        }
    }
    let token = server.token();
    let tea = Request::post(server.at("products"), &json!({ "name": "Thé à la menthe" }));
    server.send(&token, tea).await.expect(201);
    let feed = Request::get(server.at("events?type=catalog.product.changed"));
    let event = server.send(&token, feed).await.expect(200).list().remove(0);
    for receiver in &mut right {
        receiver.takes(&event).await;
    }
    for receiver in wrong.iter_mut().filter(|it| it.program != "php") {
        find(&mut receiver.log, "is it the secret of this webhook").await;
    }
    assert_eq!(server.stop().await, Some(0));
}
