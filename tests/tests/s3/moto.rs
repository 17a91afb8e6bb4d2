//! An S3 for tests: moto's server, from the programs of this machine.

use std::{
    env,
    net::SocketAddr,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use connect_tests::http::{Answer, Request, send};
use http::Method;
use tokio::{
    net::TcpListener,
    time::{Instant, sleep},
};

/// The environment variable with the path of moto's server, if it is not on `PATH`.
const PROGRAM: &str = "CONNECT_TEST_S3";

pub(super) const BUCKET: &str = "shop";

/// Runs the server until the end of the shell's input, however the test ends.
const KEEPER: &str = r#""$0" -H 127.0.0.1 -p "$1" >/dev/null 2>&1 & cat >/dev/null; kill $!; wait"#;

/// A key with its id.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) id: String,
    pub(super) secret: String,
}

/// A running S3 with an empty bucket.
pub(super) struct Moto {
    pub(super) address: SocketAddr,
    /// The only key, for an S3 with checks of keys.
    pub(super) key: Option<Key>,
    keeper: Child,
}

/// Returns the program; `None`, with a note on standard error, if it is missing.
pub(super) fn program() -> Option<PathBuf> {
    if let Some(path) = env::var_os(PROGRAM) {
        return Some(path.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("moto_server"));
    let found = found.into_iter().find(|program| program.exists());
    if found.is_none() {
        eprintln!("skipped: there is no moto_server here, and {PROGRAM} names none");
    }
    found
}

/// A port of this machine without a listener.
pub(super) async fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

/// An authorization that names the service and proves nothing.
fn scope(service: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/{service}/aws4_request, SignedHeaders=host, \
         Signature=0"
    )
}

impl Moto {
    /// Starts it at an address. With `checks` it refuses every key but its own.
    pub(super) async fn start(address: SocketAddr, checks: bool) -> Option<Self> {
        const SETTING_UP: usize = 4;
        let actions = if checks { SETTING_UP } else { usize::MAX };
        let keeper = Command::new("/bin/sh")
            // In its own process group, it survives the kill of a test's group, and stops the server.
            .process_group(0)
            .args(["-c", KEEPER])
            .arg(program()?)
            .arg(address.port().to_string())
            .env("INITIAL_NO_AUTH_ACTION_COUNT", actions.to_string())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut moto = Self {
            address,
            key: None,
            keeper,
        };
        let began = Instant::now();
        while send(address, Request::get("/moto-api/")).await.is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "moto does not start"
            );
            sleep(Duration::from_millis(50)).await;
        }
        moto.s3(Method::PUT, "", b"").await.expect(200);
        if checks {
            moto.key = Some(moto.make_key().await);
        }
        Some(moto)
    }

    /// Sends a request about the bucket, or an object in it.
    pub(super) async fn s3(&self, method: Method, object: &str, body: &[u8]) -> Answer {
        let request = Request::new(method, format!("/{BUCKET}{object}"));
        let request = request.header("authorization", scope("s3"));
        send(self.address, request.body(body.to_vec()))
            .await
            .unwrap()
    }

    /// Makes a user with all rights to the bucket, and a key.
    async fn make_key(&self) -> Key {
        let policy = "%7B%22Version%22%3A%222012-10-17%22%2C%22Statement%22%3A%5B%7B%22Effect%22%3A%22Allow\
                      %22%2C%22Action%22%3A%22s3%3A*%22%2C%22Resource%22%3A%22*%22%7D%5D%7D";
        let mut made = String::new();
        for action in [
            "CreateUser".to_owned(),
            format!("PutUserPolicy&PolicyName=all&PolicyDocument={policy}"),
            "CreateAccessKey".to_owned(),
        ] {
            let body = format!("Version=2010-05-08&UserName=connect&Action={action}");
            let request = Request::new(Method::POST, "/").body(body);
            let request = request
                .header("authorization", scope("iam"))
                .header("content-type", "application/x-www-form-urlencoded");
            let answer = send(self.address, request).await.unwrap().expect(200);
            made = String::from_utf8(answer.body.to_vec()).unwrap();
        }
        let field = |name: &str| {
            let (_, rest) = made.split_once(&format!("<{name}>")).unwrap();
            rest.split_once('<').unwrap().0.to_owned()
        };
        Key {
            id: field("AccessKeyId"),
            secret: field("SecretAccessKey"),
        }
    }

    /// Sends a signal to the server, and to the shell around it.
    pub(super) fn signal(&self, name: &str) {
        let group = format!("-{}", self.keeper.id());
        let sent = Command::new("kill").args([name, "--", &group]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        self.signal("-CONT");
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
