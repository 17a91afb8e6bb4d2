//! The memory of a process that delivers to the worst endpoints, beside a hundred healthy ones.

use std::{process::Command, sync::Arc, time::Duration};

use super::{
    client,
    zoo::{bad_host, bad_urls, healthy_host, healthy_shops, open, shop},
};

/// Set for the process that is measured.
const MEASURED: &str = "CONNECT_WEBHOOKS_MEASURED";

/// The most by which the memory may grow, in kB.
const MOST: u64 = 20_000;

/// The shops whose webhooks lead to all of the bad endpoints.
const BAD_SHOPS: usize = 3;

/// Memory is that of a process, so this test runs another one.
#[test]
fn bad_endpoints_cost_at_most_20_mb() {
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "webhooks::memory::child", "--nocapture"])
        .env(MEASURED, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&test.stdout);
    let failed = String::from_utf8_lossy(&test.stderr);
    assert!(test.status.success(), "{said}{failed}");
    let Some((_, grown)) = said.split_once("grown: ") else {
        assert!(said.contains("memory unknown"), "{said}");
        return;
    };
    let grown: u64 = grown.split(' ').next().unwrap().parse().unwrap();
    println!("{grown} kB");
    assert!(grown <= MOST, "{grown} kB");
}

/// Not a test by itself: what runs in the process that is measured.
#[test]
fn child() {
    if std::env::var_os(MEASURED).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    match runtime.block_on(growth()) {
        Some(grown) => println!("grown: {grown} kB"),
        None => println!("memory unknown: this system does not say"),
    }
}

/// The most memory that this process has had resident, in kB. Linux says.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse().ok()
}

/// The growth between rounds to the healthy endpoints alone and rounds to all.
async fn growth() -> Option<u64> {
    let good = healthy_host().await;
    let bad = bad_host().await;
    let connect = open();
    let healthy = healthy_shops(&connect, &good).await;
    let mut zoo = Vec::new();
    for _ in 0..BAD_SHOPS {
        zoo.push(shop(&connect, &bad_urls(&bad)).await);
    }
    let worker = connect.webhook_worker(Arc::new(client(Duration::from_secs(1))), None);
    let mut before = None;
    for round in 0..6 {
        let all = healthy.iter().chain(&zoo);
        let shops = all.take(if round < 3 { healthy.len() } else { usize::MAX });
        for shop in shops {
            shop.change(&format!("Tea {round}")).await;
        }
        worker.tick().await.unwrap();
        if round == 2 {
            before = peak();
            assert_eq!(bad.requests(), 0);
        }
    }
    // Some were made a second time.
    assert!(bad.requests() >= BAD_SHOPS * 3 * bad_urls(&bad).len());
    Some(peak()? - before?)
}
