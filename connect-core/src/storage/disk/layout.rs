//! The form of entries in an engine's map, under the [keys](super::engine_keys).
//!
//! The entries of rows hold a kind (1 byte), a checksum (4 bytes), and then the value, or the length
//! (4 bytes) of a split value. The checksum covers the
//! engine key, the kind and the whole value. It detects a flipped bit as well as a row under a
//! wrong key.

use std::sync::LazyLock;

use super::{
    engine::{Batch, Damage, EngineSnapshot, EngineWrite, ReadFault},
    engine_keys::{EngineFamily, family, key_of, part_key, row_key},
    progress::StoreMark,
};
use crate::storage::Value;

const WHOLE: u8 = 0;
const SPLIT: u8 = 1;

/// The length of kind and checksum.
const HEAD: usize = 5;

/// The number of parts for a value; 0 if stored whole.
pub(super) fn parts_of(len: usize, part_len: usize) -> u32 {
    if len <= part_len {
        0
    } else {
        u32::try_from(len.div_ceil(part_len)).unwrap_or(u32::MAX)
    }
}

/// An engine's entry under a key before a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Was {
    /// The checksum of the entry; `None` if there is none.
    pub(super) checksum: Option<u32>,
    /// The number of parts of its value.
    pub(super) parts: u32,
}

impl Was {
    /// An entry with this value.
    pub(super) fn value(engine_key: &[u8], value: &[u8], part_len: usize) -> Self {
        let parts = parts_of(value.len(), part_len);
        let kind = if parts > 0 { SPLIT } else { WHOLE };
        Self {
            checksum: Some(checksum(engine_key, kind, value)),
            parts,
        }
    }

    /// The current entry, by its stored bytes.
    pub(super) fn now(
        snapshot: &impl EngineSnapshot,
        engine_key: &[u8],
        part_len: usize,
    ) -> Result<Self, ReadFault> {
        let was = snapshot.get(engine_key, |stored| Self {
            checksum: checksum_of(stored),
            parts: split_len(stored).map_or(0, |len| parts_of(len, part_len)),
        })?;
        Ok(was.unwrap_or_default())
    }
}

/// The checksum in an entry's stored bytes.
pub(super) fn checksum_of(stored: &[u8]) -> Option<u32> {
    let [_, checksum @ ..] = stored.first_chunk::<HEAD>()?;
    Some(u32::from_be_bytes(*checksum))
}

/// Counts a change of the rows into a mark.
pub(super) fn count(mark: &mut StoreMark, change: &EngineWrite, was: Option<u32>) {
    if family(&change.key) != Some(EngineFamily::Row) {
        return;
    }
    if let Some(was) = was {
        mark.remove(was.into());
    }
    if let Some(is) = change.value.as_deref().and_then(checksum_of) {
        mark.add(is.into());
    }
}

/// Adds the changes for setting an entry to `batch`.
pub(super) fn put(batch: &mut Batch, engine_key: Vec<u8>, value: &[u8], was: Was, part_len: usize) {
    let parts = parts_of(value.len(), part_len);
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes();
    let (kind, content) = if parts > 0 {
        (SPLIT, &length[..])
    } else {
        (WHOLE, value)
    };
    let mut stored = Vec::with_capacity(HEAD + content.len());
    stored.push(kind);
    stored.extend_from_slice(&checksum(&engine_key, kind, value).to_be_bytes());
    stored.extend_from_slice(content);
    if parts > 0 {
        for (part, bytes) in (0..).zip(value.chunks(part_len)) {
            batch.push(EngineWrite {
                key: part_key(&engine_key, part),
                value: Some(bytes.to_vec()),
                was: None,
            });
        }
    }
    remove_parts(batch, &engine_key, parts..was.parts);
    batch.push(EngineWrite {
        key: engine_key,
        value: Some(stored),
        was: was.checksum,
    });
}

/// Adds the changes for removing an entry to `batch`.
pub(super) fn remove(batch: &mut Batch, engine_key: Vec<u8>, was: Was) {
    remove_parts(batch, &engine_key, 0..was.parts);
    batch.push(EngineWrite {
        key: engine_key,
        value: None,
        was: was.checksum,
    });
}

fn remove_parts(batch: &mut Batch, engine_key: &[u8], parts: std::ops::Range<u32>) {
    batch.extend(parts.map(|part| EngineWrite {
        key: part_key(engine_key, part),
        value: None,
        was: None,
    }));
}

/// The length of a split value.
fn split_len(stored: &[u8]) -> Option<usize> {
    match stored.split_first_chunk::<HEAD>()? {
        ([SPLIT, ..], len) => usize::try_from(u32::from_be_bytes(len.try_into().ok()?)).ok(),
        _ => None,
    }
}

/// Reads a row from the engine.
pub(super) fn row(
    snapshot: &impl EngineSnapshot,
    key: &[u8],
    part_len: usize,
) -> Result<Option<Value>, ReadFault> {
    let engine_key = row_key(key);
    let decode = |stored: &[u8]| decode(snapshot, &engine_key, stored, part_len);
    snapshot.get(&engine_key, decode)?.transpose()
}

/// The value of an entry, from its stored bytes.
/// `snapshot` has the parts of a split one.
pub(super) fn decode(
    snapshot: &impl EngineSnapshot,
    engine_key: &[u8],
    stored: &[u8],
    part_len: usize,
) -> Result<Value, ReadFault> {
    let damaged = |damage| ReadFault::Row {
        key: key_of(engine_key).into(),
        damage,
    };
    let value: Value = match stored.split_first_chunk::<HEAD>() {
        Some(([WHOLE, ..], [])) => nothing(),
        Some(([WHOLE, ..], value)) => value.into(),
        Some(([SPLIT, ..], _)) => {
            let len = split_len(stored).ok_or_else(|| damaged(Damage::Checksum))?;
            join(snapshot, engine_key, len, part_len)?
                .ok_or_else(|| damaged(Damage::MissingPart))?
                .into()
        }
        _ => return Err(damaged(Damage::Checksum)),
    };
    let kind = stored.first().copied().unwrap_or_default();
    if checksum_of(stored) == Some(checksum(engine_key, kind, &value)) {
        Ok(value)
    } else {
        Err(damaged(Damage::Checksum))
    }
}

/// Returns whether a row is intact, by its stored bytes.
/// Always false for a split one.
#[cfg(feature = "redb")]
pub(super) fn is_whole(engine_key: &[u8], stored: &[u8]) -> bool {
    let parts = stored.split_first_chunk::<HEAD>();
    parts.is_some_and(|([kind, sum @ ..], value)| {
        *kind == WHOLE && u32::from_be_bytes(*sum) == checksum(engine_key, WHOLE, value)
    })
}

/// Checks an entry by its stored bytes, like [`decode`].
pub(super) fn check(
    snapshot: &impl EngineSnapshot,
    engine_key: &[u8],
    stored: &[u8],
    part_len: usize,
) -> Result<(), ReadFault> {
    if let Some(([WHOLE, sum @ ..], value)) = stored.split_first_chunk::<HEAD>()
        && u32::from_be_bytes(*sum) == checksum(engine_key, WHOLE, value)
    {
        return Ok(());
    }
    decode(snapshot, engine_key, stored, part_len).map(drop)
}

/// The value of a split entry; `None` if a part is missing.
fn join(
    snapshot: &impl EngineSnapshot,
    engine_key: &[u8],
    len: usize,
    part_len: usize,
) -> Result<Option<Vec<u8>>, ReadFault> {
    let mut value = Vec::new();
    for part in 0..parts_of(len, part_len) {
        let key = part_key(engine_key, part);
        let found = snapshot.get(&key, |bytes| value.extend_from_slice(bytes))?;
        if found.is_none() {
            return Ok(None);
        }
    }
    Ok((value.len() == len).then_some(value))
}

fn checksum(engine_key: &[u8], kind: u8, value: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(engine_key);
    hasher.update(&[kind]);
    hasher.update(value);
    hasher.finalize()
}

/// The empty value of all index entries.
pub(super) fn nothing() -> Value {
    static NOTHING: LazyLock<Value> = LazyLock::new(Value::default);
    NOTHING.clone()
}
