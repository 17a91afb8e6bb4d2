//! Three servers on one database, which are killed and started again.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use connect_tests::{
    check::Checker,
    http::{Answer, Request, send},
    process::{PLENTY, Process},
};
use tokio::time::{Instant, sleep, timeout};

/// The servers.
pub(super) const SERVERS: usize = 3;

/// The time within which some server has to answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The flags of all servers, besides the store, the folder and the limits.
const FLAGS: [&str; 6] = [
    "--allow-networks",
    "127.0.0.0/8",
    "--delivery-interval",
    "1",
    "--public-url",
    "http://127.0.0.1:1",
];

/// The words with which a server starts that keeps its files in this folder.
pub(super) fn words(folder: &Path) -> Vec<&str> {
    let data = ["--data", folder.to_str().unwrap()];
    [&data[..], &PLENTY, &FLAGS].concat()
}

/// Three servers, and what all clients of them know.
pub(super) struct Fleet {
    words: Vec<String>,
    storage: String,
    stands: [Stand; SERVERS],
    /// The requests that were answered.
    pub(super) answered: AtomicUsize,
    /// The times that a request got no answer, and went to another server.
    pub(super) lost: AtomicUsize,
}

/// The place of a server.
#[derive(Default)]
struct Stand {
    process: Mutex<Option<Process>>,
    /// The requests that the running process has answered.
    answered: AtomicUsize,
}

/// A request that was answered in the end.
pub(super) struct Settled {
    pub(super) answer: Answer,
    /// The servers that were asked before, and gave no answer.
    pub(super) lost: usize,
}

impl Settled {
    /// Returns whether the answer is one that was given before.
    pub(super) fn is_replayed(&self) -> bool {
        self.answer.header("idempotent-replayed") == Some("true")
    }
}

impl Fleet {
    /// Starts the servers at once, on a database that may be empty. They share a folder for images.
    pub(super) async fn start(storage: &str, folder: &Path) -> Self {
        let fleet = Self {
            words: words(folder).into_iter().map(str::to_owned).collect(),
            storage: storage.to_owned(),
            stands: Default::default(),
            answered: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
        };
        tokio::join!(fleet.serve(0), fleet.serve(1), fleet.serve(2));
        fleet
    }

    async fn serve(&self, server: usize) {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let started = Process::start_as(PROGRAM, "serve", &self.storage, &words).await;
        let stand = &self.stands[server];
        stand.answered.store(0, SeqCst);
        *stand.process.lock().unwrap() = Some(started.unwrap());
    }

    /// Kills a server, once it has answered so many requests, and starts it again.
    pub(super) async fn kill(&self, server: usize, answers: usize) {
        let stand = &self.stands[server];
        let began = Instant::now();
        while stand.answered.load(SeqCst) < answers {
            assert!(began.elapsed() < PATIENCE, "server {server} does nothing");
            sleep(Duration::from_millis(1)).await;
        }
        let process = stand.process.lock().unwrap().take();
        process.unwrap().kill().await;
        self.serve(server).await;
    }

    /// Ends all servers with SIGTERM.
    pub(super) async fn stop(self) {
        for stand in self.stands {
            let process = stand.process.into_inner().unwrap();
            assert_eq!(process.unwrap().stop().await, Some(0));
        }
    }

    /// The address of a server, for requests to this path; `None` while it is away.
    pub(super) fn address(&self, server: usize, target: &str) -> Option<SocketAddr> {
        let process = self.stands[server % SERVERS].process.lock().unwrap();
        process.as_ref().map(|process| {
            if target.starts_with("/device/") {
                process.owner_address
            } else {
                process.address
            }
        })
    }

    /// Sends a request to this server, and where that gives no answer to the next one, as it is, until
    /// there is an answer. Nothing but an answer that is meant for the client is one.
    pub(super) async fn ask(&self, first: usize, request: Request) -> Settled {
        let began = Instant::now();
        let mut lost = 0;
        for server in first.. {
            assert!(began.elapsed() < PATIENCE, "no answer: {}", request.target);
            let Some(address) = self.address(server, &request.target) else {
                sleep(Duration::from_millis(1)).await;
                continue;
            };
            let answer = timeout(PATIENCE, send(address, request.clone())).await;
            let Ok(Ok(answer)) = answer else {
                lost += 1;
                self.lost.fetch_add(1, SeqCst);
                continue;
            };
            Checker::of(&request.target).judge(&answer);
            self.stands[server % SERVERS].answered.fetch_add(1, SeqCst);
            self.answered.fetch_add(1, SeqCst);
            return Settled { answer, lost };
        }
        unreachable!("there is always a next server")
    }
}
