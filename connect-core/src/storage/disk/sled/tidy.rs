//! Splits and merges of sled's pages, done with the batch.

use sled::{Db, IVec};

/// Makes sled split and merge the pages of added or removed keys.
///
/// sled does this at the next visit of a page, by writing. Done with the batch, it leaves reads
/// nothing to write; such writes would fail on a full disk.
pub(super) fn tidy(db: &Db, mut keys: Vec<IVec>) -> sled::Result<()> {
    keys.sort_unstable();
    let mut entries = db.range::<&[u8], _>(..);
    let mut passed = IVec::default();
    for key in keys {
        // Keys of one batch are mostly neighbours. A step of the iterator then passes the key and
        // its page, for a fraction of the cost of a search.
        if passed < key {
            let Some(entry) = entries.next().transpose()? else {
                return Ok(());
            };
            passed = entry.0;
        }
        if passed < key {
            entries = db.range::<&[u8], _>(&*key..);
            let Some(entry) = entries.next().transpose()? else {
                return Ok(());
            };
            passed = entry.0;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use crate::storage::disk::{
        engine::{Batch, Engine as _, EngineWrite},
        progress::StoreMark,
        sled::Sled,
    };

    /// Batches of added, replaced and removed keys, some next to each other.
    #[test]
    fn nothing_is_left_for_reads_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Sled::open(&folder.path().join("engine"), &(1 << 24)).unwrap();
        let db = engine.snapshot().unwrap();
        let mut random = StdRng::seed_from_u64(7);
        let mut mark = StoreMark::default();
        for _ in 0..60 {
            let mut batch = Batch::new();
            for _ in 0..random.random_range(1..30) {
                let start: u16 = random.random_range(0..5000);
                let is_removed: bool = random.random();
                for key in start..start + random.random_range(1..60) {
                    let key = key.to_be_bytes();
                    batch.retain(|change| change.key != key);
                    batch.push(EngineWrite {
                        key: key.to_vec(),
                        value: (!is_removed).then(|| key.to_vec()),
                        was: db.contains_key(key).unwrap().then_some(0),
                    });
                }
            }
            mark = engine.apply(batch, mark).unwrap();
            for key in 0..5060_u16 {
                db.contains_key(key.to_be_bytes()).unwrap();
            }
            assert_eq!(db.iter().rev().filter(Result::is_err).count(), 0);
            assert_eq!(db.flush().unwrap(), 0, "bytes were written by reads");
        }
    }
}
