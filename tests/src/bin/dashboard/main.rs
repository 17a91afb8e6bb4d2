//! Measures the pages of the dashboard in a large shop: their bytes, plain and compressed, and the time of the server.
//! It also prints the size of the server.
//!
//! `cargo build --release -p connect-server && cargo run --release -p connect-tests --bin dashboard`
//!
//! With `--receipts 1000000` the shop has a year of receipts.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    reason = "a program for the command line"
)]

mod pages;
mod shop;
mod visitor;
mod year;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use connect_tests::attack::victim::peak_memory;

use self::visitor::{Visitor, millis};

/// The most processor time allowed for a page.
const MOST: Duration = Duration::from_millis(20);

/// The most processor time allowed for the first page.
const MOST_FIRST: Duration = Duration::from_millis(50);

/// The most compressed bytes of the first page with its style sheet.
const MOST_BYTES: usize = 60_000;

/// The most looks at a period until its articles are summed.
const MOST_LOOKS: usize = 100;

/// Measures the pages of the dashboard.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program of the server [default: connect-server beside this program]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// The products of the shop.
    #[arg(long, default_value_t = 100_000)]
    products: usize,
    /// The receipts of the last 365 days, written before the server starts.
    #[arg(long, default_value_t = 0)]
    receipts: usize,
    /// Days of simulated trade up to today; beside receipts only today.
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
    let session = shop::fill(&directory, arguments.products, arguments.receipts).await;
    let server = shop::serve(&program, &directory).await;
    let idle = peak_memory(&server.id()).expect("the server is there");
    println!("program: {:.1} MB", size as f64 / 1e6);
    println!("resident after the start: {:.1} MB", idle as f64 / 1e6);
    // A simulated day before today would deliver its rows late.
    let days = match arguments.receipts {
        0 => arguments.days,
        _ => arguments.days.min(1),
    };
    shop::trade(&server, days).await;
    shop::ask(&server).await;

    let visitor = Visitor::of(&server, session);
    first_looks(&visitor).await;
    let all_hold = looks(&visitor, arguments.requests).await & weight(&visitor).await;
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

/// Prints the first look at each period, and all looks until it is complete.
/// The sums of a day are kept, so a longer period has only the rest to sum.
async fn first_looks(visitor: &Visitor<'_>) {
    println!(
        "\n| page | first look, ms | its processor time, ms | looks until all is summed | together, ms |\n\
         |---|---|---|---|---|"
    );
    for page in pages::PERIODS {
        let (mut looks, mut together) = (0, Duration::ZERO);
        let mut first = None;
        while looks < MOST_LOOKS {
            let look = visitor.look(page).await;
            looks += 1;
            together += look.cost.wall;
            first.get_or_insert(look.cost);
            if look.is_complete {
                break;
            }
        }
        let first = first.unwrap_or_default();
        println!(
            "| {page} | {} | {} | {looks} | {} |",
            millis(first.wall),
            millis(first.processor),
            millis(together)
        );
    }
}

/// Prints the costs of each page after the first looks.
/// Returns whether all hold.
async fn looks(visitor: &Visitor<'_>, requests: u32) -> bool {
    println!(
        "\n| page | bytes | compressed | processor time, ms | on the clock, ms | holds |\n\
         |---|---|---|---|---|---|"
    );
    let mut all_hold = true;
    for page in pages::PERIODS.iter().chain(&pages::OTHERS) {
        let bytes = visitor.get(page).await.body.len();
        let compressed = visitor.get_compressed(page).await.body.len();
        let cost = visitor.cost(page, requests).await;
        let most = match pages::PERIODS.contains(page) {
            true => MOST_FIRST,
            false => MOST,
        };
        let holds = cost.processor <= most;
        all_hold &= holds;
        println!(
            "| {page} | {bytes} | {compressed} | {} | {} | {} |",
            millis(cost.processor),
            millis(cost.wall),
            if holds { "yes" } else { "**no**" }
        );
    }
    all_hold
}

/// Prints the bytes of the first page with its style sheet.
/// Returns whether they hold.
async fn weight(visitor: &Visitor<'_>) -> bool {
    let page = visitor.get_compressed("/dashboard").await.body.len();
    let style = visitor.get_compressed(pages::STYLE).await.body.len();
    let holds = page + style <= MOST_BYTES;
    println!(
        "\nfirst page: {page} bytes compressed, and {style} of the style sheet; together at most {MOST_BYTES}: {}",
        if holds { "yes" } else { "**no**" }
    );
    holds
}
