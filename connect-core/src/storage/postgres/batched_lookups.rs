//! Many lookups of one kind, done by the database at once.
//!
//! A batch names its records by external id, for example: five hundred keys, and their values lead to rows
//! of one family. One scan of the index for all keys, and another for the rows they lead to, take half as
//! long as a lookup for each.

use std::collections::HashMap;

use tokio_postgres::types::Type;

use super::connections::Parameter;
use crate::storage::{Found, Read, Value};

/// The fewest lookups of one kind to do at once.
pub(super) const MANY: usize = 65;

/// A row under one of the keys.
/// It takes the place of the number of a read.
const KEYED: i32 = -1;

/// A row referenced by a value.
/// It takes the place of the number of a read.
const FOLLOWED: i32 = -2;

/// Selects the rows under the keys, then the rows they lead to.
/// The second part finds nothing for lookups that lead nowhere, as the start of its keys is NULL. `keyed`
/// is used twice, so the database computes it once.
pub(super) const STATEMENT: &str = "WITH keyed AS (SELECT key, value FROM connect_rows \
        WHERE key = ANY ($::bytea[]) AND value IS NOT NULL) \
    SELECT -1, key, value, NULL::bytea FROM keyed \
    UNION ALL SELECT -2, key, value, NULL::bytea FROM connect_rows \
        WHERE key = ANY (ARRAY(SELECT $::bytea || value FROM keyed)) AND value IS NOT NULL";

/// The kind of a lookup: the key prefix of any referenced rows.
type Kind<'r> = Option<&'r [u8]>;

/// Returns the most common kind of these reads, if it has many lookups.
fn common_kind<'r>(reads: &[Read<'r>]) -> Option<Kind<'r>> {
    if reads.len() < MANY {
        return None;
    }
    let mut counts: HashMap<Kind<'r>, usize> = HashMap::new();
    for read in reads {
        let kind = match *read {
            Read::Get(_) => None,
            Read::Follow { rows, .. } => Some(rows),
            Read::Scan { .. } | Read::ScanFollow { .. } => continue,
        };
        *counts.entry(kind).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let (kind, _) = most.filter(|(_, count)| *count >= MANY)?;
    Some(kind)
}

/// Lookups of one kind.
#[derive(Default)]
pub(super) struct BatchedLookups {
    /// False if no kind is common: then there are no lookups.
    has_kind: bool,
    rows: Option<Vec<u8>>,
    numbers: Vec<usize>,
    keys: Vec<Vec<u8>>,
}

impl BatchedLookups {
    /// Prepares for the most common kind of lookup among these reads.
    pub(super) fn among(reads: &[Read<'_>]) -> Self {
        let kind = common_kind(reads);
        Self {
            has_kind: kind.is_some(),
            rows: kind.flatten().map(Into::into),
            ..Self::default()
        }
    }

    /// Takes a lookup.
    /// Returns false, and leaves the lookup, if it is of another kind.
    pub(super) fn take(&mut self, number: usize, key: &[u8], rows: Option<&[u8]>) -> bool {
        let is_alike = self.has_kind && self.rows.as_deref() == rows;
        if is_alike {
            self.numbers.push(number);
            self.keys.push(key.into());
        }
        is_alike
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The parameters of [`STATEMENT`].
    pub(super) fn parameters(&self) -> [Parameter<'_>; 2] {
        [(&self.keys, Type::BYTEA_ARRAY), (&self.rows, Type::BYTEA)]
    }
}

/// The rows found by the database.
#[derive(Default)]
pub(super) struct FoundAlike<'r> {
    keyed: HashMap<&'r [u8], Value>,
    followed: HashMap<&'r [u8], Value>,
}

impl<'r> FoundAlike<'r> {
    /// Takes a row of the answer without the number of a read.
    pub(super) fn take(&mut self, number: i32, key: &'r [u8], value: &'r [u8]) {
        match number {
            KEYED => self.keyed.insert(key, value.into()),
            FOLLOWED => self.followed.insert(key, value.into()),
            _ => None,
        };
    }

    /// Answers the lookups.
    pub(super) fn answer(&self, alike: &BatchedLookups, answers: &mut [Found]) {
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
