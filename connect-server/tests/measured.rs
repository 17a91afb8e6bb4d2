//! Tests that run in a process of their own, since memory is that of a process.

// The process that is measured says its figure.
#![allow(clippy::print_stdout)]

use std::process::Command;

/// Set for the process that is measured.
const MEASURED: &str = "CONNECT_TEST_MEASURED";

/// Runs the test `name` in another process, and returns the figure that it printed; `None` where the
/// system does not say.
pub(crate) fn run(name: &str) -> Option<u64> {
    let test = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(MEASURED, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&test.stdout);
    let failed = String::from_utf8_lossy(&test.stderr);
    assert!(test.status.success(), "{said}{failed}");
    let Some((_, figure)) = said.split_once("kB: ") else {
        assert!(said.contains("memory unknown"), "{said}");
        return None;
    };
    let figure = figure.split_whitespace().next().unwrap().parse().unwrap();
    println!("{figure} kB");
    Some(figure)
}

/// Does the work of such a test, and prints its figure in kB. Does nothing in a process that is not
/// measured.
pub(crate) fn child(work: impl Future<Output = Option<u64>>) {
    if std::env::var_os(MEASURED).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    match runtime.block_on(work) {
        Some(figure) => println!("kB: {figure}"),
        None => println!("memory unknown: this system does not say"),
    }
}

/// The most memory that this process has had resident, in kB. Linux says.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse().ok()
}
