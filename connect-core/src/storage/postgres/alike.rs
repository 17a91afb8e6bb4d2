//! Many look-ups of one kind, which the database does at once instead of one by one.
//!
//! A batch names its records by external id, for example: five hundred keys, whose values lead to rows
//! of one family. One scan of the index for all keys takes half as long as a look-up for each.

use std::collections::HashMap;

use tokio_postgres::types::Type;

use super::connections::Parameter;
use crate::storage::{Found, Read, Value};

/// The fewest look-ups that are done at once. Fewer share a statement with those of others.
const MANY: usize = 65;

/// In place of the number of a read: a row under one of the keys.
const KEYED: i32 = -1;

/// In place of the number of a read: a row to which a value leads.
const FOLLOWED: i32 = -2;

/// The rows under the keys, then those to which they lead. Without a family nothing leads anywhere.
pub(super) const STATEMENT: &str = "WITH keyed AS MATERIALIZED (SELECT key, value FROM connect_rows \
        WHERE key = ANY ($::bytea[]) AND value IS NOT NULL) \
    SELECT -1, key, value, NULL::bytea FROM keyed \
    UNION ALL SELECT -2, key, value, NULL::bytea FROM connect_rows \
        WHERE key = ANY (ARRAY(SELECT $::bytea || value FROM keyed)) AND value IS NOT NULL";

/// The rows that a look-up leads to: the start of their keys, or nothing.
pub(super) type Rows<'r> = Option<&'r [u8]>;

/// Returns what many of these look-ups have in common, if they are many.
pub(super) fn common<'r>(reads: &[Read<'r>]) -> Option<Rows<'r>> {
    if reads.len() < MANY {
        return None;
    }
    let mut counts: HashMap<Rows<'r>, usize> = HashMap::new();
    for read in reads {
        let rows = match *read {
            Read::Get(_) => None,
            Read::Follow { rows, .. } => Some(rows),
            Read::Scan { .. } | Read::ScanFollow { .. } => continue,
        };
        *counts.entry(rows).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| *count >= MANY)
        .map(|(rows, _)| rows)
}

/// Look-ups that lead to rows of one family, or nowhere.
#[derive(Default)]
pub(super) struct Alike {
    numbers: Vec<usize>,
    keys: Vec<Vec<u8>>,
    rows: Option<Vec<u8>>,
}

impl Alike {
    pub(super) fn leading_to(rows: Rows<'_>) -> Self {
        Self {
            rows: rows.map(Into::into),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, number: usize, key: &[u8]) {
        self.numbers.push(number);
        self.keys.push(key.into());
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The parameters of [`STATEMENT`].
    pub(super) fn parameters(&self) -> [Parameter<'_>; 2] {
        [(&self.keys, Type::BYTEA_ARRAY), (&self.rows, Type::BYTEA)]
    }
}

/// The rows that the database has found.
#[derive(Default)]
pub(super) struct FoundAlike<'r> {
    keyed: HashMap<&'r [u8], Value>,
    followed: HashMap<&'r [u8], Value>,
}

impl<'r> FoundAlike<'r> {
    /// Takes a row of the answer that has no number of a read.
    pub(super) fn take(&mut self, number: i32, key: &'r [u8], value: &'r [u8]) {
        match number {
            KEYED => self.keyed.insert(key, value.into()),
            FOLLOWED => self.followed.insert(key, value.into()),
            _ => None,
        };
    }

    /// Answers the look-ups.
    pub(super) fn answer(&self, alike: &Alike, answers: &mut [Found]) {
        let mut followed = alike.rows.clone().unwrap_or_default();
        let rows_len = followed.len();
        for (number, key) in alike.numbers.iter().zip(&alike.keys) {
            let Some(value) = self.keyed.get(&**key) else {
                continue;
            };
            match answers.get_mut(*number) {
                Some(Found::Value(found)) => *found = Some(value.clone()),
                Some(Found::Followed(found)) => {
                    followed.truncate(rows_len);
                    followed.extend_from_slice(value);
                    *found = Some((value.clone(), self.followed.get(&*followed).cloned()));
                }
                _ => {}
            }
        }
    }
}
