//! A random walk, compared at every step with an ordered map.

mod steps;

use std::{collections::BTreeMap, fmt, ops::Bound};

use self::steps::{OwnedRead, guard};
use super::{
    Fault, Place,
    random::Random,
    support::{ShortenedBytes, everything, refused, same, same_rows},
};
use crate::storage::{Commit, Expectation, Found, Guard, Range, Read, Storage};

pub(super) async fn fixed_seed(place: &dyn Place) -> Result<(), Fault> {
    compare(place, 42, 200).await
}

/// Makes `steps` random commits and reads of all kinds, and compares each with an ordered map.
///
/// The same seed makes the same steps, so a failure can be repeated.
///
/// # Errors
///
/// The first difference between the store and the map.
pub async fn compare(place: &dyn Place, seed: u64, steps: u32) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut random = Random::new(seed);
    let mut model = Model::default();
    for step in 0..steps {
        let done = if random.once_in(2) {
            model.random_commit(&*store, &mut random).await
        } else {
            model.random_reads(&*store, &mut random).await
        };
        done.map_err(|fault| Fault::new(format_args!("seed {seed}, step {step}: {fault}")))?;
    }
    model
        .same_as(&*store, format!("everything after seed {seed}"))
        .await
}

/// The expected rows of the store.
#[derive(Default)]
pub(super) struct Model {
    rows: BTreeMap<Vec<u8>, Vec<u8>>,
    commits: u64,
}

impl Model {
    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) {
        self.rows.insert(key.into(), value.into());
    }

    pub(super) async fn same_as(
        &self,
        store: &dyn Storage,
        what: impl fmt::Display,
    ) -> Result<(), Fault> {
        let rows: Vec<_> = self.rows.iter().collect();
        same_rows(what, &everything(store).await?, &rows)
    }

    /// Commits a few random writes and expectations, with or without a guard.
    /// Occasionally one expectation is wrong.
    pub(super) async fn random_commit(
        &mut self,
        store: &dyn Storage,
        random: &mut Random,
    ) -> Result<(), Fault> {
        self.commits += 1;
        let writes = steps::writes(random, self.rows.keys());
        let mut commit = Commit {
            guard: random.once_in(2).then(|| self.guard(random)),
            expects: Vec::new(),
            writes: Vec::new(),
        };
        // Only keys with a write may be expected absent.
        for key in writes.keys() {
            if random.once_in(3) {
                let found = self.rows.get(key).map(|value| value.as_slice().into());
                let expected = Expectation::unchanged(found);
                commit.expects.push((key.as_slice().into(), expected));
            }
        }
        let is_wrong = random.once_in(4) && spoil(&mut commit, random);
        let entries = writes.iter();
        commit.writes = entries
            .map(|(key, write)| (key.as_slice().into(), write.clone()))
            .collect();
        if is_wrong {
            return refused("an expectation that does not hold", store, commit).await;
        }
        let guard = commit.guard.clone();
        store.commit(commit).await?;
        if let Some(Guard { key, becomes, .. }) = guard {
            self.put(&key, &becomes);
        }
        for (key, write) in writes {
            match write.value() {
                Some(value) => self.put(&key, value),
                None => {
                    self.rows.remove(&key);
                }
            }
        }
        Ok(())
    }

    fn guard(&self, random: &mut Random) -> Guard {
        let key = guard(random);
        Guard {
            was: self.rows.get(&key).map(|value| value.as_slice().into()),
            key: key.into(),
            becomes: self.commits.to_be_bytes()[..].into(),
        }
    }

    async fn random_reads(&self, store: &dyn Storage, random: &mut Random) -> Result<(), Fault> {
        let asked: Vec<_> = (0..random.below(6))
            .map(|_| OwnedRead::any(random))
            .collect();
        let reads: Vec<_> = asked.iter().map(OwnedRead::read).collect();
        let found: Vec<_> = store.read(&reads).await?.collect();
        same("answers", found.len(), reads.len())?;
        for (read, found) in reads.iter().zip(&found) {
            let wanted = self.answer(read);
            same(
                format_args!("{read:?}"),
                ShortenedAnswer(found),
                ShortenedAnswer(&wanted),
            )?;
        }
        Ok(())
    }

    fn answer(&self, read: &Read<'_>) -> Found {
        let get = |key: &[u8]| self.rows.get(key).map(|value| value.as_slice().into());
        match *read {
            Read::Get(key) => Found::Value(get(key)),
            Read::Follow { key, rows } => Found::Followed(self.rows.get(key).map(|value| {
                let row = get(&[rows, value].concat());
                (value.as_slice().into(), row)
            })),
            Read::Scan {
                range,
                limit,
                newest_first,
            } => {
                let rows = self.scan(range, limit, newest_first).into_iter();
                Found::Entries(rows.map(|(k, v)| (k.into(), v.into())).collect())
            }
            Read::ScanFollow {
                range,
                limit,
                newest_first,
                rows,
                tail,
            } => {
                let entries = self.scan(range, limit, newest_first).into_iter();
                let joined = entries.map(|(key, value)| {
                    let at = key.len().checked_sub(tail);
                    let row = at.and_then(|at| get(&[rows, &key[at..]].concat()));
                    ((key.into(), value.into()), row)
                });
                Found::Joined(joined.collect())
            }
        }
    }

    fn scan(&self, range: Range<'_>, limit: usize, newest_first: bool) -> Vec<(&[u8], &[u8])> {
        if range.is_empty() {
            return Vec::new();
        }
        let end = range.to.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = self
            .rows
            .range::<[u8], _>((Bound::Included(range.from), end));
        let mut rows: Vec<_> = rows.map(|(key, value)| (&**key, &**value)).collect();
        if newest_first {
            rows.reverse();
        }
        rows.truncate(limit);
        rows
    }
}

/// Makes one expectation of a commit, or its guard, wrong.
/// `false`: it has neither.
fn spoil(commit: &mut Commit, random: &mut Random) -> bool {
    let other = |found: Option<&[u8]>, random: &mut Random| match found {
        Some(_) if random.once_in(2) => None,
        Some(value) => Some([value, b"!"].concat().into()),
        None => Some([].into()),
    };
    if let Some(guard) = commit.guard.as_mut()
        && (commit.expects.is_empty() || random.once_in(2))
    {
        guard.was = other(guard.was.as_deref(), random);
        return true;
    }
    let at = random.below(commit.expects.len());
    let Some((_, expected)) = commit.expects.get_mut(at) else {
        return false;
    };
    let found = match expected {
        Expectation::Absent => None,
        Expectation::Is(value) => Some(&**value),
    };
    *expected = Expectation::unchanged(other(found, random));
    true
}

/// An answer, displayed with long values shortened.
#[derive(PartialEq)]
struct ShortenedAnswer<'a>(&'a Found);

impl fmt::Debug for ShortenedAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Found::Value(value) => write!(f, "{:?}", value.as_deref().map(ShortenedBytes)),
            Found::Followed(found) => {
                let found = found.as_ref();
                let found = found.map(|(value, row)| {
                    (ShortenedBytes(value), row.as_deref().map(ShortenedBytes))
                });
                write!(f, "{found:?}")
            }
            Found::Entries(entries) => f
                .debug_map()
                .entries(
                    entries
                        .iter()
                        .map(|(key, value)| (ShortenedBytes(key), ShortenedBytes(value))),
                )
                .finish(),
            Found::Joined(entries) => f
                .debug_map()
                .entries(entries.iter().map(|((key, value), row)| {
                    (
                        ShortenedBytes(key),
                        (ShortenedBytes(value), row.as_deref().map(ShortenedBytes)),
                    )
                }))
                .finish(),
        }
    }
}
