//! The program at its start, when the machine's clock cannot be right.

use std::{
    fs::{self, File},
    path::Path,
};

use connect_core::storage::{
    Commit, Storage, Write,
    redb::{RedbOptions, RedbStorage},
};
use connect_tests::process::{Process, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// The row that says when a store was last served.
const LAST_SERVED: [u8; 17] = {
    let mut key = [0; 17];
    key[16] = 0x03;
    key
};

/// Writes down that the store was last served then.
async fn served_at(store: &Path, time: &str) {
    let storage = RedbStorage::open(store, RedbOptions::default()).unwrap();
    let row = format!("\"{time}\"").into_bytes();
    let commit = Commit {
        writes: vec![(LAST_SERVED.into(), Write::Put(row.into()))],
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
}

#[tokio::test]
async fn a_clock_that_cannot_be_right_is_refused_unless_it_is_trusted() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().join("store");
    // Long after today, and long before.
    for last in ["2999-01-01T00:00:00.000000Z", "2001-01-01T00:00:00.000000Z"] {
        served_at(&store, last).await;
        let refused = Process::start(PROGRAM, &store, &[]).await;
        let Err(refused) = refused else {
            panic!("it started, though last served at {last}")
        };
        assert_eq!(refused.code, Some(1));
        // A command that opens the store itself is refused for the same reason.
        let storage = format!("redb:{}", store.display());
        let command = run(PROGRAM, &["screen", "--storage", &storage, "list"]).await;
        assert_eq!(command.code, Some(1));
        for said in [refused.said, command.said] {
            for told in [last, "--trust-clock", "set the clock"] {
                assert!(said.contains(told), "{said}");
            }
        }
    }
    let log = data.path().join("log");
    let storage = format!("redb:{}", store.display());
    let variables = [("RUST_LOG", "info"), ("CONNECT_STORAGE", &*storage)];
    let words = ["demo", "--json", "--trust-clock"];
    let server = Process::start_in(PROGRAM, &words, &variables, File::create(&log).unwrap()).await;
    assert_eq!(server.unwrap().stop().await, Some(0));
    let line = "action=\"clock.trust\" outcome=\"done\"";
    assert_eq!(fs::read_to_string(&log).unwrap().matches(line).count(), 1);
    // That start was written down, so the next one needs no trust.
    let server = Process::start(PROGRAM, &store, &[]).await.unwrap();
    assert_eq!(server.stop().await, Some(0));
}
