//! Stores of released formats, made by the programs of their time, with this program.
//!
//! `stores/make` has made them, with what that program answered from each. This program serves the same
//! from all of them, writes, and leaves a store in which `check` finds nothing wrong. A release adds a folder.
//!
//! The clock is set to the time of the store by libfaketime, if it is installed: events, tombstones and the
//! answers of idempotency keys do not last. Without it they are left out.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, SystemTime},
};

use connect_core::storage::postgres::testing::TestDatabase;
use connect_tests::{
    check::Checker,
    http::{Answer, Request, send},
    process::{Process, run, run_in},
};
use flate2::read::GzDecoder;
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The flags of a server that leaves the store as it is by itself. The shop has links to this machine.
const SERVE: [&str; 6] = [
    "serve",
    "--json",
    "--no-deliveries",
    "--trust-clock",
    "--allow-networks",
    "127.0.0.0/8",
];

/// Moments for a kill after the start of a process, in milliseconds.
const KILLS: [u64; 8] = [0, 5, 10, 20, 50, 100, 200, 400];

/// A copy of the store of a format, in a folder or a database of its own.
struct Store {
    format: String,
    storage: String,
    /// The recorded answers.
    then: Value,
    /// The recorded time.
    clock: Vec<(&'static str, String)>,
    folder: TempDir,
    _database: Option<TestDatabase>,
}

/// The folders of all formats.
fn formats() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let formats: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    assert!(!formats.is_empty());
    formats
}

fn unzipped(file: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    let packed = File::open(file).unwrap();
    GzDecoder::new(packed).read_to_end(&mut content).unwrap();
    content
}

/// The variables for a clock at the time of the store; none without libfaketime.
fn clock(made: u64) -> Vec<(&'static str, String)> {
    let folders = fs::read_dir("/usr/lib").unwrap().flatten();
    let mut files = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    let Some(library) = files.find(|file| file.exists()) else {
        eprintln!("left out: what ends with time, as libfaketime is not installed");
        return Vec::new();
    };
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    vec![
        ("LD_PRELOAD", library.to_str().unwrap().to_owned()),
        ("FAKETIME", format!("-{}", now.saturating_sub(made))),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("NO_FAKE_STAT", "1".to_owned()),
    ]
}

impl Store {
    /// The store of this format and kind; `None` if there is no PostgreSQL for it.
    async fn unpack(format: &Path, kind: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let database = (kind == "postgres").then(TestDatabase::new);
        let then = unzipped(&format.join("answers.json.gz"));
        let then: Value = serde_json::from_slice(&then).unwrap();
        let mut store = Self {
            format: format.file_name()?.to_str()?.to_owned(),
            storage: format!("{kind}:{}", folder.path().join(kind).display()),
            clock: clock(then["made"].as_u64()?),
            then,
            folder,
            _database: None,
        };
        match kind {
            "postgres" => {
                let database = database??;
                let statements = unzipped(&format.join("postgres.sql.gz"));
                database.execute(&String::from_utf8(statements).unwrap());
                store.storage = database.address();
                store._database = Some(database);
            }
            "export" => {
                let file = store.path("export-of-then");
                fs::write(&file, unzipped(&format.join("export.gz"))).unwrap();
                store.storage = format!("redb:{}", store.path("imported"));
                store.command(&["import", &file]).await;
            }
            _ => {
                let packed = format.join(format!("{kind}.tar.gz"));
                let packed = packed.to_str().unwrap();
                let folder = store.folder.path().to_str().unwrap();
                let unpacked = run("tar", &["-C", folder, "-xzf", packed]).await;
                assert_eq!(unpacked.code, Some(0), "{unpacked:?}");
            }
        }
        Some(store)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn variables(&self) -> Vec<(&str, &str)> {
        let clock = self.clock.iter().map(|(name, value)| (*name, &**value));
        let own = [("CONNECT_STORAGE", &*self.storage), ("TZ", "UTC")];
        clock.chain(own).collect()
    }

    /// Runs a command on it, and asserts its success.
    async fn command(&self, words: &[&str]) -> String {
        let ended = run_in(PROGRAM, words, &self.variables()).await;
        assert_eq!(ended.code, Some(0), "{} {words:?}: {ended:?}", self.format);
        ended.output
    }

    /// Checks all rows.
    async fn check(&self) {
        let report = self.command(&["check"]).await;
        assert!(report.ends_with("No problems.\n"), "{report}");
    }

    async fn serve(&self) -> Process {
        let log = File::create(self.path("log")).unwrap();
        let server = Process::start_in(PROGRAM, &SERVE, &self.variables(), log).await;
        server.unwrap_or_else(|_| panic!("{}", fs::read_to_string(self.path("log")).unwrap()))
    }

    /// Returns true if a recorded answer holds at the clock of this store.
    fn lasts(&self, what: &str) -> bool {
        let ends = ["events?", "includeDeleted"];
        !self.clock.is_empty() || !ends.iter().any(|word| what.contains(word))
    }

    /// Compares the owner's things with those of then. No server may have the store open.
    async fn lists_what_was_there(&self) {
        // Commands trust no clock that is years ahead.
        for command in array(&self.then["commands"]) {
            if !self.clock.is_empty() {
                let words = array(&command["words"]).iter().map(text);
                let words: Vec<&str> = words.chain(["--json"]).collect();
                let now = serde_json::from_str(&self.command(&words).await).unwrap();
                self.holds(&words.join(" "), &command["said"], &now);
            }
        }
    }

    /// Compares the answers of a server with those of then, replays of idempotent writes included.
    async fn answers_as_then(&self, server: &Process) {
        let token = text(&self.then["token"]);
        for answer in array(&self.then["answers"]) {
            let path = text(&answer["path"]);
            if self.lasts(path) {
                let now = server.send(token, Request::get(path)).await;
                assert_eq!(answer["status"], now.status.as_u16(), "{now:?}");
                self.holds(path, &answer["body"], &now.json());
            }
        }
        for replay in array(&self.then["replays"]) {
            let path = text(&replay["path"]);
            let method = Method::try_from(text(&replay["method"])).unwrap();
            let mut again = Request::new(method, path).key(text(&replay["key"]));
            if let Some(body) = replay["body"].as_str() {
                // As it was sent: a key stands for the bytes.
                again = again
                    .header("content-type", "application/json")
                    .body(body.to_owned());
            }
            if !self.clock.is_empty() {
                let now = send_as(server, text(&replay["token"]), again).await;
                assert_eq!(now.header("idempotent-replayed"), Some("true"), "{now:?}");
                assert_eq!(replay["status"], now.status.as_u16(), "{now:?}");
                let body = if now.body.is_empty() {
                    Value::Null
                } else {
                    now.json()
                };
                self.holds(path, &replay["answer"], &body);
            }
        }
    }

    /// Asserts the recorded answers, with new fields allowed.
    #[track_caller]
    fn holds(&self, of: &str, then: &Value, now: &Value) {
        if let Some((at, then, now)) = difference("", then, now) {
            panic!("{} {of}{at}: {then} is {now} now", self.format);
        }
    }

    /// Creates, changes and deletes things of then and new ones, and reads that in the feed of events.
    async fn is_written(&self, server: &Process) {
        let (token, then) = (text(&self.then["token"]), &self.then);
        let at = |path: &str| format!("/v1/locations/{}/{path}", text(&then["location"]));
        let feed = |after: &str| Request::get(at(&format!("events?limit=200{after}")));
        let events = server.send(token, feed("")).await.expect(200).list();
        let last = events
            .last()
            .map(|event| format!("&after={}", text(&event["id"])));
        let list = Request::get(at("products?limit=2&externalId=T-7"));
        let old = server.send(token, list).await.expect(200).list();
        let new = json!({ "name": "New", "externalId": "NEW", "priceCents": 100 });
        let made = server
            .send(token, Request::post(at("products"), &new))
            .await;
        let made = made.expect(201).id();
        for (id, price) in [(text(&old[0]["id"]), 1000), (&made, 101)] {
            let path = at(&format!("products/{id}"));
            let change = Request::patch(&path, &json!({ "priceCents": price }));
            let changed = server.send(token, change).await.expect(200).data();
            assert_eq!(changed["priceCents"], price);
            let moved = json!({ "productId": id, "quantityChange": 2.5 });
            let moved = Request::post(at("stock/adjustments"), &moved);
            server.send(token, moved).await.expect(201);
            server.send(token, Request::delete(&path)).await.expect(204);
            server.send(token, Request::get(&path)).await.expect(404);
        }
        let sale = array(&then["replays"]).last().unwrap();
        let body = serde_json::from_str(text(&sale["body"])).unwrap();
        let again = Request::post("/device/v1/transactions", &body).key("another");
        let sold = send_as(server, text(&sale["token"]), again).await;
        assert_eq!(sold.expect(201).data()["receiptNumber"], 4);
        let events = feed(&last.unwrap_or_default());
        let events = server.send(token, events).await.expect(200).list();
        let types: Vec<&str> = events.iter().map(|event| text(&event["type"])).collect();
        let of_a_product = [
            "catalog.product.changed",
            "stock.changed",
            "catalog.product.changed",
        ];
        let expected = [
            &["catalog.product.changed"][..],
            &of_a_product,
            &of_a_product,
        ];
        let expected = [
            &expected.concat()[..],
            &["pos.transaction.created", "stock.changed"],
        ];
        assert_eq!(types, expected.concat(), "{}", self.format);
    }
}

/// Sends a request with a token, or with the key of a screen.
async fn send_as(server: &Process, token: &str, request: Request) -> Answer {
    if !request.target.starts_with("/device") {
        return server.send(token, request).await;
    }
    let answer = send(server.owner_address, request.bearer(token))
        .await
        .unwrap();
    Checker::v1().judge(&answer);
    answer
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Finds the first recorded value missing from the present one.
fn difference(at: &str, then: &Value, now: &Value) -> Option<(String, Value, Value)> {
    // A cursor has the time at which its pass began.
    if at.ends_with(".nextCursor") && now.is_string() == then.is_string() {
        return None;
    }
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => then.iter().find_map(|(name, then)| {
            difference(
                &format!("{at}.{name}"),
                then,
                now.get(name).unwrap_or(&Value::Null),
            )
        }),
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            let mut both = (0..).zip(then.iter().zip(now));
            both.find_map(|(n, (then, now))| difference(&format!("{at}.{n}"), then, now))
        }
        _ => (then != now).then(|| (at.to_owned(), then.clone(), now.clone())),
    }
}

/// Reads and writes the stores of this kind of all formats, and moves them to another kind.
async fn live_on(kind: &str, other: &str) {
    for format in formats() {
        let Some(store) = Store::unpack(&format, kind).await else {
            return;
        };
        store.check().await;
        store.lists_what_was_there().await;
        let server = store.serve().await;
        store.answers_as_then(&server).await;
        store.is_written(&server).await;
        assert_eq!(server.stop().await, Some(0));
        store.check().await;
        let (file, moved) = (store.path("moved.connect"), store.path("moved"));
        store.command(&["export", &file]).await;
        let moved = format!("{other}:{moved}");
        for words in [&["import", &*file][..], &["check"]] {
            store
                .command(&[words, &["--storage", &moved]].concat())
                .await;
        }
    }
}

/// Kills starts on the stores of this kind of all formats, then serves them as if nothing had been.
async fn survive_kills(kind: &str) {
    for format in formats() {
        let Some(store) = Store::unpack(&format, kind).await else {
            return;
        };
        for after in KILLS {
            let mut start = Command::new(PROGRAM)
                .args(SERVE)
                .envs(store.variables())
                .env("CONNECT_LISTEN", "0")
                .env("CONNECT_ADMIN_LISTEN", "0")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            tokio::time::sleep(Duration::from_millis(after)).await;
            start.kill().await.unwrap();
        }
        let server = store.serve().await;
        store.answers_as_then(&server).await;
        store.is_written(&server).await;
        assert_eq!(server.stop().await, Some(0));
        store.check().await;
    }
}

#[tokio::test]
async fn stores_of_all_formats_live_on_redb() {
    live_on("redb", "sled").await;
}

#[tokio::test]
async fn stores_of_all_formats_live_on_sled() {
    live_on("sled", "redb").await;
}

#[tokio::test]
async fn stores_of_all_formats_live_on_postgres() {
    live_on("postgres", "redb").await;
}

#[tokio::test]
async fn exports_of_all_formats_are_imported() {
    live_on("export", "sled").await;
}

#[tokio::test]
async fn killed_first_starts_leave_redb_as_it_was() {
    survive_kills("redb").await;
}

#[tokio::test]
async fn killed_first_starts_leave_sled_as_it_was() {
    survive_kills("sled").await;
}

#[tokio::test]
async fn killed_first_starts_leave_postgres_as_it_was() {
    survive_kills("postgres").await;
}
