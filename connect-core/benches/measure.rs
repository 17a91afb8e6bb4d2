//! Measuring one thing beside its floor.
//!
//! A figure of one machine on one day says little; what counts is the ratio of two things that
//! were measured in turns within one run. So both take turns, round by round, and the medians are
//! compared: of the time on the clock, and of the CPU time that the process took meanwhile (user
//! and system, all threads), which tells less of what else the machine was doing.

#![allow(dead_code, reason = "not every benchmark needs all of it")]

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Runtime;

/// The runtime of a benchmark, which has two workers.
pub fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

/// What one operation takes.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
}

/// Measures `run`, which does `operations` operations; the cost of one.
pub fn timed(operations: usize, run: impl FnOnce()) -> Cost {
    let operations = u32::try_from(operations.max(1)).unwrap_or(u32::MAX);
    let (start, cpu) = (Instant::now(), cpu_time());
    run();
    Cost {
        wall: start.elapsed() / operations,
        cpu: cpu_time().saturating_sub(cpu) / operations,
    }
}

/// The CPU time of this process so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The ratio of rates to reach: 1 is as fast as the floor.
#[derive(Clone, Copy, Debug)]
pub enum Reach {
    Wall(f64),
    Cpu(f64),
    /// The figure is for information.
    Nothing,
}

/// Runs `floor` and `ours` in turns and prints a line of the table. Each returns the cost of one
/// operation, and may prepare what it needs outside of that. Returns the median of ours.
pub fn compare(
    name: &str,
    reach: Reach,
    rounds: usize,
    mut floor: impl FnMut() -> Cost,
    mut ours: impl FnMut() -> Cost,
) -> Cost {
    let (mut floors, mut own) = (Vec::new(), Vec::new());
    // The first round warms up and does not count.
    for round in 0..=rounds {
        let (a, b) = (floor(), ours());
        if round > 0 {
            floors.push(a);
            own.push(b);
        }
    }
    let (floor, ours) = (median(&floors), median(&own));
    let ratio = |floor: Duration, ours: Duration| floor.as_secs_f64() / ours.as_secs_f64();
    let (wall, cpu) = (ratio(floor.wall, ours.wall), ratio(floor.cpu, ours.cpu));
    let (to_reach, reached) = match reach {
        Reach::Wall(least) => (least.to_string(), yes(wall >= least)),
        Reach::Cpu(least) => (format!("{least} CPU"), yes(cpu >= least)),
        Reach::Nothing => (String::new(), ""),
    };
    println!(
        "| {name} | {} | {} | {wall:.2} | {} | {} | {cpu:.2} | {to_reach} | {} |",
        rate(floor.wall),
        rate(ours.wall),
        micros(floor.cpu),
        micros(ours.cpu),
        reached,
    );
    ours
}

/// Prints a line with the medians of rounds, without the first.
pub fn line(name: &str, rounds: Vec<Cost>) {
    let cost = median(&rounds[1..]);
    println!(
        "| {name} | | {} | | | {} | | | |",
        micros(cost.wall),
        micros(cost.cpu)
    );
}

fn median(costs: &[Cost]) -> Cost {
    let middle = |time: fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(time).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    Cost {
        wall: middle(|cost| cost.wall),
        cpu: middle(|cost| cost.cpu),
    }
}

fn rate(time: Duration) -> String {
    format!("{:.0}/s", 1.0 / time.as_secs_f64())
}

pub fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

pub fn yes(is_reached: bool) -> &'static str {
    if is_reached { "yes" } else { "**no**" }
}

/// The head of the table that [`compare`] writes lines of.
pub fn head() {
    println!(
        "| job | floor | ours | ratio | floor, CPU | ours, CPU | ratio, CPU | to reach | reached |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
}

/// Prints a figure that has a bound instead of a floor.
pub fn bounded(name: &str, figure: &str, bound: &str, is_reached: bool) {
    println!(
        "| {name} | | {figure} | | | | | at most {bound} | {} |",
        yes(is_reached)
    );
}

/// The memory that the process really takes, in bytes.
pub fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1);
    pages.and_then(|pages| pages.parse().ok()).unwrap_or(0) * 4096
}

/// The parts that were chosen on the command line.
pub struct Chosen(Vec<String>);

impl Chosen {
    pub fn from_arguments() -> Self {
        let arguments = std::env::args().skip(1);
        Self(arguments.filter(|name| !name.starts_with('-')).collect())
    }

    /// Returns whether `name` was given.
    pub fn is(&self, name: &str) -> bool {
        self.0.iter().any(|named| named == name)
    }

    /// Returns whether to run `name`, one of the alternatives `all`: those that are named, or all
    /// of them when none of them is.
    pub fn has(&self, name: &str, all: &[&str]) -> bool {
        self.is(name) || !all.iter().any(|name| self.is(name))
    }
}
