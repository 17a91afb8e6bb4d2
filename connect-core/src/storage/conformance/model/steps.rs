//! The writes and reads of one step of the walk.
//!
//! Plain rows have keys of up to four bytes, with many repetitions. Records have keys made of
//! [`RECORDS`] and an id. They have two kinds of index entries, with keys made of [`INDEX`], one
//! byte and the id. As [`Write::Index`] requires, every change of a record replaces its entries
//! too.

use std::collections::BTreeMap;

use super::super::random::Random;
use crate::storage::{Range, Read, Value, Write};

const RECORDS: &[u8] = b"r";
const INDEX: &[u8] = b"i";

/// The length of an id, in bytes.
const ID: usize = 2;

pub(super) fn guard(random: &mut Random) -> Vec<u8> {
    [b"g1".to_vec(), b"g2".to_vec()][random.below(2)].clone()
}

/// A few writes, to plain rows and to records with their entries.
pub(super) fn writes<'a>(
    random: &mut Random,
    keys: impl Iterator<Item = &'a Vec<u8>>,
) -> BTreeMap<Vec<u8>, Write> {
    let mut writes = BTreeMap::new();
    for _ in 0..random.below(7) {
        writes.insert(key(random), put_or_remove(random));
    }
    if random.once_in(2) {
        return writes;
    }
    let id = id(random);
    let record = put_or_remove(random);
    let of_this = |key: &&Vec<u8>| key.starts_with(INDEX) && key.ends_with(&id);
    let mut entries: Vec<Vec<u8>> = keys.filter(of_this).cloned().collect();
    let more = [INDEX, &[b"abc"[random.below(3)]], &id].concat();
    entries.push(more);
    for entry in entries {
        let write = match &record {
            Write::Put(row) | Write::New(row) if !random.once_in(4) => {
                [Write::Index, Write::NewIndex][random.below(2)](row.clone())
            }
            // A plain-row entry may outlive its record.
            _ => put_or_remove(random),
        };
        writes.insert(entry, write);
    }
    writes.insert([RECORDS, &id].concat(), record);
    writes
}

fn put_or_remove(random: &mut Random) -> Write {
    if random.once_in(4) {
        Write::Remove
    } else {
        // Some are declared new, rightly or not.
        [Write::Put, Write::New][random.below(2)](value(random))
    }
}

/// A read, with its keys.
pub(super) enum OwnedRead {
    Get(Vec<u8>),
    Follow(Vec<u8>, &'static [u8]),
    Scan(Scan),
    ScanFollow(Scan, &'static [u8], usize),
}

pub(super) struct Scan {
    from: Vec<u8>,
    to: Option<Vec<u8>>,
    limit: usize,
    newest_first: bool,
}

impl OwnedRead {
    pub(super) fn any(random: &mut Random) -> Self {
        match random.below(5) {
            0 => Self::Get(any_key(random)),
            1 => Self::Follow(any_key(random), [&b""[..], b"a", RECORDS][random.below(3)]),
            2 => Self::Scan(Scan::any(random, any_key)),
            // Index entries are read with their rows.
            3 => Self::ScanFollow(Scan::of_index(random), RECORDS, ID),
            _ => Self::ScanFollow(Scan::of_rows(random), b"", random.below(5)),
        }
    }

    pub(super) fn read(&self) -> Read<'_> {
        match self {
            Self::Get(key) => Read::Get(key),
            Self::Follow(key, rows) => Read::Follow { key, rows },
            Self::Scan(scan) => Read::Scan {
                range: scan.range(),
                limit: scan.limit,
                newest_first: scan.newest_first,
            },
            Self::ScanFollow(scan, rows, tail) => Read::ScanFollow {
                range: scan.range(),
                limit: scan.limit,
                newest_first: scan.newest_first,
                rows,
                tail: *tail,
            },
        }
    }
}

impl Scan {
    fn any(random: &mut Random, key: impl Fn(&mut Random) -> Vec<u8>) -> Self {
        Self {
            from: key(random),
            to: (!random.once_in(3)).then(|| key(random)),
            limit: random.below(12),
            newest_first: random.once_in(2),
        }
    }

    /// A scan within the index.
    fn of_index(random: &mut Random) -> Self {
        let within = |random: &mut Random| {
            let len = random.below(2 + ID);
            let rest = [&[b"abc"[random.below(3)]], &*id(random)].concat();
            [INDEX, &rest[..len]].concat()
        };
        let mut scan = Self::any(random, within);
        scan.to.get_or_insert_with(|| b"j".to_vec());
        scan
    }

    /// A scan of plain rows before the index.
    fn of_rows(random: &mut Random) -> Self {
        let mut scan = Self::any(random, key);
        if scan.to.as_deref().is_none_or(|to| to > &b"f"[..]) {
            scan.to = Some(b"f".to_vec());
        }
        scan
    }

    fn range(&self) -> Range<'_> {
        Range {
            from: &self.from,
            to: self.to.as_deref(),
        }
    }
}

fn any_key(random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0 => guard(random),
        1 => [RECORDS, &id(random)].concat(),
        2 => [INDEX, &[b"abc"[random.below(3)]], &id(random)].concat(),
        _ => key(random),
    }
}

/// Few enough keys to repeat, among them prefixes of each other.
fn key(random: &mut Random) -> Vec<u8> {
    let len = random.below(5);
    (0..len)
        .map(|_| [b'\0', b'a', b'b', b'\xff'][random.below(4)])
        .collect()
}

fn id(random: &mut Random) -> Vec<u8> {
    vec![b'0' + random.below(2) as u8, b'0' + random.below(3) as u8]
}

/// Mostly short, sometimes empty or long; some are keys, to be followed.
fn value(random: &mut Random) -> Value {
    let value = match random.below(16) {
        0 => Vec::new(),
        1 => {
            let len = 3_000 + random.below(40_000);
            random.bytes(len)
        }
        2..6 => key(random),
        6..8 => id(random),
        _ => {
            let len = 1 + random.below(60);
            random.bytes(len)
        }
    };
    value.into()
}
