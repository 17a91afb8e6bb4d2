//! A writer's commits, and the expected findings of a reader.

use tokio::task::{AbortHandle, yield_now};

use crate::storage::{
    Commit, Entry, Guard, Key, Range, Read, State, Storage, Value, Write,
    conformance::{
        Fault,
        support::{ShortenedBytes, number, same},
    },
};

/// The commits of one writer during reads.
/// Every commit writes its number to all rows, moves the entries of two indexes, and points to
/// another row.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) rows: u32,
    pub(super) commits: u64,
    /// The length of a row in bytes, roughly.
    pub(super) len: usize,
}

/// A kind of read.
/// All answers to one read must be from one state.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ReadKind {
    Gets,
    Follow,
    Scan,
    ScanFollow,
}

/// The prefixes of keys.
/// For the rows, an index of [`Write::Index`] entries and one of [`Write::Put`] entries; then the
/// key of the pointer to one row.
const ROWS: &[u8] = b"r";
const INDEX: &[u8] = b"i";
const ENTRIES: &[u8] = b"j";
const POINTER: &[u8] = b"p";

impl Shape {
    fn row(self, number: u64, row: u32) -> Vec<u8> {
        // Rows get shorter and longer, around the size where a store might treat them differently.
        let words = self.len / 8 + (number as usize + row as usize) % (1 + self.len / 500);
        number.to_be_bytes().repeat(words)
    }

    /// Index entries are in the order of their commits.
    fn entry(self, index: &[u8], number: u64, row: u32) -> Key {
        [index, &number.to_be_bytes(), &row.to_be_bytes()]
            .concat()
            .into()
    }

    fn pointed(self, number: u64) -> u32 {
        number as u32 * 7 % self.rows
    }

    /// The commit with a number, from 1 on.
    pub(super) fn commit(self, number: u64) -> Commit {
        let before = number - 1;
        let mut writes = Vec::new();
        for row in 0..self.rows {
            let value = Value::from(self.row(number, row));
            let key = [ROWS, &row.to_be_bytes()].concat();
            writes.push((self.entry(INDEX, before, row), Write::Remove));
            writes.push((self.entry(INDEX, number, row), Write::Index(value.clone())));
            writes.push((self.entry(ENTRIES, before, row), Write::Remove));
            let at = Write::Put(row.to_be_bytes()[..].into());
            writes.push((self.entry(ENTRIES, number, row), at));
            writes.push((key.into(), Write::Put(value)));
        }
        let pointed = self.pointed(number).to_be_bytes();
        writes.push((POINTER.into(), Write::Put(pointed[..].into())));
        let version = |number: u64| Value::from(&number.to_be_bytes()[..]);
        Commit {
            guard: Some(Guard {
                key: b"guard"[..].into(),
                was: (before > 0).then(|| version(before)),
                becomes: version(number),
            }),
            writes,
            expects: Vec::new(),
        }
    }

    /// Reads until the writer ends, checks every answer, and returns the last commit seen.
    pub(super) async fn watch_until(
        self,
        end: &AbortHandle,
        store: &dyn Storage,
        kinds: &[ReadKind],
    ) -> Result<u64, Fault> {
        let mut last = 0;
        loop {
            let is_last = end.is_finished();
            let seen = self.look(store, kinds).await?;
            if seen < last {
                let what = format!("commit {seen} was seen after commit {last}");
                return Err(Fault::new(what));
            }
            last = seen;
            if is_last {
                return Ok(last);
            }
            yield_now().await;
        }
    }

    /// Makes one read of all the given kinds, and returns the number of the commit seen.
    async fn look(self, store: &dyn Storage, kinds: &[ReadKind]) -> Result<u64, Fault> {
        let keys: Vec<_> = (0..self.rows)
            .map(|row| [ROWS, &row.to_be_bytes()].concat())
            .collect();
        let mut reads = vec![Read::Get(b"guard")];
        for kind in kinds {
            match kind {
                ReadKind::Gets => reads.extend(keys.iter().map(|key| Read::Get(key))),
                ReadKind::Follow => reads.push(Read::Follow {
                    key: POINTER,
                    rows: ROWS,
                }),
                ReadKind::Scan => reads.push(Read::Scan {
                    range: starting(ROWS, b"s"),
                    limit: usize::MAX,
                    newest_first: false,
                }),
                ReadKind::ScanFollow => {
                    reads.push(joined(starting(INDEX, ENTRIES), true));
                    reads.push(joined(starting(ENTRIES, b"k"), false));
                }
            }
        }
        let mut state = store.read(&reads).await?;
        let guard = state.value()?.unwrap_or_default();
        let seen = number(&guard)?;
        for kind in kinds {
            self.compare(&mut state, *kind, seen)?;
        }
        Ok(seen)
    }

    fn compare(self, state: &mut State, kind: ReadKind, number: u64) -> Result<(), Fault> {
        let same_row = |what: &str, row: u32, found: Option<&Value>| {
            let wanted = self.row(number, row);
            let what = format_args!("{what}, row {row} in the state of commit {number}");
            same(
                what,
                found.map(|row| ShortenedBytes(row)),
                Some(ShortenedBytes(&wanted)),
            )
        };
        match kind {
            ReadKind::Gets => {
                for row in 0..self.rows {
                    same_row("Get", row, state.value()?.as_ref())?;
                }
            }
            ReadKind::Follow => {
                let (pointer, found) = state.followed()?.unwrap_or_default();
                let row = self.pointed(number);
                same("the pointer", &*pointer, &row.to_be_bytes()[..])?;
                same_row("Follow", row, found.as_ref())?;
            }
            ReadKind::Scan => {
                let found = state.entries()?;
                same("rows in a scan", found.len(), self.rows as usize)?;
                for (row, (_, value)) in (0..).zip(&found) {
                    same_row("Scan", row, Some(value))?;
                }
            }
            ReadKind::ScanFollow => {
                let mut newest = state.joined()?;
                newest.reverse();
                for (index, found) in [(INDEX, newest), (ENTRIES, state.joined()?)] {
                    self.compare_joined(index, &found, number)?;
                    for (row, (_, value)) in (0..).zip(&found) {
                        same_row("ScanFollow", row, value.as_ref())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn compare_joined(
        self,
        index: &[u8],
        found: &[(Entry, Option<Value>)],
        number: u64,
    ) -> Result<(), Fault> {
        let keys: Vec<_> = found.iter().map(|((key, _), _)| key.clone()).collect();
        let wanted: Vec<_> = (0..self.rows)
            .map(|row| self.entry(index, number, row))
            .collect();
        same(
            format_args!("the entries of commit {number}"),
            keys.iter()
                .map(|key| ShortenedBytes(key))
                .collect::<Vec<_>>(),
            wanted.iter().map(|key| ShortenedBytes(key)).collect(),
        )
    }
}

fn starting<'a>(from: &'a [u8], to: &'a [u8]) -> Range<'a> {
    Range { from, to: Some(to) }
}

fn joined(range: Range<'_>, newest_first: bool) -> Read<'_> {
    Read::ScanFollow {
        range,
        limit: usize::MAX,
        newest_first,
        rows: ROWS,
        tail: 4,
    }
}
