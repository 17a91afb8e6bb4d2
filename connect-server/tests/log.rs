//! A log, or a standard output, that cannot be written: the program goes on serving.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _, pipe},
    net::TcpStream,
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

/// Far longer than an answer takes.
const HANGS: Duration = Duration::from_secs(20);

/// A server that runs. Killed when it is dropped.
struct Running {
    child: Child,
    /// Host and port.
    address: String,
}

impl Running {
    /// Starts the program, and reads its address from its standard output.
    fn logging_to(log: impl Into<Stdio>) -> Self {
        let mut child = start(Stdio::piped(), log.into());
        let welcome = welcome(&mut child);
        let url = welcome["baseUrl"].as_str().unwrap();
        let (host, _) = url
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let address = host.to_owned();
        Self { child, address }
    }

    /// Sends a request, and returns the first line of the answer.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// Asks it to end, and waits for that.
    fn stop(mut self) -> ExitStatus {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a program that logs all that there is. One of the tests asks for more than the probes that an address
/// has.
fn start(output: Stdio, log: Stdio) -> Child {
    let arguments = "serve --json --listen 127.0.0.1:0 --admin-listen 0 --storage memory \
        --anonymous-limit 10000";
    Command::new(env!("CARGO_BIN_EXE_connect-server"))
        .args(arguments.split_whitespace())
        .env("RUST_LOG", "trace")
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Waits for the first line of a program.
pub(crate) fn welcome(child: &mut Child) -> serde_json::Value {
    let mut welcome = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut welcome).unwrap();
    serde_json::from_str(&welcome).unwrap()
}

/// A device on which every write fails: the disk is full.
fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

fn serves_and_stops(server: Running) {
    for _ in 0..10 {
        assert_eq!(server.get("/healthz"), "HTTP/1.1 200 OK");
    }
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn on_a_full_disk_and_to_a_reader_that_has_gone_it_goes_on() {
    serves_and_stops(Running::logging_to(full()));
    let (reader, log) = pipe().unwrap();
    drop(reader);
    serves_and_stops(Running::logging_to(log));
}

#[test]
fn to_a_reader_that_does_not_read_it_goes_on() {
    let (mut reader, log) = pipe().unwrap();
    let server = Running::logging_to(log);
    // A pipe takes 64 KiB, and a request logs 150 bytes.
    for _ in 0..700 {
        assert_eq!(server.get("/healthz"), "HTTP/1.1 200 OK");
    }
    // What had room is there for a reader who comes late.
    let read = std::thread::spawn(move || {
        let mut log = Vec::new();
        reader.read_to_end(&mut log).map(|_| log.len())
    });
    assert_eq!(server.stop().code(), Some(0));
    let read = read.join().unwrap().unwrap();
    assert!(read > 70_000, "{read} bytes: too few to fill the pipe");
}

/// Who does not learn that the account was made would make another.
#[test]
fn a_result_that_cannot_be_written_is_told_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let command = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_connect-server"));
        command.args(words).arg("--data").arg(folder.path());
        command
    };
    let mut server = command(&["serve", "--json", "--listen", "0", "--admin-listen", "0"]);
    let server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut server = server.unwrap();
    welcome(&mut server);
    let create = "account create --name Rye --email noor@rye.example";
    let mut create = command(&create.split(' ').collect::<Vec<_>>());
    let created = create.stdout(full()).output().unwrap();
    assert_eq!(created.status.code(), Some(1));
    let told = String::from_utf8(created.stderr).unwrap();
    assert!(told.contains("the command was executed"), "{told}");
    let listed = command(&["account", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("noor@rye.example"), "{listed}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn without_a_standard_output_it_serves() {
    let mut child = start(full().into(), Stdio::piped());
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = log.find_map(|line| {
        let line = line.unwrap();
        let told = line.contains("the welcome could not be printed");
        told.then(|| line.split("http://").nth(1).map(str::to_owned))
    });
    let address = told.flatten().unwrap();
    let end = address.find(|c: char| c != '.' && c != ':' && !c.is_ascii_digit());
    let address = address[..end.unwrap_or(address.len())].to_owned();
    // Somebody has to read the rest of the log.
    let rest = std::thread::spawn(move || log.count());
    let server = Running { child, address };
    serves_and_stops(server);
    assert!(rest.join().unwrap() > 0);
}
