//! Servers on one PostgreSQL, replaced one after the other by those of another build.
//!
//! `tests/upgrade/check` builds the former program, and names it in `CONNECT_FORMER_PROGRAM`. Without it, or
//! without PostgreSQL, these tests are left out.

use std::{
    env,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use connect_core::storage::postgres::testing::TestDatabase;
use connect_tests::{
    http::{Request, send},
    process::{PLENTY, Process, run},
};
use serde_json::json;
use tokio::{task::JoinHandle, time::sleep};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The number of writes in a stage.
const MANY: usize = 30;

/// The time between two requests of a client.
const PAUSE: Duration = Duration::from_millis(10);

/// The version of the rows of a program. The first programs do not say it.
async fn rows_of(program: &str) -> u32 {
    let said = run(program, &["--version"]).await.output;
    let number = said
        .trim()
        .trim_end_matches(')')
        .rsplit_once("rows of version ");
    number.map_or(1, |(_, number)| number.parse().unwrap())
}

/// The former program with a demo on a new database.
struct Former {
    program: String,
    database: TestDatabase,
    token: String,
    products: String,
}

impl Former {
    async fn start() -> Option<Self> {
        let Ok(program) = env::var("CONNECT_FORMER_PROGRAM") else {
            eprintln!("skipped: CONNECT_FORMER_PROGRAM names no program; see tests/upgrade/check");
            return None;
        };
        let database = TestDatabase::new()?;
        let demo = Process::start_on(&program, &database.address(), &PLENTY).await;
        let demo = demo.unwrap();
        let (token, products) = (demo.token(), demo.at("products"));
        assert_eq!(demo.stop().await, Some(0));
        Some(Self {
            program,
            database,
            token,
            products,
        })
    }

    async fn serve(&self, program: &str) -> Process {
        let storage = self.database.address();
        let server = Process::start_as(program, "serve", &storage, &PLENTY).await;
        server.unwrap()
    }

    /// Sends a write to a server; its status.
    async fn write(&self, server: &Process, name: &str) -> u16 {
        let new = Request::post(&self.products, &json!({ "name": name, "externalId": name }));
        let new = new.bearer(&self.token).key(name);
        send(server.address, new).await.unwrap().status.as_u16()
    }

    /// Asserts these products at a server, and a clean database.
    async fn has(&self, server: Process, names: &[String]) {
        for name in names {
            let one = Request::get(format!("{}?externalId={name}", self.products));
            let one = server.send(&self.token, one).await.expect(200).list();
            assert_eq!(one.len(), 1, "{name}");
        }
        assert_eq!(server.stop().await, Some(0));
        let report = run(PROGRAM, &["check", "--storage", &self.database.address()]).await;
        assert_eq!(report.code, Some(0), "{report:?}");
    }
}

/// A client with writes all the time, each repeated until its answer.
struct Writer(Arc<Written>, JoinHandle<()>);

#[derive(Default)]
struct Written {
    /// The server's address; `None` while it is replaced.
    server: Mutex<Option<SocketAddr>>,
    is_over: AtomicBool,
    /// The names of the answered products.
    answered: Mutex<Vec<String>>,
    /// The answers other than 201.
    refused: Mutex<Vec<(u16, String)>>,
    /// The requests without an answer while the server was not being replaced.
    cut: Mutex<Vec<String>>,
}

impl Writer {
    fn start(of: &Former, server: &Process, name: &str) -> Self {
        let written = Arc::new(Written::default());
        *written.server.lock().unwrap() = Some(server.address);
        let (seen, products, token) = (written.clone(), of.products.clone(), of.token.clone());
        let name = name.to_owned();
        let task = tokio::spawn(async move {
            let mut number = 0;
            while !seen.is_over.load(Ordering::Relaxed) {
                let now = *seen.server.lock().unwrap();
                let Some(address) = now else {
                    sleep(Duration::from_millis(2)).await;
                    continue;
                };
                let product = format!("{name}-{number}");
                let new = json!({ "name": product, "externalId": product });
                let new = Request::post(&products, &new).bearer(&token).key(&product);
                match send(address, new).await {
                    Ok(answer) if answer.status == 201 => {
                        seen.answered.lock().unwrap().push(product);
                        number += 1;
                        sleep(PAUSE).await;
                    }
                    Ok(answer) => {
                        let body = String::from_utf8_lossy(&answer.body).into_owned();
                        seen.refused
                            .lock()
                            .unwrap()
                            .push((answer.status.as_u16(), body));
                        sleep(PAUSE).await;
                    }
                    Err(error) if *seen.server.lock().unwrap() == Some(address) => {
                        seen.cut.lock().unwrap().push(format!("{product}: {error}"));
                    }
                    Err(_) => {}
                }
            }
        });
        Self(written, task)
    }

    /// Waits for many more answered writes.
    async fn goes_on(&self) {
        let before = self.0.answered.lock().unwrap().len();
        while self.0.answered.lock().unwrap().len() < before + MANY {
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Replaces its server by one of this program.
    async fn replace(&self, of: &Former, former: Process) -> Process {
        *self.0.server.lock().unwrap() = None;
        assert_eq!(former.stop().await, Some(0));
        let server = of.serve(PROGRAM).await;
        *self.0.server.lock().unwrap() = Some(server.address);
        server
    }

    /// Stops it; the names that were answered. Nothing may have failed but by a stop, or as `may`.
    async fn end(self, may: &str) -> Vec<String> {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.1.await.unwrap();
        assert_eq!(*self.0.cut.lock().unwrap(), [""; 0]);
        let refused = self.0.refused.lock().unwrap();
        let is_expected = |(status, _): &(u16, String)| *status == 503 && !may.is_empty();
        assert!(refused.iter().all(is_expected), "{refused:?}");
        let said = refused.len();
        let names = std::mem::take(&mut *self.0.answered.lock().unwrap());
        eprintln!("{} writes answered, {said} refused{may}", names.len());
        names
    }
}

#[tokio::test]
async fn servers_are_replaced_one_after_the_other() {
    let Some(former) = Former::start().await else {
        return;
    };
    let (old, new) = (rows_of(&former.program).await, rows_of(PROGRAM).await);
    let first = former.serve(&former.program).await;
    let second = former.serve(&former.program).await;
    let one = Writer::start(&former, &first, "one");
    let two = Writer::start(&former, &second, "two");
    one.goes_on().await;
    two.goes_on().await;
    let first = one.replace(&former, first).await;
    one.goes_on().await;
    let may = if old == new {
        eprintln!("rows of version {old} in both: they work side by side");
        two.goes_on().await;
        assert_eq!(readiness(&second).await.0, 200);
        ""
    } else {
        eprintln!(
            "rows of version {old}, then {new}: the former server refuses from the first write"
        );
        assert_eq!(former.write(&second, "refused").await, 503);
        let (status, said) = readiness(&second).await;
        assert_eq!(status, 503);
        assert!(old == 1 || said.contains("version"), "{said}");
        let again = Process::start_on(&former.program, &former.database.address(), &[]).await;
        assert!(again.is_err(), "the former program starts again");
        " by the former server"
    };
    let second = two.replace(&former, second).await;
    one.goes_on().await;
    two.goes_on().await;
    let mut names = one.end("").await;
    names.extend(two.end(may).await);
    assert_eq!(second.stop().await, Some(0));
    former.has(first, &names).await;
}

#[tokio::test]
async fn two_servers_start_at_once_on_the_former_database() {
    let Some(former) = Former::start().await else {
        return;
    };
    let (one, two) = tokio::join!(former.serve(PROGRAM), former.serve(PROGRAM));
    let written = tokio::join!(former.write(&one, "one"), former.write(&two, "two"));
    assert_eq!(written, (201, 201));
    assert_eq!(two.stop().await, Some(0));
    former.has(one, &["one".to_owned(), "two".to_owned()]).await;
}

/// What `/readyz` says.
async fn readiness(server: &Process) -> (u16, String) {
    let answer = send(server.address, Request::get("/readyz")).await.unwrap();
    let said = String::from_utf8_lossy(&answer.body).into_owned();
    (answer.status.as_u16(), said)
}
