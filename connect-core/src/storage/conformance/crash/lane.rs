//! A lane: commits one after another, and the rows of each.

use super::load::{Load, Note};
use crate::storage::{
    Commit, Guard, Key, Storage, Value, Write,
    conformance::{
        Fault,
        support::{get, number, put},
    },
};

/// The rows of a small commit.
pub(super) const ROWS: u8 = 3;

/// The prefixes of keys.
/// For guards, rows, index entries, the rows of large commits, and the single row.
pub(super) const GUARDS: u8 = b'g';
pub(super) const ROW: u8 = b'r';
pub(super) const INDEX: u8 = b'i';
pub(super) const LARGE: u8 = b'b';
pub(super) const SINGLE: &[u8] = b"single";

/// The length of the common end of the keys of an entry and its row: lane, number, row.
pub(super) const TAIL: usize = 1 + 8 + 1;

/// Makes the commits of a lane, without end.
pub(super) async fn write(
    store: &dyn Storage,
    load: Load,
    lane: u8,
    note: impl Fn(Note),
) -> Result<(), Fault> {
    let mut was = get(store, &guard_key(lane)).await?;
    loop {
        let next = match &was {
            Some(last) => guard_number(last)? + 1,
            None => 1,
        };
        let becomes = Value::from([&next.to_be_bytes()[..], &[0]].concat());
        let commit = Commit {
            guard: Some(Guard {
                key: guard_key(lane).into(),
                was,
                becomes: becomes.clone(),
            }),
            expects: Vec::new(),
            writes: writes(load, lane, next),
        };
        store.commit(commit).await?;
        note(Note { lane, number: next });
        was = Some(becomes);
    }
}

/// Puts one row again and again, without a guard.
pub(super) async fn write_single(
    store: &dyn Storage,
    lane: u8,
    note: impl Fn(Note),
) -> Result<(), Fault> {
    let found = get(store, SINGLE).await?;
    let mut last = found.as_deref().map_or(Ok(0), single_number)?;
    loop {
        last += 1;
        put(store, &[(SINGLE, single(last))]).await?;
        note(Note { lane, number: last });
        tokio::task::yield_now().await;
    }
}

/// The single row: its number, repeated to a varying length.
pub(super) fn single(number: u64) -> Vec<u8> {
    let words = match number % 50 {
        49 => 20_000,
        other => 1 + other as usize,
    };
    number.to_be_bytes().repeat(words)
}

/// The number of the single row, after checking every repetition of it.
pub(super) fn single_number(value: &[u8]) -> Result<u64, Fault> {
    let first = number(value.get(..8).unwrap_or_default())?;
    if value != single(first) {
        return Err(Fault::new(format_args!("single row {first} is torn")));
    }
    Ok(first)
}

pub(super) fn guard_key(lane: u8) -> Vec<u8> {
    vec![GUARDS, lane]
}

/// The number in a guard.
/// The guard's value is the end of the key of its commit's first row.
pub(super) fn guard_number(value: &[u8]) -> Result<u64, Fault> {
    number(value.get(..8).unwrap_or_default())
}

fn writes(load: Load, lane: u8, number: u64) -> Vec<(Key, Write)> {
    let mut writes = Vec::new();
    for (key, value) in rows(lane, number) {
        let value = Value::from(value);
        writes.push((entry_key(&key).into(), Write::Index(value.clone())));
        writes.push((key.into(), Write::Put(value)));
    }
    if let Some(old) = number.checked_sub(load.kept).filter(|old| *old > 0) {
        for (key, _) in rows(lane, old) {
            writes.push((entry_key(&key).into(), Write::Remove));
            writes.push((key.into(), Write::Remove));
        }
    }
    if number.is_multiple_of(load.large_every) {
        let value = Value::from(&number.to_be_bytes()[..]);
        let large = (0..load.large_rows).map(|row| {
            let key = [&[LARGE, lane][..], &row.to_be_bytes()].concat();
            (key.into(), Write::Put(value.clone()))
        });
        writes.extend(large);
    }
    writes
}

/// The key of the index entry of a row.
pub(super) fn entry_key(row: &[u8]) -> Vec<u8> {
    let tail = row.get(1..).unwrap_or_default();
    [&[INDEX], tail].concat()
}

/// The rows of one commit, in order; occasionally a long one.
pub(super) fn rows(lane: u8, number: u64) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    (0..ROWS).map(move |row| {
        let key = [&[ROW, lane][..], &number.to_be_bytes(), &[row]].concat();
        let words = match (row, number % 100) {
            (0, 99) => 20_000,
            (0, 49) => 1_250,
            _ => 12 + usize::from(row) * 6,
        };
        let mut value = number.to_be_bytes().repeat(words);
        value.push(row);
        (key, value)
    })
}
