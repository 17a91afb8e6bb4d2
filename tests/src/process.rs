//! The server as a separate process, to be stopped and killed.

use std::{fs::File, net::SocketAddr, path::Path, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
};

use crate::{
    check::Checker,
    http::{Answer, Request, send},
};

/// Flags with limits no test reaches.
pub const PLENTY: [&str; 6] = [
    "--token-limit",
    "1000000",
    "--account-limit",
    "1000000",
    "--ip-limit",
    "1000000",
];

/// The variable with the keys for stored secrets, and the key of databases.
pub const SECRETS_KEY: (&str, &str) = (
    "CONNECT_SECRETS_KEY",
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
);

/// Returns the key for a program with these words and variables.
/// It is needed on a database, unless they have one.
fn key(words: &[&str], variables: &[(&str, &str)]) -> Option<(&'static str, &'static str)> {
    let is_set = variables.iter().any(|(name, _)| *name == SECRETS_KEY.0);
    let mut values = words.iter().chain(variables.iter().map(|(_, value)| value));
    (!is_set && values.any(|value| value.starts_with("postgres"))).then_some(SECRETS_KEY)
}

/// A running server, killed on drop.
pub struct Process {
    child: Child,
    /// The startup banner, printed once the server accepts requests.
    pub welcome: Value,
    /// The address of its API.
    pub address: SocketAddr,
    /// The address of the owner's listener.
    pub owner_address: SocketAddr,
}

/// The failure of a server to start.
#[derive(Debug)]
pub struct NotStarted {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Its text on standard error.
    pub said: String,
}

/// The end of a command, with its output.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Its text on standard output.
    pub output: String,
    /// Its text on standard error.
    pub said: String,
}

/// Runs a command to its end.
///
/// # Panics
/// The program cannot be run.
pub async fn run(program: &str, arguments: &[&str]) -> Finished {
    run_in(program, arguments, &[]).await
}

/// Runs a command to its end, with these variables in its environment.
///
/// # Panics
/// The program cannot be run.
pub async fn run_in(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().copied());
    command.envs(key(arguments, variables));
    let ended = command.stdin(Stdio::null()).output().await;
    let ended = ended.expect("the program can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Finished {
        code: ended.status.code(),
        output: text(&ended.stdout),
        said: text(&ended.stderr),
    }
}

impl Finished {
    /// Asserts a refusal for this reason, without any output.
    ///
    /// # Panics
    /// The command ended otherwise.
    #[track_caller]
    pub fn is_refused(&self, why: &str) {
        assert_eq!((self.code, &self.output[..]), (Some(1), ""), "{self:?}");
        assert!(self.said.contains(why), "{why:?} is not in {}", self.said);
    }
}

impl Process {
    /// Starts `program demo` on a store in `data`, of the default engine.
    ///
    /// # Errors
    /// It ends before it accepts requests.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn start(program: &str, data: &Path, more: &[&str]) -> Result<Self, NotStarted> {
        let storage = format!("redb:{}", data.display());
        Self::start_on(program, &storage, more).await
    }

    /// Starts `program demo` on this storage.
    ///
    /// # Errors
    /// It ends before it accepts requests.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn start_on(program: &str, storage: &str, more: &[&str]) -> Result<Self, NotStarted> {
        Self::start_as(program, "demo", storage, more).await
    }

    /// Starts `program serve` or `program demo` on this storage.
    ///
    /// # Errors
    /// It ends before it accepts requests.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn start_as(
        program: &str,
        how: &str,
        storage: &str,
        more: &[&str],
    ) -> Result<Self, NotStarted> {
        let child = Command::new(program)
            .args([how, "--json", "--listen", "127.0.0.1:0"])
            .env("CONNECT_ADMIN_LISTEN", "0")
            .args(["--storage", storage])
            .envs(key(&[storage], &[]))
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the server can be started");
        Self::of(child).await
    }

    /// Starts `program demo` on a store in `data`, with a full log.
    /// The log goes into the file, at the level `trace`.
    ///
    /// # Errors
    /// It ends before it accepts requests.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn start_logged(program: &str, data: &Path, log: File) -> Result<Self, NotStarted> {
        let storage = format!("redb:{}", data.display());
        let variables = [("RUST_LOG", "trace"), ("CONNECT_STORAGE", &*storage)];
        Self::start_in(program, &["demo", "--json"], &variables, log).await
    }

    /// Starts a serving command with these environment variables.
    /// It listens on a free port unless they say otherwise, and logs into a file.
    ///
    /// # Errors
    /// It ends before it accepts requests.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn start_in(
        program: &str,
        words: &[&str],
        variables: &[(&str, &str)],
        log: File,
    ) -> Result<Self, NotStarted> {
        let child = Command::new(program)
            .args(words)
            .env("CONNECT_TESTS_LOG", "1")
            .env("CONNECT_LISTEN", "0")
            .env("CONNECT_ADMIN_LISTEN", "0")
            .envs(variables.iter().copied())
            .envs(key(words, variables))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .stderr(log)
            .spawn()
            .expect("the server can be started");
        Self::of(child).await
    }

    /// Waits for a started server to accept requests.
    async fn of(mut child: Child) -> Result<Self, NotStarted> {
        let mut line = String::new();
        let output = child.stdout.take().expect("standard output");
        BufReader::new(output)
            .read_line(&mut line)
            .await
            .expect("its first line");
        if line.is_empty() {
            let mut said = String::new();
            if let Some(mut errors) = child.stderr.take() {
                let last = errors.read_to_string(&mut said).await;
                last.expect("its last words");
            }
            let code = child.wait().await.expect("its end").code();
            return Err(NotStarted { code, said });
        }
        let welcome: Value = serde_json::from_str(&line).expect("a line of JSON");
        let address = |name: &str| {
            let url = welcome[name].as_str().expect("an address");
            let address = url.trim_start_matches("http://").trim_end_matches("/v1");
            address.parse().expect("an address")
        };
        Ok(Self {
            child,
            address: address("baseUrl"),
            owner_address: address("adminUrl"),
            welcome,
        })
    }

    /// The token made at its start.
    ///
    /// # Panics
    /// It made none.
    pub fn token(&self) -> String {
        self.welcome["token"].as_str().expect("a token").to_owned()
    }

    /// Its process id.
    ///
    /// # Panics
    /// It has ended.
    pub fn id(&self) -> String {
        self.child.id().expect("it is running").to_string()
    }

    /// A path at its first location.
    ///
    /// # Panics
    /// It has none.
    pub fn at(&self, path: &str) -> String {
        let location = self.welcome["locations"][0]["id"]
            .as_str()
            .expect("a location");
        format!("/v1/locations/{location}/{path}")
    }

    /// Sends a request with this token.
    ///
    /// # Panics
    /// There is no response, or it does not match the document.
    pub async fn send(&self, token: &str, request: Request) -> Answer {
        let answer = send(self.address, request.bearer(token))
            .await
            .expect("a response");
        Checker::v1().judge(&answer);
        answer
    }

    /// Sends SIGKILL, and waits for the end of the process.
    /// It ends at once, in the middle of any work. Until then it holds the lock of its store.
    ///
    /// # Panics
    /// It cannot be sent.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("a signal can be sent");
    }

    /// Sends SIGTERM, waits for the end, and returns the exit code.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub async fn stop(mut self) -> Option<i32> {
        self.ask_to_stop().await;
        self.wait().await
    }

    /// Sends SIGTERM.
    ///
    /// # Panics
    /// It cannot be sent.
    pub async fn ask_to_stop(&self) {
        self.signal("TERM").await;
    }

    /// Sends a signal of this name.
    ///
    /// # Panics
    /// It cannot be sent.
    pub async fn signal(&self, name: &str) {
        let signal = format!("-{name}");
        let sent = Command::new("kill").args([&signal, &self.id()]).status();
        assert!(sent.await.expect("a signal can be sent").success());
    }

    /// Waits for the end, and returns the exit code.
    ///
    /// # Panics
    /// It cannot be waited for.
    pub async fn wait(&mut self) -> Option<i32> {
        self.child.wait().await.expect("the server ends").code()
    }
}
