//! Measuring one thing beside its floor.
//!
//! A figure of one machine on one day says little; what counts is the ratio of two things that
//! were measured in turns within one run. So both take turns, round by round, and the medians are
//! compared.

use std::time::{Duration, Instant};

/// Times `run`, which does `operations` operations; the time of one.
pub fn timed(operations: usize, run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed() / u32::try_from(operations.max(1)).unwrap_or(u32::MAX)
}

/// Runs `floor` and `ours` in turns and prints a line of the table. Each returns the time of one
/// operation, and may prepare what it needs outside of that. Returns the ratio of their rates: 1
/// is as fast as the floor.
pub fn compare(
    name: &str,
    reach: f64,
    rounds: usize,
    mut floor: impl FnMut() -> Duration,
    mut ours: impl FnMut() -> Duration,
) -> f64 {
    let (mut floors, mut own) = (Vec::new(), Vec::new());
    // The first round warms up and does not count.
    for round in 0..=rounds {
        let (a, b) = (floor(), ours());
        if round > 0 {
            floors.push(a);
            own.push(b);
        }
    }
    let (floor, ours) = (median(floors), median(own));
    let ratio = floor.as_secs_f64() / ours.as_secs_f64();
    println!(
        "| {name} | {} | {} | {ratio:.2} | {reach} | {} |",
        rate(floor),
        rate(ours),
        if ratio >= reach { "yes" } else { "no" },
    );
    ratio
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A rate as the table shows it.
pub fn rate(time: Duration) -> String {
    format!("{:.0}/s", 1.0 / time.as_secs_f64())
}

/// The head of the table that [`compare`] writes lines of.
pub fn head(title: &str) {
    println!(
        "\n{title}\n\n| job | floor | ours | ratio | reach | reached |\n|---|---|---|---|---|---|"
    );
}

/// The memory that the process really takes, in bytes.
#[allow(dead_code, reason = "not every benchmark measures memory")]
pub fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0);
    pages * 4096
}
