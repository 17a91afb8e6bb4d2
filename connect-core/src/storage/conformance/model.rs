//! A random walk, compared at every step with an ordered map.

use std::{collections::BTreeMap, fmt, ops::Bound};

use super::{
    Fault, Place,
    support::{ALL, commit, refused, same_rows, same_value},
};
use crate::storage::{Range, Storage};

pub(super) async fn fixed_seed(place: &dyn Place) -> Result<(), Fault> {
    compare(place, 42, 400).await
}

/// Makes `steps` random commits, gets and scans and compares each with an ordered map.
///
/// The same seed makes the same steps, so a failure can be repeated.
///
/// # Errors
///
/// The first step at which the store differs from the map.
pub async fn compare(place: &dyn Place, seed: u64, steps: u32) -> Result<(), Fault> {
    let store = place.open().await?;
    let mut random = Random::new(seed);
    let mut model = Model::default();
    for step in 0..steps {
        let done = match random.below(4) {
            0 | 1 => model.random_commit(&*store, &mut random).await,
            2 => model.random_get(&*store, &mut random).await,
            _ => model.random_scan(&*store, &mut random).await,
        };
        done.map_err(|fault| Fault::new(format_args!("seed {seed}, step {step}: {fault}")))?;
    }
    model
        .same_as(&*store, format!("everything after seed {seed}"))
        .await
}

/// What the store should hold.
#[derive(Default)]
pub(super) struct Model(BTreeMap<Vec<u8>, Vec<u8>>);

type Row = (Vec<u8>, Option<Vec<u8>>);

impl Model {
    pub(super) fn rows(&self) -> Vec<(&Vec<u8>, &Vec<u8>)> {
        self.0.iter().collect()
    }

    pub(super) fn put(&mut self, key: &[u8], value: &[u8]) {
        self.0.insert(key.into(), value.into());
    }

    pub(super) async fn same_as(
        &self,
        store: &dyn Storage,
        what: impl fmt::Display,
    ) -> Result<(), Fault> {
        same_rows(what, &store.scan(ALL, usize::MAX).await?, &self.rows())
    }

    /// Commits a few random writes under a few expectations, of which some do not hold.
    pub(super) async fn random_commit(
        &mut self,
        store: &dyn Storage,
        random: &mut Random,
    ) -> Result<(), Fault> {
        let mut writes: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
        for _ in 0..random.below(8) {
            let value = if random.below(4) == 0 {
                None
            } else {
                Some(random.value())
            };
            writes.insert(random.key(), value);
        }
        let writes: Vec<Row> = writes.into_iter().collect();
        // Absence may only be expected of keys that are written.
        let mut expects: Vec<Row> = Vec::new();
        for (key, _) in &writes {
            if random.below(3) == 0 {
                expects.push((key.clone(), self.0.get(key).cloned()));
            }
        }
        let wrong = random.below(4) == 0 && !expects.is_empty();
        if wrong {
            let at = random.below(expects.len());
            let (key, expected) = &mut expects[at];
            *expected = match self.0.get(key) {
                Some(_) if random.below(2) == 0 => None,
                Some(value) => Some([&value[..], b"!"].concat()),
                None => Some(Vec::new()),
            };
        }
        let what = commit(&expects, &writes);
        if wrong {
            return refused("an expectation that does not hold", store, what).await;
        }
        store.commit(what).await?;
        for (key, value) in writes {
            match value {
                Some(value) => self.0.insert(key, value),
                None => self.0.remove(&key),
            };
        }
        Ok(())
    }

    async fn random_get(&self, store: &dyn Storage, random: &mut Random) -> Result<(), Fault> {
        let keys: Vec<_> = (0..random.below(6)).map(|_| random.key()).collect();
        let found = store
            .get(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>())
            .await?;
        for (key, found) in keys.iter().zip(&found) {
            let wanted = self.0.get(key).map(Vec::as_slice);
            same_value(format_args!("get of {key:?}"), found.as_ref(), wanted)?;
        }
        Ok(())
    }

    async fn random_scan(&self, store: &dyn Storage, random: &mut Random) -> Result<(), Fault> {
        let (from, limit) = (random.key(), random.below(12));
        let to = if random.below(3) == 0 {
            None
        } else {
            Some(random.key())
        };
        let range = Range {
            from: &from,
            to: to.as_deref(),
        };
        let end = to.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let wanted: Vec<_> = match &to {
            Some(to) if *to <= from => Vec::new(),
            _ => self
                .0
                .range::<[u8], _>((Bound::Included(&*from), end))
                .take(limit)
                .collect(),
        };
        same_rows(
            format!("{range:?}"),
            &store.scan(range, limit).await?,
            &wanted,
        )
    }
}

/// A small generator (xorshift64*): the same numbers everywhere, for ever.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from 0 to below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        (number % (end.max(1) as u64)) as usize
    }

    /// Few enough keys to meet again, among them prefixes of each other.
    fn key(&mut self) -> Vec<u8> {
        let len = self.below(5);
        (0..len)
            .map(|_| [b'\0', b'a', b'b', b'\xff'][self.below(4)])
            .collect()
    }

    /// Mostly short, sometimes empty or long.
    fn value(&mut self) -> Vec<u8> {
        let len = match self.below(16) {
            0 => 0,
            1 => 3_000 + self.below(40_000),
            _ => 1 + self.below(60),
        };
        let byte = self.below(256) as u8;
        (0..len)
            .map(|n| byte.wrapping_add((n / 100) as u8))
            .collect()
    }
}
