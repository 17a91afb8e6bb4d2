//! Finding the key of an unreadable row.

use std::sync::Arc;

use super::*;
use crate::{
    storage::{
        Commit, Storage as _, Write,
        failing_row::{FailingRow, TornArea},
        memory::MemoryStorage,
    },
    transaction::environment::Environment,
};

/// A storage with these rows.
async fn storage(rows: &[&[u8]]) -> MemoryStorage {
    let storage = MemoryStorage::new();
    let put = |key: &&[u8]| (Key::from(*key), Write::Put(Value::default()));
    let commit = Commit {
        writes: rows.iter().map(put).collect(),
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
    storage
}

/// A store with these rows, one of them unreadable.
async fn store(rows: &[&[u8]], torn: &[u8]) -> Store {
    let (storage, key) = (storage(rows).await, torn.into());
    Store::new(
        Arc::new(FailingRow { storage, key }),
        Environment::default(),
    )
}

#[tokio::test]
async fn the_key_of_a_damaged_row_is_found() {
    let rows: &[&[u8]] = &[&[1, 1], &[2, 5], &[2, 5, 0], &[3, 9], &[255, 255]];
    for (torn, from, to, is_found) in [
        (rows[1], &[2][..], Some(&[3][..]), true),
        (rows[1], &[2, 5], Some(&[2, 6]), true),
        // The ends have the second byte in common, and not the first.
        (rows[1], &[1, 5], Some(&[3, 5]), true),
        (rows[2], &[2, 5, 0], Some(&[2, 5, 1]), true),
        (rows[2], &[2, 5, 0], None, true),
        (rows[4], &[4], None, true),
        (rows[4], b"", None, false),
        // The row at the end of a range is not in it.
        (rows[1], &[2], Some(&[2, 5]), false),
        (rows[3], &[2, 6], Some(&[3]), false),
    ] {
        let store = store(rows, torn).await;
        let reader = LenientReader::new(&store);
        let case = format!("{torn:?} from {from:?} to {to:?}");
        if !from.is_empty() {
            let found = reader.first_key(from, to).await;
            assert_eq!(found.as_deref(), is_found.then_some(torn), "{case}");
        }
        // Row by row, whatever is damaged.
        let mut next = Some(Key::from(from));
        let (mut seen, mut damaged) = (Vec::new(), Vec::new());
        while let Some(at) = next {
            let piece = reader.piece(&at, to, 2).await.unwrap();
            seen.extend(piece.entries.into_iter().map(|(key, _)| key));
            damaged.extend(piece.damaged.map(|(key, _)| key));
            next = piece.next;
        }
        let is_in = |key: &&[u8]| *key >= from && to.is_none_or(|to| *key < to);
        let (torn_there, whole): (Vec<_>, Vec<_>) = rows
            .iter()
            .copied()
            .filter(is_in)
            .partition(|key| *key == torn);
        let keys = |keys: Vec<&[u8]>| -> Vec<Key> { keys.into_iter().map(Key::from).collect() };
        assert_eq!((seen, damaged), (keys(whole), keys(torn_there)), "{case}");
    }
}

/// A damaged area has too many keys to try: it is skipped.
#[tokio::test]
async fn a_damaged_area_is_passed_over() {
    let rows: Vec<[u8; 20]> = (0..100).map(|row| [row; 20]).collect();
    let keys: Vec<&[u8]> = rows.iter().map(|row| &row[..]).collect();
    // The end of the area, the end of the range, and the rows that can be read.
    for (to, end, readable) in [
        (keys[60], None, 70),
        // Only a longer key is behind the area.
        (&[&rows[59][..], &[0]].concat(), None, 70),
        (keys[60], Some(keys[80]), 50),
        (keys[60], Some(keys[60]), 30),
        (keys[60], Some(keys[50]), 30),
    ] {
        for names_keys in [false, true] {
            let area = TornArea {
                storage: storage(&keys).await,
                from: Key::from(keys[30]),
                to: Key::from(to),
                names_keys,
                reads: AtomicUsize::new(0),
            };
            let area = Arc::new(area);
            let store = Store::new(area.clone(), Environment::default());
            let reader = LenientReader::new(&store);
            let (mut next, mut seen, mut damaged) = (Some(Key::default()), 0, 0);
            while let Some(at) = next {
                let piece = reader.piece(&at, end, 7).await.unwrap();
                seen += piece.entries.len();
                damaged += usize::from(piece.damaged.is_some());
                next = piece.next;
            }
            let case = format!("{to:?} {end:?} {names_keys}");
            assert_eq!(seen, readable, "{case}");
            // Row by row at first, and then the rest at once.
            let expected = if names_keys { 1 } else { MOST_ALONE + 1 };
            assert_eq!(damaged, expected, "{case}");
            let reads = area.reads.load(Ordering::Relaxed);
            assert!(reads < 10_000, "{reads} reads");
        }
    }
}

#[tokio::test]
async fn a_damaged_row_costs_no_other_range_its_rows() {
    let rows: &[&[u8]] = &[&[1, 1], &[1, 2], &[2, 5], &[2, 6], &[3, 9]];
    let ranges = [1, 2, 3].map(|first| ([first], [first + 1]));
    let ranges = ranges
        .each_ref()
        .map(|(from, to)| Range { from, to: Some(to) });
    for (torn, expected) in [
        (rows[2], [Some(2), None, Some(1)]),
        (&[9][..], [Some(2), Some(2), Some(1)]),
    ] {
        let store = store(rows, torn).await;
        let pieces = LenientReader::new(&store).pieces(&ranges, 2).await.unwrap();
        let found = pieces.iter().map(|piece| {
            let damaged = piece.damaged.as_ref();
            assert!(damaged.is_none_or(|(key, _)| **key == *torn));
            damaged.is_none().then_some(piece.entries.len())
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{torn:?}");
        // A range of which as many were found as were asked for may have more.
        let ended = pieces.iter().map(|piece| piece.next.is_none());
        assert_eq!(ended.collect::<Vec<_>>(), [false, false, true], "{torn:?}");
    }
}
