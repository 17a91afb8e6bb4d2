//! The two halves of a kill test find what is lost and what is torn.

use std::{sync::Arc, time::Duration};

use connect_core::storage::{
    Commit, Entry, Range, Read, Storage, Write,
    conformance::crash::{Load, Note, check, work},
    memory::MemoryStorage,
};
use parking_lot::Mutex;
use tokio::runtime::Runtime;

/// Large commits come soon, and little is kept.
const LOAD: Load = Load {
    lanes: 3,
    kept: 20,
    large_every: 15,
    large_rows: 200,
};

/// The rows after some work that was broken off, and the notes taken meanwhile.
fn worked() -> (Vec<Entry>, Vec<Note>) {
    let store = MemoryStorage::new();
    let notes = Arc::new(Mutex::new(Vec::<Note>::new()));
    let is_enough = || {
        let notes = notes.lock();
        let far = |lane| notes.iter().any(|n| n.lane == lane && n.number > 50);
        (0..=LOAD.lanes).all(far)
    };
    let runtime = Runtime::new().unwrap();
    let working = runtime.spawn({
        let (store, notes) = (store.clone(), notes.clone());
        work(Arc::new(store), LOAD, move |note| notes.lock().push(note))
    });
    while !is_enough() {
        assert!(!working.is_finished(), "the work has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Ends all tasks wherever they are, as far as that goes within a process.
    drop(runtime);
    let everything = Read::Scan {
        range: Range {
            from: b"",
            to: None,
        },
        limit: usize::MAX,
        newest_first: false,
    };
    let found = block_on(store.read(&[everything])).unwrap().entries();
    (found.unwrap(), notes.lock().clone())
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    Runtime::new().unwrap().block_on(future)
}

fn store_of(rows: &[Entry]) -> MemoryStorage {
    let store = MemoryStorage::new();
    let writes = rows.iter().cloned();
    let commit = Commit {
        writes: writes.map(|(k, v)| (k, Write::Put(v))).collect(),
        ..Commit::default()
    };
    block_on(store.commit(commit)).unwrap();
    store
}

#[test]
fn whatever_is_lost_or_torn_is_found() {
    let (rows, notes) = worked();
    let found = block_on(check(&store_of(&rows), LOAD, notes.iter().copied())).unwrap();
    assert_eq!(found.rows, rows.len());
    assert!(found.commits > 4 * 50);

    // A note that went further than the store.
    for lane in 0..=LOAD.lanes {
        let far = Note {
            lane,
            number: found.commits + 1,
        };
        let fault = block_on(check(&store_of(&rows), LOAD, [far])).unwrap_err();
        assert!(fault.to_string().contains("is lost"), "{fault}");
    }
    for family in [&b"g"[..], b"r", b"i", b"b", b"single"] {
        let at = rows.iter().position(|(key, _)| key.starts_with(family));
        let at = at.unwrap();
        let noted = || notes.iter().copied();

        let mut without = rows.clone();
        without.remove(at);
        assert!(block_on(check(&store_of(&without), LOAD, noted())).is_err());

        let mut more = rows.clone();
        more.push(([family, b"more"].concat().into(), rows[at].1.clone()));
        assert!(block_on(check(&store_of(&more), LOAD, noted())).is_err());

        if !rows[at].1.is_empty() {
            let mut torn = rows.clone();
            let (half, _) = torn[at].1.split_at(torn[at].1.len() / 2);
            torn[at].1 = half.into();
            assert!(block_on(check(&store_of(&torn), LOAD, noted())).is_err());
        }
    }
}
