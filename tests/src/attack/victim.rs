//! The server under attack: a separate process on a prepared store.

use std::{fs::File, io, sync::Arc, time::Duration};

use connect_core::{
    Account, Connect, ScreenType,
    storage::redb::{RedbOptions, RedbStorage},
    wire::{Batch, Id, Location, ProductInput},
};
use tempfile::TempDir;

use crate::{process::Process, shop::setup};

/// The tokens of well-behaved clients, each of an account of its own.
const BYSTANDERS: usize = 30;
/// The tokens of the attacker.
const ATTACKERS: usize = 5;
/// The products of the attacker's location.
const PRODUCTS: usize = 2000;

/// A store with accounts, to serve again and again.
pub struct Store {
    directory: TempDir,
    /// The tokens of well-behaved clients.
    pub bystanders: Arc<[String]>,
    /// The tokens of the attacker.
    pub attackers: Arc<[String]>,
    /// The path of the attacker's products.
    pub products: Arc<str>,
}

impl Store {
    /// Makes and fills a store.
    ///
    /// # Panics
    /// There is no room for it.
    pub async fn make() -> Self {
        let directory = TempDir::new().expect("a directory");
        let storage = RedbStorage::open(path(&directory), RedbOptions::default());
        let storage = Arc::new(storage.expect("an empty store"));
        let connect = Connect::builder(storage).build();
        let mut bystanders = Vec::new();
        for _ in 0..BYSTANDERS {
            let (account, _) = account(&connect).await;
            bystanders.extend(tokens(&connect, account, 1).await);
        }
        let (account, location) = account(&connect).await;
        let attackers = tokens(&connect, account, ATTACKERS).await;
        let at = connect.authorize_owner(account, location, account).await;
        let products = connect.location(&at.expect("the owner")).products();
        let numbers: Vec<_> = (0..PRODUCTS).collect();
        for part in numbers.chunks(500) {
            let product = |number: &usize| {
                ProductInput::named(format!("Product {number}"))
                    .external_id(format!("P{number}"))
                    .description("A long text that makes pages large. ".repeat(20))
            };
            let batch = products.batch(Batch::new(part.iter().map(product).collect()));
            assert_eq!(batch.await.expect("a batch").failed, 0);
        }
        Self {
            directory,
            bystanders: bystanders.into(),
            attackers: attackers.into(),
            products: format!("/v1/locations/{location}/products").into(),
        }
    }

    /// Starts a server on the store, discarding its log.
    ///
    /// # Panics
    /// It does not start.
    pub async fn serve(&self, program: &str) -> Process {
        let storage = format!("redb:{}", path(&self.directory));
        let variables = [("CONNECT_STORAGE", &*storage)];
        let nowhere = File::create("/dev/null").expect("a place for the log");
        let started = Process::start_in(program, &["serve", "--json"], &variables, nowhere).await;
        started.unwrap_or_else(|ended| panic!("{program} does not start: {ended:?}"))
    }
}

fn path(directory: &TempDir) -> String {
    directory.path().join("store").display().to_string()
}

/// A new account with a location and a screen.
/// The screen makes the API available.
async fn account(connect: &Connect) -> (Id<Account>, Id<Location>) {
    let account = setup::account(connect).await;
    let location = setup::location(connect, account, "Here").await;
    setup::screen(connect, account, location, ScreenType::Pos, "Till").await;
    (account, location)
}

async fn tokens(connect: &Connect, account: Id<Account>, count: usize) -> Vec<String> {
    let mut tokens = Vec::new();
    for number in 0..count {
        tokens.push(setup::full_token(connect, account, &format!("Token {number}")).await);
    }
    tokens
}

/// The processor time used by a process.
///
/// # Errors
/// It has ended, or this system does not report it.
pub fn processor_time(process: &str) -> io::Result<Duration> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program, in brackets, may hold blanks. User and system time are the 12th and
    // 13th field behind it.
    let fields = status.rsplit_once(") ").map(|(_, fields)| fields);
    let times = fields.unwrap_or_default().split(' ').skip(11).take(2);
    let ticks: u64 = times
        .map(str::parse::<u64>)
        .sum::<Result<_, _>>()
        .map_err(io::Error::other)?;
    // A tick is a hundredth of a second on all systems that have this file.
    Ok(Duration::from_millis(10 * ticks))
}

/// The peak resident memory of a process, in bytes.
///
/// # Errors
/// It has ended, or this system does not report it.
pub fn peak_memory(process: &str) -> io::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let kibibytes = kibibytes.ok_or_else(|| io::Error::other("no VmHWM in its status"))?;
    Ok(kibibytes * 1024)
}
