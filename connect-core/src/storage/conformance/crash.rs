//! Two halves of a test that kills a process: what runs in it, and what is checked afterwards.
//!
//! A backend's test starts a child process that opens the store and calls [`work`], writing every
//! note it is given to a file; kills the child (SIGKILL) at any moment; opens the store again and
//! calls [`check`] with the notes. This can go on in one place for as many rounds as wanted.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Fault,
    support::{commit, same_rows},
};
use crate::storage::{Range, Storage, Value};

/// How many tasks write at once, each in a lane of its own.
const LANES: u8 = 8;
/// How many rows one commit writes, besides its lane's last number.
const ROWS: u8 = 3;
/// How many commits' rows a lane keeps.
const KEPT: u64 = 600;

/// A commit that was acknowledged to its writer, or seen by a reader: it has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Which lane it was in.
    pub lane: u8,
    /// Its number in the lane.
    pub number: u64,
}

/// What [`check`] found in the store.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// How many commits were made so far, over all lanes and rounds.
    pub commits: u64,
    /// How many rows are kept.
    pub rows: usize,
}

/// Writes and reads until the process is killed; returns only on an error.
///
/// `note` is called after a commit was acknowledged, and after a read has shown one.
pub async fn work(
    store: Arc<dyn Storage>,
    note: impl Fn(Note) + Clone + Send + 'static,
) -> Result<(), Fault> {
    let mut tasks = Vec::new();
    for lane in 0..LANES {
        tasks.push(tokio::spawn(write(store.clone(), lane, note.clone())));
    }
    tasks.push(tokio::spawn(read(store, note)));
    let (first, ..) = futures_util::future::select_all(tasks).await;
    first?
}

async fn write(store: Arc<dyn Storage>, lane: u8, note: impl Fn(Note)) -> Result<(), Fault> {
    let mut last = store.get(&[&last_key(lane)]).await?[0].clone();
    loop {
        let number = last
            .as_deref()
            .map_or(Ok(0), |last| Ok::<_, Fault>(number(last)? + 1))?;
        let mut writes = rows(lane, number)
            .map(|(k, v)| (k, Some(v)))
            .collect::<Vec<_>>();
        if let Some(old) = number.checked_sub(KEPT) {
            writes.extend(rows(lane, old).map(|(key, _)| (key, None)));
        }
        let now = number.to_be_bytes().to_vec();
        writes.push((last_key(lane), Some(now.clone())));
        let expects = [(last_key(lane), last.as_deref().map(<[u8]>::to_vec))];
        store.commit(commit(&expects, &writes)).await?;
        note(Note { lane, number });
        last = Some(Value::from(now));
    }
}

async fn read(store: Arc<dyn Storage>, note: impl Fn(Note)) -> Result<(), Fault> {
    let mut seen = BTreeMap::new();
    loop {
        for (key, last) in store.scan(LAST, usize::MAX).await? {
            if seen.insert(key.clone(), last.clone()) != Some(last.clone()) {
                note(Note {
                    lane: key[key.len() - 1],
                    number: number(&last)?,
                });
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Checks that every noted commit is there, and that every commit that is there is whole.
///
/// # Errors
///
/// The first commit that is missing, or there in part.
pub async fn check(
    store: &dyn Storage,
    notes: impl IntoIterator<Item = Note>,
) -> Result<Found, Fault> {
    let mut last: BTreeMap<u8, u64> = BTreeMap::new();
    for (key, value) in store.scan(LAST, usize::MAX).await? {
        last.insert(key[key.len() - 1], number(&value)?);
    }
    for note in notes {
        if last.get(&note.lane).is_none_or(|last| *last < note.number) {
            return Err(Fault::new(format_args!(
                "{note:?} is lost; the last ones are {last:?}"
            )));
        }
    }
    let mut found = Found::default();
    for lane in 0..LANES {
        let end = last.get(&lane).map_or(0, |last| last + 1);
        let wanted: Vec<_> = (end.saturating_sub(KEPT)..end)
            .flat_map(|number| rows(lane, number))
            .collect();
        let range = Range {
            from: &[b'r', lane],
            to: Some(&[b'r', lane + 1]),
        };
        let there = store.scan(range, usize::MAX).await?;
        found.commits += end;
        found.rows += there.len();
        same_rows(
            format_args!("the rows of lane {lane} up to {end}"),
            &there,
            &wanted,
        )?;
    }
    Ok(found)
}

const LAST: Range<'static> = Range {
    from: b"l",
    to: Some(b"m"),
};

fn last_key(lane: u8) -> Vec<u8> {
    vec![b'l', lane]
}

/// The rows of one commit, in order; now and then a long one.
fn rows(lane: u8, number: u64) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    (0..ROWS).map(move |row| {
        let key = [&[b'r', lane][..], &number.to_be_bytes(), &[row]].concat();
        let len = match (row, number % 100) {
            (0, 99) => 150_000,
            (0, 49) => 10_000,
            _ => 100 + usize::from(row) * 50,
        };
        let value = number
            .to_be_bytes()
            .into_iter()
            .cycle()
            .skip(usize::from(row))
            .take(len);
        (key, value.collect())
    })
}

fn number(bytes: &[u8]) -> Result<u64, Fault> {
    Ok(u64::from_be_bytes(
        bytes.try_into().map_err(|_| Fault::new("a torn number"))?,
    ))
}
