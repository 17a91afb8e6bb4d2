//! Creates at 24 locations by one, two and three servers: processes of this program, each with the
//! connections of a server.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use connect_core::{
    Access, Account,
    storage::postgres::testing::{Cluster, TestDatabase},
    wire::{Id, Location},
};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::{
    floor,
    machine::{self, Processors, Share},
    scale::Scale,
    shop::{self, Shop},
    singles, world,
};

const LOCATIONS: usize = 24;
const WRITERS: usize = 48;
const MOST: usize = 3;

/// The time in which a server opens its connections before its writes count.
const WARM_UP: Duration = Duration::from_secs(1);

/// The variable that makes this program a server: a [`Task`].
const TASK: &str = "CONNECT_BENCH_SERVER";

/// The work of a server.
#[derive(Clone, Serialize, Deserialize)]
pub struct Task {
    address: String,
    account: Id<Account>,
    locations: Vec<Id<Location>>,
    /// Its number, and that of all.
    server: usize,
    servers: usize,
    /// The number of the turn: no two turns have a product in common.
    turn_number: usize,
    /// The location has its writers at different servers, and not at one.
    is_spread: bool,
    turn: Duration,
    /// The percent of a processor that a server may use, if not all that is free.
    share: Option<u64>,
}

impl Task {
    /// Returns whether a writer is at this server.
    fn has(&self, writer: usize) -> bool {
        let location = writer % LOCATIONS;
        let turn = if self.is_spread {
            location + writer / LOCATIONS
        } else {
            location
        };
        turn % self.servers == self.server
    }
}

/// The work that this process was started for, as a server.
pub fn asked_to_serve() -> Option<Task> {
    serde_json::from_str(&env::var(TASK).ok()?).ok()
}

/// Opens the store, says so, waits for a word, writes for a while, and says how much: in its turn, and in
/// all.
pub fn serve(runtime: &Runtime, task: &Task) {
    let connect = shop::connect(Arc::new(runtime.block_on(world::storage(&task.address))));
    let all: Vec<Access> = runtime.block_on(async {
        let mut all = Vec::new();
        for location in &task.locations {
            let access = connect.authorize_owner(task.account, *location, task.account);
            all.push(access.await.unwrap());
        }
        all
    });
    println!("ready");
    io::stdin().read_exact(&mut [0]).unwrap();
    let counts = Arc::new([const { AtomicU64::new(0) }; 2]);
    let begin = Instant::now() + WARM_UP;
    let end = begin + task.turn;
    let write = |writer: usize| {
        let (connect, at) = (connect.clone(), all[writer % LOCATIONS].clone());
        let counts = counts.clone();
        let first = (task.turn_number * WRITERS + writer) * 1_000_000;
        runtime.spawn(async move {
            for number in first.. {
                singles::create(&connect, &at, number).await;
                let now = Instant::now();
                let [in_turn, in_all] = &*counts;
                in_all.fetch_add(1, Ordering::Relaxed);
                if now >= end {
                    return;
                }
                in_turn.fetch_add((now >= begin).into(), Ordering::Relaxed);
            }
        })
    };
    let mine = (0..WRITERS).filter(|writer| task.has(*writer));
    shop::finish(runtime, mine.map(write).collect());
    for count in &*counts {
        println!("{}", count.load(Ordering::Relaxed));
    }
}

/// A server under way.
struct Server {
    child: Child,
    _share: Option<Share>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(task: &Task) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .env(TASK, serde_json::to_string(task).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let share = |percent| Share::give(&child, percent).unwrap();
        Self {
            _share: task.share.map(share),
            child,
            output,
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

/// A round's figures.
#[derive(Clone, Copy)]
struct Figures {
    /// By the second.
    creates: f64,
    /// By the create.
    commits: f64,
    syncs: f64,
    busy: u64,
}

/// Runs as many servers for a turn.
fn turn(runtime: &Runtime, task: &Task) -> Figures {
    static TURNS: AtomicUsize = AtomicUsize::new(0);
    let turn_number = TURNS.fetch_add(1, Ordering::Relaxed);
    let before = runtime.block_on(counters(&task.address));
    let numbers = 0..task.servers;
    let mut servers: Vec<_> = numbers
        .map(|server| {
            Server::start(&Task {
                server,
                turn_number,
                ..task.clone()
            })
        })
        .collect();
    for server in &mut servers {
        assert_eq!(server.line(), "ready");
    }
    for server in &mut servers {
        let mut input = server.child.stdin.take().unwrap();
        input.write_all(b"g").unwrap();
    }
    thread::sleep(WARM_UP);
    let processors = Processors::now();
    thread::sleep(task.turn);
    let busy = processors.busy_since();
    let (mut in_turn, mut in_all) = (0.0, 0.0);
    for server in &mut servers {
        in_turn += server.line().parse::<f64>().unwrap();
        in_all += server.line().parse::<f64>().unwrap();
        assert!(server.child.wait().unwrap().success());
    }
    // Connections tell their counts by the second, and when they end.
    thread::sleep(Duration::from_millis(200));
    let after = runtime.block_on(counters(&task.address));
    Figures {
        creates: in_turn / task.turn.as_secs_f64(),
        commits: (after.0 - before.0) as f64 / in_all,
        syncs: (after.1 - before.1) as f64 / in_all,
        busy,
    }
}

/// The transactions of the database so far, and how often its log was synced.
async fn counters(address: &str) -> (i64, i64) {
    const FIND: &str = "SELECT xact_commit, wal_sync FROM pg_stat_database, pg_stat_wal \
        WHERE datname = current_database()";
    let client = floor::connect(address).await;
    let row = client.query_one(FIND, &[]).await.unwrap();
    (row.get(0), row.get(1))
}

/// Prints a line for each number of servers: that share the machine, and then each with a part of a processor,
/// as on small machines of their own.
pub fn one_to_three(runtime: &Runtime, cluster: &Cluster, scale: Scale) {
    println!(
        "\n{WRITERS} writers at {LOCATIONS} locations. The disk keeps 8 kB in {:.2} ms.\n\n\
         | servers | each has | writers of a location | creates | of one server | transactions a create | syncs of the log a create | processors |\n\
         |---|---|---|---|---|---|---|---|",
        machine::sync_time().as_secs_f64() * 1e3
    );
    let database = TestDatabase::on(cluster.config());
    let shop: Shop = runtime.block_on(async {
        let storage = world::storage(&database.address()).await;
        shop::open(Arc::new(storage), LOCATIONS).await
    });
    let task = |is_spread, share| Task {
        address: database.address(),
        account: shop.account,
        locations: shop.locations.iter().map(|at| at.location().id).collect(),
        server: 0,
        servers: 0,
        turn_number: 0,
        is_spread,
        turn: scale.turn,
        share,
    };
    for share in [None, Some(10), Some(20)] {
        if share.is_some() && !Share::is_possible() {
            println!("\nShares of a processor need control groups of version 1, and root.");
            return;
        }
        for is_spread in [false, true] {
            compare(runtime, &task(is_spread, share), scale);
        }
    }
}

/// Prints the lines of one, two and three servers of a kind.
fn compare(runtime: &Runtime, task: &Task, scale: Scale) {
    let mut rounds: [Vec<Figures>; MOST] = Default::default();
    for _ in 0..scale.rounds.min(3) {
        for (servers, metrics) in (1..).zip(&mut rounds) {
            let task = Task {
                servers,
                ..task.clone()
            };
            metrics.push(turn(runtime, &task));
        }
    }
    let medians = rounds.map(|mut metrics| {
        metrics.sort_unstable_by(|one, other| one.creates.total_cmp(&other.creates));
        metrics[metrics.len() / 2]
    });
    let has = match task.share {
        None => "what is free".to_owned(),
        Some(percent) => format!("{percent} % of a processor"),
    };
    for (servers, metrics) in (1..).zip(medians) {
        println!(
            "| {servers} | {has} | {} | {:.0}/s | {:.2} times | {:.1} | {:.2} | {} % |",
            if task.is_spread {
                "at different servers"
            } else {
                "at one server"
            },
            metrics.creates,
            metrics.creates / medians[0].creates,
            metrics.commits,
            metrics.syncs,
            metrics.busy,
        );
    }
}
