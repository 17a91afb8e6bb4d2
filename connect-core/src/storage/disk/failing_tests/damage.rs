//! Damage found while a store is open.

use std::{
    fs::{self, File},
    io::{Seek as _, SeekFrom, Write as _},
    ops::Range,
    path::Path,
};

use super::{
    super::redb::Redb, Commit, Failure, HANGS, Health, Instant, Key, Local as _, Ordering, Plan,
    Read, Store, Write, mpsc, thread,
};
use crate::storage;

const ROWS: u32 = 20_000;

impl Plan {
    /// Waits until two more checks of pages have ended, and told their findings.
    fn wait_for_a_check(&self) {
        let ends = self.checks.load(Ordering::SeqCst) + 3;
        wait_until(|| self.checks.load(Ordering::SeqCst) >= ends);
    }
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let give_up = Instant::now() + HANGS;
    while !is_so() {
        assert!(Instant::now() < give_up, "it does not come");
        thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Writes entries of an index. Their long keys make many pages lead to further ones.
async fn fill(store: &Store<Redb>) {
    for first in (0..ROWS).step_by(1000) {
        let commit = rows(first..first + 1000);
        store.store.apply(commit).await.unwrap();
    }
}

fn rows(rows: Range<u32>) -> Commit {
    Commit {
        writes: rows
            .map(|row| (key(row), Write::Put(b""[..].into())))
            .collect(),
        ..Commit::default()
    }
}

fn key(row: u32) -> Key {
    [&row.to_be_bytes()[..], &[7; 60]].concat().into()
}

/// Reads all entries in lists of a hundred. Returns the number of whole, refused and short lists.
async fn read_all(store: &Store<Redb>) -> (usize, usize, usize) {
    let (mut whole, mut refused, mut short) = (0, 0, 0);
    for first in (0..ROWS).step_by(100) {
        let (from, to) = (key(first), key(first + 100));
        let range = storage::Range {
            from: &from,
            to: Some(&to),
        };
        let scan = Read::Scan {
            range,
            limit: 1000,
            newest_first: false,
        };
        match store.store.read(&[scan]).await {
            Ok(mut state) => match state.entries().unwrap().len() {
                100 => whole += 1,
                _ => short += 1,
            },
            Err(_) => refused += 1,
        }
    }
    (whole, refused, short)
}

/// Flips a bit in three keys of each branch page, except in the first quarter.
fn damage_branches(file: &Path) {
    let bytes = fs::read(file).unwrap();
    let mut file = File::options().write(true).open(file).unwrap();
    for at in (4096..bytes.len()).step_by(4096) {
        let keys = usize::from(u16::from_le_bytes([bytes[at + 2], bytes[at + 3]]));
        if bytes[at] != 2 || keys < 10 {
            continue;
        }
        let place = |key: usize| {
            let ends = at + 8 + 24 * (keys + 1) + 4 * key;
            let end = bytes[ends..ends + 4].try_into().unwrap();
            at + usize::try_from(u32::from_le_bytes(end)).unwrap()
        };
        // The key of a row begins with a letter and the row's number.
        let row =
            |place: usize| u32::from_be_bytes(bytes[place + 1..place + 5].try_into().unwrap());
        if row(place(0)) > ROWS / 4 && row(place(keys - 2)) < ROWS {
            for key in [keys / 4, keys / 2, 3 * keys / 4] {
                file.seek(SeekFrom::Start(place(key) as u64)).unwrap();
                file.write_all(&[bytes[place(key)] ^ 0x40]).unwrap();
            }
        }
    }
}

/// Reads keep away from damage found later, in spite of their earlier reads. This also holds after
/// another opening of the engine.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_after_a_reopening_is_not_read() {
    let store = Store::<Redb>::open();
    fill(&store).await;
    store.plan.fail(0, Failure::Lost);
    store.put(b"row", b"lost").await.unwrap_err();
    damage_branches(&store.folder.path().join("store.redb"));
    let (_, _, short) = read_all(&store).await;
    assert!(short > 0, "nothing was read of what is damaged");
    wait_until(|| store.store.health().health() != Health::Working);
    store.store.scrub.lock().as_ref().unwrap().check_now();
    store.plan.wait_for_a_check();
    store.put(b"row", b"refused").await.unwrap_err();
    let (whole, refused, short) = read_all(&store).await;
    assert!(
        whole > 0 && refused > 0 && short == 0,
        "whole {whole}, refused {refused}, short {short}"
    );
}

/// Regression: damage to the page that leads to all rows went unseen until the next opening.
#[tokio::test(flavor = "multi_thread")]
async fn the_way_to_all_rows_is_checked_too() {
    let store = Store::<Redb>::open();
    store.put(b"row", b"one").await.unwrap();
    let path = store.folder.path().join("store.redb");
    let (name, bytes) = (b"entries", fs::read(&path).unwrap());
    let mut file = File::options().write(true).open(&path).unwrap();
    for at in (0..bytes.len()).filter(|at| bytes[*at..].starts_with(name)) {
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(b"E").unwrap();
    }
    store.store.scrub.lock().as_ref().unwrap().check_now();
    let health = || store.store.health();
    wait_until(|| matches!(health().health(), Health::Damaged { .. }));
    assert_eq!(health().scrub().damaged_ranges, 1);
    store.put(b"row", b"two").await.unwrap_err();
    let read = store.store.read(&[Read::Get(b"other")]).await;
    assert!(read.is_err(), "{read:?}");
}

/// A moment of failing reads damages nothing, neither in an open store nor in an opening one.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_the_second_time_is_whole() {
    let store = Store::<Redb>::open();
    store.put(b"row", b"one").await.unwrap();
    store.plan.unread.store(1, Ordering::SeqCst);
    wait_until(|| store.plan.unread.load(Ordering::SeqCst) == 0);
    store.plan.wait_for_a_check();
    store.put(b"row", b"two").await.unwrap();
    let Store {
        store,
        plan,
        folder,
        ..
    } = store;
    drop(store);
    plan.unread.store(1, Ordering::SeqCst);
    let store = Store::<Redb>::open_in(folder, plan);
    store.put(b"row", b"three").await.unwrap();
    assert_eq!(store.plan.found.load(Ordering::SeqCst), 2);
}

/// A check may outlast another opening of the engine, and then find pages used again by now.
#[tokio::test(flavor = "multi_thread")]
async fn a_check_from_before_a_reopening_damages_nothing() {
    let store = Store::<Redb>::open();
    fill(&store).await;
    let is_found = || store.plan.found.load(Ordering::SeqCst) > 0;
    // Where the page that leads to all is used again, the check finds nothing.
    for _ in 0..10 {
        let (open, gate) = mpsc::channel();
        *store.plan.check_gate.lock() = Some(gate);
        store.store.scrub.lock().as_ref().unwrap().check_now();
        wait_until(|| store.plan.check_gate.lock().is_none());
        fill(&store).await;
        store.plan.fail(0, Failure::Lost);
        store.put(b"row", b"lost").await.unwrap_err();
        fill(&store).await;
        drop(open);
        store.plan.wait_for_a_check();
        if is_found() {
            break;
        }
    }
    assert!(is_found());
    store.put(b"row", b"written").await.unwrap();
}
