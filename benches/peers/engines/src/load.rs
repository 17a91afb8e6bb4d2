//! A mixed load: writers that share durable commits, a large batch now and then, and a reader.

use std::{
    fs,
    path::Path,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    slow_sync,
    store::{self, Row, Store},
};

const ROWS: u64 = 100_000;
const WRITERS: usize = 8;
/// The rows of a writer's commit: a row with its index entries, an event and a clock.
const COMMIT: usize = 7;
const LARGE: usize = 2500;

type Queue = mpsc::Sender<(Vec<Row>, mpsc::Sender<()>)>;

/// Runs the load on an engine with syncs as much longer, and prints its line.
pub fn run(engine: &str, seconds: u64, extra_ms: u64) {
    let folder = tempfile::tempdir().unwrap();
    let store = &*store::open(engine, folder.path());
    for start in (0..ROWS).step_by(1000) {
        store.commit(&(start..start + 1000).map(row).collect::<Vec<_>>());
    }
    slow_sync::EXTRA_MS.store(extra_ms, Ordering::Relaxed);
    let synced = slow_sync::COUNT.load(Ordering::Relaxed);
    let is_over = &AtomicBool::new(false);
    let go_on = || !is_over.load(Ordering::Relaxed);
    let (queue, waiting) = mpsc::channel();
    let (commits, gets) = thread::scope(|scope| {
        scope.spawn(move || write(store, waiting));
        let writer = |queue: Queue| {
            let mut times = Vec::new();
            while go_on() {
                times.push(timed(|| commit(&queue, COMMIT)));
            }
            times
        };
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| queue.clone())
            .map(|queue| scope.spawn(move || writer(queue)))
            .collect();
        scope.spawn(move || {
            while go_on() {
                commit(&queue, LARGE);
                thread::sleep(Duration::from_millis(50));
            }
        });
        let reader = scope.spawn(move || {
            let mut times = Vec::new();
            while go_on() {
                let (key, _) = row(fastrand::u64(0..ROWS));
                times.push(timed(|| assert!(store.has(key), "the row is there")));
                thread::sleep(Duration::from_millis(1));
            }
            times
        });
        thread::sleep(Duration::from_secs(seconds));
        is_over.store(true, Ordering::Relaxed);
        let commits = writers.into_iter().flat_map(|it| it.join().unwrap());
        (commits.collect(), reader.join().unwrap())
    });
    let synced = slow_sync::COUNT.load(Ordering::Relaxed) - synced;
    let (memory, files) = (resident() >> 20, size(folder.path()) >> 20);
    println!(
        "| {engine} | {} | {} | {synced} | {memory} MiB | {files} MiB |",
        spread(commits),
        spread(gets)
    );
}

/// The head of the lines.
pub fn head() {
    println!(
        "| engine | commits | p50 | p99 | p99.9 | worst | gets | p50 | p99 | p99.9 | worst | \
         syncs | memory | files |\n|{}",
        "---|".repeat(14)
    );
}

/// Commits in groups what waits together.
fn write(store: &dyn Store, waiting: mpsc::Receiver<(Vec<Row>, mpsc::Sender<()>)>) {
    while let Ok(first) = waiting.recv() {
        let group = std::iter::once(first).chain(waiting.try_iter().take(63));
        let (rows, replies): (Vec<_>, Vec<_>) = group.unzip();
        store.commit(&rows.concat());
        for reply in replies {
            let _ = reply.send(());
        }
    }
}

/// Commits as many rows from all over the store, and waits until they are durable.
fn commit(queue: &Queue, count: usize) {
    let (reply, done) = mpsc::channel();
    let rows = (0..count).map(|_| row(fastrand::u64(0..ROWS))).collect();
    queue.send((rows, reply)).unwrap();
    done.recv().unwrap();
}

/// A row of 300 bytes that do not compress. The keys of two numbers are far apart.
fn row(number: u64) -> Row {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    let mut value = vec![0; 300];
    fastrand::fill(&mut value);
    (key, value)
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The count, and p50, p99, p99.9 and the worst in milliseconds.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    let parts = [0.5, 0.99, 0.999, 1.0].map(|part| format!("{:.2} ms", at(part)));
    format!("{} | {}", times.len(), parts.join(" | "))
}

/// The memory that the process takes.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// The bytes that the files of a folder take on the disk.
fn size(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.blocks() * 512,
        // Removed meanwhile.
        Err(_) => 0,
    });
    sizes.sum()
}
