//! A large commit interrupted after any step, and the next opening.

#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use super::{
    Kind,
    engine::{Engine, EngineSnapshot as _},
    engine_keys,
    engine_tests::on_each_engine,
    layout,
    pending::Prepared,
    progress::StoreMark,
    space::SpaceOptions,
    staged::{Next, Staged, WriterStep},
    store::DiskStore,
};
use crate::storage::{
    Commit, CommitError, Expectation, Key, Range, Read, Value, Write, in_process::Local,
};

const ROWS: u32 = 5000;

fn key(row: u32) -> Key {
    row.to_be_bytes().into()
}

/// Long or short values for every third row, removals otherwise.
fn large() -> Prepared {
    let write = |row: u32| match row % 3 {
        0 if row.is_multiple_of(999) => Write::Put(vec![2; 10_000].into()),
        0 => Write::Put(vec![2; 10].into()),
        _ => Write::Remove,
    };
    Prepared::new(Commit {
        guard: None,
        expects: vec![(key(0), Expectation::Is(before(0)))],
        writes: (0..ROWS).map(|row| (key(row), write(row))).collect(),
    })
}

/// The value of a row before the large commit.
fn before(row: u32) -> Value {
    vec![1; if row.is_multiple_of(500) { 9000 } else { 10 }].into()
}

fn open<E: Engine<Options = u64>>(path: &Path) -> DiskStore<E> {
    DiskStore::open(path, 1 << 24, 1 << 24, SpaceOptions::default(), &[]).unwrap()
}

async fn fill<E: Engine<Options = u64>>(path: &Path) {
    let store = open::<E>(path);
    let write = |row| (key(row), Write::Put(before(row)));
    let commit = Commit {
        writes: (0..ROWS).map(write).collect(),
        ..Commit::default()
    };
    store.apply(commit).await.unwrap();
}

/// Does this many steps of the large commit, as if the process then died.
/// Returns the next step.
fn do_steps<E: Engine<Options = u64>>(engine_path: &Path, steps: usize) -> Next {
    let mut engine = E::open(engine_path, &(1 << 24)).unwrap();
    let mut staged = Staged::new(large(), E::SLICE);
    for _ in 0..steps {
        let snapshot = engine.snapshot().unwrap();
        let mark = snapshot
            .get(engine_keys::MARK_KEY, StoreMark::decode)
            .unwrap();
        let row = |key: &[u8]| layout::row(&snapshot, key, E::PART_LEN);
        let step = staged.prepare::<E>(|| engine.snapshot(), row).unwrap();
        drop(snapshot);
        match step {
            WriterStep::Apply(batch) => drop(engine.apply(batch, mark.flatten().unwrap()).unwrap()),
            WriterStep::GoOn => {}
            WriterStep::Conflict => unreachable!("the expectation holds"),
        }
        staged.advance();
    }
    staged.next()
}

async fn survives_every_step<E: Engine<Options = u64>>() {
    let engine_path = match E::KIND {
        Kind::Sled => "sled",
        Kind::Redb => "store.redb",
    };
    let (mut steps, mut phases) = (0, Vec::new());
    loop {
        let folder = tempfile::tempdir().unwrap();
        fill::<E>(folder.path()).await;
        let next = do_steps::<E>(&folder.path().join(engine_path), steps);
        phases.push(std::mem::discriminant(&next));
        // A killed process leaves no list of its files.
        let _ = fs::remove_file(folder.path().join("connect.closed"));
        let store = open::<E>(folder.path());
        let everything = Read::Scan {
            range: Range {
                from: b"",
                to: None,
            },
            limit: usize::MAX,
            newest_first: false,
        };
        let rows = store.read(&[everything]).await.unwrap().entries().unwrap();
        let is_in_force = matches!(next, Next::Move(_) | Next::Done);
        let expected = if is_in_force { ROWS.div_ceil(3) } else { ROWS };
        assert_eq!(rows.len(), expected as usize, "{next:?}");
        let content = if is_in_force { 2 } else { 1 };
        assert!(
            rows.iter().all(|(_, value)| value[0] == content),
            "{next:?}"
        );
        let report = store.verify(&mut |_| {}).unwrap();
        assert!(report.is_clean(), "{next:?}: {report:?}");
        assert_eq!(
            (report.leftover, report.complete),
            (0, Some(true)),
            "{next:?}"
        );
        if next == Next::Done {
            break;
        }
        steps += 1;
    }
    phases.dedup();
    assert_eq!(phases.len(), 5, "each phase has been cut short");
}

/// Compares the counted room with redb's use, for scattered rows.
/// redb copies a page for each of them.
#[cfg(all(unix, feature = "redb"))]
#[tokio::test]
async fn redb_takes_the_room_that_is_counted() {
    use std::os::unix::fs::MetadataExt;

    use super::redb::Redb;

    const LEN: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let store = open::<Redb>(folder.path());
    let put = |row: u32, byte: u8| (key(row), Write::Put(vec![byte; LEN].into()));
    let rows = |rows: &mut dyn Iterator<Item = (Key, Write)>| Commit {
        writes: rows.collect(),
        ..Commit::default()
    };
    for part in (0..20_000).step_by(4000) {
        let part = rows(&mut (part..part + 4000).map(|row| put(row, 1)));
        store.apply(part).await.unwrap();
    }
    let taken = || {
        let data = fs::metadata(folder.path().join("store.redb")).unwrap();
        data.blocks() * 512
    };
    let before = taken();
    let scattered = rows(&mut (0..20_000).step_by(25).map(|row| put(row, 2)));
    let counted = scattered.writes.len() * (4 + LEN + Redb::ROOM_PER_WRITE);
    store.apply(scattered).await.unwrap();
    let grown = taken() - before;
    assert!(grown <= counted as u64, "{grown} bytes, {counted} counted");
}

/// A commit with a large number of expectations, and no writes.
async fn may_write_nothing<E: Engine<Options = u64>>() {
    let folder = tempfile::tempdir().unwrap();
    fill::<E>(folder.path()).await;
    let store = open::<E>(folder.path());
    let expecting = |last: Value| {
        let mut expects: Vec<_> = (0..ROWS)
            .map(|row| (key(row), Expectation::Is(before(row))))
            .collect();
        expects[ROWS as usize - 1].1 = Expectation::Is(last);
        Commit {
            expects,
            ..Commit::default()
        }
    };
    store.apply(expecting(before(ROWS - 1))).await.unwrap();
    let answer = store.apply(expecting(b"other"[..].into())).await;
    assert!(matches!(answer, Err(CommitError::Conflict)), "{answer:?}");
}

on_each_engine!(survives_every_step, may_write_nothing);
