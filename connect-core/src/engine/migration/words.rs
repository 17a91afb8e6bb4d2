//! Migration 5: the names of catalogs have an index of their words.

use uuid::Uuid;

use super::{super::connect::Connect, piece::MigrationPiece};
use crate::{
    storage::{Commit, Expectation, Key, Range, Read, Value, Write},
    transaction::{
        ChangeClock, Fault, Record, clock_key,
        keys::{Family, after_prefix, key},
    },
    wire::{Category, OptionGroup, Product},
};

/// The rows of one piece.
const PAGE: usize = 500;

/// A kind of record with an index of words.
struct NamedRows {
    rows: Family,
    entries: Family,
    /// Returns the keys of the entries of a row.
    keys: fn(Uuid, &[u8]) -> Option<Vec<Key>>,
}

impl NamedRows {
    fn of<R: Record>() -> Option<Self> {
        Some(Self {
            rows: R::ROWS,
            entries: R::WORDS?.family,
            keys: |location, row| {
                let record: R = serde_json::from_slice(row).ok()?;
                Some(R::WORDS?.keys(location, &record))
            },
        })
    }
}

/// Indexes the next rows of a location, from a key on.
pub(super) async fn change(
    connect: &Connect,
    location: Uuid,
    from: Option<Key>,
) -> Result<MigrationPiece, Fault> {
    let (store, clock_key) = (connect.store(), clock_key(location));
    // Without a clock there are no rows.
    let Some(clock_row) = store.get(&clock_key).await? else {
        return Ok(MigrationPiece::default());
    };
    // In the order of their keys: a piece goes on with the kinds after its own.
    let kinds = [
        NamedRows::of::<Category>(),
        NamedRows::of::<Product>(),
        NamedRows::of::<OptionGroup>(),
    ];
    for kind in kinds.into_iter().flatten() {
        let start = key(location, kind.rows, &[]);
        let end = after_prefix(&start);
        let start = from.clone().map_or(start.clone(), |from| from.max(start));
        if start >= end {
            continue;
        }
        let scan = Read::Scan {
            range: Range {
                from: &start,
                to: Some(&end),
            },
            limit: PAGE,
            newest_first: false,
        };
        let rows = store.read(&[scan]).await?.entries()?;
        let Some((last, _)) = rows.last() else {
            continue;
        };
        let next = match rows.len() {
            PAGE => [&last[..], &[0]].concat().into(),
            _ => end,
        };
        let mut keys = Vec::new();
        for (own, row) in &rows {
            match (kind.keys)(location, row) {
                Some(of_row) => keys.extend(of_row),
                None => {
                    let key = hex::encode(own);
                    tracing::error!(key, "an unreadable row stays without an index of its words");
                }
            }
        }
        // A store that was migrated before may have lost the note of it, as a copy of another.
        let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
        let mut state = store.read(&reads).await?;
        let mut clock = ChangeClock::read(&clock_key, Some(&clock_row))?;
        let mut writes = Vec::new();
        for key in &keys {
            if state.value()?.is_none() {
                if let Some(usage) = &mut clock.usage {
                    usage.add(key, kind.entries, 0);
                }
                writes.push((key.clone(), Write::New(Value::default())));
            }
        }
        if writes.is_empty() {
            return Ok(MigrationPiece {
                commit: None,
                next: Some(next),
            });
        }
        let counted = serde_json::to_vec(&clock).map_err(|e| Fault::corrupt(&clock_key, e))?;
        writes.push((clock_key.clone(), Write::Put(counted.into())));
        return Ok(MigrationPiece {
            commit: Some(Commit {
                expects: vec![(clock_key, Expectation::Is(clock_row))],
                writes,
                ..Commit::default()
            }),
            next: Some(next),
        });
    }
    Ok(MigrationPiece::default())
}
