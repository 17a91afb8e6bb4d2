//! Measures the processor time of each dashboard page in a large shop.
//! It also prints the size of the server.
//!
//! `cargo build --release -p connect-server && cargo run --release -p connect-tests --bin dashboard`
#![allow(
    clippy::print_stdout,
    clippy::panic,
    reason = "a program for the command line"
)]

use std::{fs::File, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::Parser;
use connect_core::{
    Connect,
    storage::redb::{RedbOptions, RedbStorage},
    wire::{Batch, ProductInput},
};
use connect_server::demo;
use connect_tests::{
    attack::victim::{peak_memory, processor_time},
    http::{Request, send},
    process::Process,
};
use http::{Method, StatusCode};
use tempfile::TempDir;

/// The most processor time allowed for a page.
const MOST: Duration = Duration::from_millis(20);

/// Measures the pages of the dashboard.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program of the server [default: connect-server beside this program]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// The products of the shop.
    #[arg(long, default_value_t = 100_000)]
    products: usize,
    /// Days of trade before today.
    #[arg(long, default_value_t = 7)]
    days: usize,
    /// Requests for each page.
    #[arg(long, default_value_t = 100)]
    requests: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let program = arguments.server.clone().unwrap_or_else(beside);
    let Ok(size) = std::fs::metadata(&program).map(|file| file.len()) else {
        println!("There is no server: cargo build --release -p connect-server, or --server FILE");
        return ExitCode::from(2);
    };
    let directory = tempfile::tempdir().expect("a directory");
    let session = fill(&directory, arguments.products).await;
    let server = serve(&program, &directory).await;
    let idle = peak_memory(&server.id()).expect("the server is there");
    println!("program: {:.1} MB", size as f64 / 1e6);
    println!("resident after the start: {:.1} MB", idle as f64 / 1e6);
    trade(&server, arguments.days).await;

    println!("\n| page | bytes | processor time, ms | holds |\n|---|---|---|---|");
    let mut all_hold = true;
    for page in pages(&server) {
        let get = || {
            let request =
                Request::get(&page).header("cookie", format!("connect-session={session}"));
            send(server.owner_address, request)
        };
        let answer = get().await.expect("an answer");
        assert_eq!(answer.status, StatusCode::OK, "{page}");
        let before = processor_time(&server.id()).expect("the server is there");
        for _ in 0..arguments.requests {
            get().await.expect("an answer");
        }
        let after = processor_time(&server.id()).expect("the server is there");
        let each = (after - before) / arguments.requests;
        let holds = each <= MOST;
        all_hold &= holds;
        println!(
            "| {} | {} | {:.1} | {} |",
            page.replace(&format!("at={}", location(&server)), ""),
            answer.body.len(),
            each.as_secs_f64() * 1e3,
            if holds { "yes" } else { "**no**" }
        );
    }
    let peak = peak_memory(&server.id()).expect("the server is there");
    println!("\nresident at most: {:.1} MB", peak as f64 / 1e6);
    server.kill().await;
    ExitCode::from(u8::from(!all_hold))
}

/// The server beside this program.
fn beside() -> PathBuf {
    let this = std::env::current_exe().unwrap_or_default();
    this.with_file_name("connect-server")
}

fn store(directory: &TempDir) -> String {
    directory.path().join("store").display().to_string()
}

/// Fills the demo's shop with products, and returns an owner's session.
async fn fill(directory: &TempDir, products: usize) -> String {
    let storage = RedbStorage::open(store(directory), RedbOptions::default());
    let connect = Connect::builder(Arc::new(storage.expect("an empty store"))).build();
    let shop = demo::open(&connect).await.expect("the demo's shop");
    let (account, location) = (shop.account.id, shop.account.locations[0].id);
    let at = connect.authorize_owner(account, location, account).await;
    let catalog = connect.location(&at.expect("the owner")).products();
    let numbers: Vec<_> = (0..products).collect();
    for part in numbers.chunks(500) {
        let product = |number: &usize| {
            ProductInput::named(format!("Product {number}")).external_id(format!("P{number}"))
        };
        let batch = catalog.batch(Batch::new(part.iter().map(product).collect()));
        assert_eq!(batch.await.expect("a batch").failed, 0);
    }
    let invitation = shop.invitation.expect("the demo invites its owner");
    let session = connect.accept_invitation(invitation.secret.expose(), "rye and spelt");
    session.await.expect("a session").secret.expose().to_owned()
}

async fn serve(program: &std::path::Path, directory: &TempDir) -> Process {
    let storage = format!("redb:{}", store(directory));
    let nowhere = File::create("/dev/null").expect("a place for the log");
    let program = program.display().to_string();
    // More than an owner is allowed in a minute.
    let variables = [
        ("CONNECT_STORAGE", &*storage),
        ("CONNECT_TOKEN_LIMIT", "1000000"),
    ];
    let started = Process::start_in(&program, &["demo", "--json"], &variables, nowhere).await;
    started.unwrap_or_else(|ended| panic!("{program} does not start: {ended:?}"))
}

/// Simulates days of trade.
async fn trade(server: &Process, days: usize) {
    let location = location(server);
    for day in 0..days {
        let path = format!("/sandbox/v1/locations/{location}/days?daysAgo={day}");
        let request = Request::new(Method::POST, &path).bearer(&server.token());
        let answer = send(server.owner_address, request).await;
        let status = answer.expect("an answer").status;
        assert!(status.is_success(), "{path}: {status}");
    }
}

fn location(server: &Process) -> String {
    let id = server.welcome["locations"][0]["id"].as_str();
    id.expect("a location").to_owned()
}

/// The pages with records, at the shop.
fn pages(server: &Process) -> Vec<String> {
    let location = location(server);
    let of_shop = [
        "usage",
        "journal",
        "journal/z-reports",
        "orders",
        "products",
        "stock",
    ];
    let of_shop = of_shop.map(|page| format!("/dashboard/{page}?at={location}"));
    let search = format!("/dashboard/products?at={location}&q=product+777");
    let others = ["", "/tokens", "/webhooks", "/screens", "/account"];
    let others = others.map(|page| format!("/dashboard{page}"));
    [of_shop.to_vec(), vec![search], others.to_vec()].concat()
}
