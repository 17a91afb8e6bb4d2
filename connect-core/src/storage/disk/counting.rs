//! The count of a store's rows during opening.
//!
//! Nearly all of the time goes into reading the engine's pages, so two threads count, one from each
//! end, until they meet.

use std::thread;

use parking_lot::Mutex;

use super::{
    engine::{Engine, EngineSnapshot as _, ReadFault},
    engine_keys, layout,
    progress::StoreMark,
};
use crate::storage::StorageError;

/// The rows for a thread to count between checks of the other.
const AT_ONCE: usize = 4096;

/// Counts all rows by their stored checksums.
/// An unreadable row counts too: a later read of it is refused, and the other rows stay usable.
pub(super) fn count<E: Engine>(
    engine: &E,
    expected: Option<StoreMark>,
) -> Result<StoreMark, ReadFault> {
    let snapshot = engine.snapshot()?;
    let counted = count_from_both_ends::<E>(&snapshot)?;
    if expected.is_some_and(|expected| !expected.same_rows(&counted)) {
        // An engine reads backwards and forwards by different code. A store is refused only when
        // the code used for pages finds the difference too.
        let left = Mutex::new(Left::everything());
        count_from::<E>(&snapshot, &left, false)?;
        return Ok(left.into_inner().counted);
    }
    Ok(counted)
}

fn count_from_both_ends<E: Engine>(snapshot: &E::Snapshot) -> Result<StoreMark, ReadFault> {
    let left = Mutex::new(Left::everything());
    thread::scope(|scope| {
        let from_the_end = || count_from::<E>(snapshot, &left, true);
        // Without a second thread the first counts everything.
        let other = thread::Builder::new().spawn_scoped(scope, from_the_end);
        let counted = count_from::<E>(snapshot, &left, false);
        match other.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(other)) => counted.and(other),
            Ok(Err(_)) => counted.and(Err(ReadFault::Damaged(StorageError::new(
                "the database engine panicked; see the log",
            )))),
            Err(_) => counted,
        }
    })?;
    Ok(left.into_inner().counted)
}

/// Counts from one end until no rows are left.
fn count_from<E: Engine>(
    snapshot: &E::Snapshot,
    left: &Mutex<Left>,
    from_the_end: bool,
) -> Result<(), ReadFault> {
    let mut found: Vec<Row> = Vec::with_capacity(AT_ONCE);
    loop {
        let Some((from, to)) = left.lock().range() else {
            return Ok(());
        };
        snapshot.visit(&from, &to, from_the_end, |key, stored| {
            match layout::check(snapshot, key, stored, E::PART_LEN) {
                Err(fault @ ReadFault::Row { .. }) => {
                    let error = StorageError::from(fault);
                    tracing::error!(%error, "damaged row found while counting rows");
                }
                result => result?,
            }
            let checksum = layout::checksum_of(stored).unwrap_or_default();
            found.push((key.into(), checksum));
            Ok(found.len() < AT_ONCE)
        })?;
        left.lock().count(&mut found, from_the_end);
    }
}

/// The engine key of a row, and its checksum.
type Row = (Box<[u8]>, u32);

/// The uncounted rows, `from <= key < to`, and the count so far.
struct Left {
    from: Vec<u8>,
    to: Vec<u8>,
    counted: StoreMark,
}

impl Left {
    fn everything() -> Self {
        Self {
            from: engine_keys::row_key(b""),
            to: engine_keys::ROWS_END.to_vec(),
            counted: StoreMark::default(),
        }
    }

    fn range(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        (self.from < self.to).then(|| (self.from.clone(), self.to.clone()))
    }

    /// Counts the rows found at one end of the uncounted part.
    /// Rows counted meanwhile by the other thread are not counted again.
    fn count(&mut self, found: &mut Vec<Row>, from_the_end: bool) {
        let is_all = found.len() < AT_ONCE;
        let last = found.last().map(|(key, _)| key.to_vec());
        for (key, checksum) in found.drain(..) {
            if *self.from <= *key && *key < *self.to {
                self.counted.add(checksum.into());
            }
        }
        match last {
            Some(last) if !is_all && from_the_end => self.to = last,
            Some(last) if !is_all => self.from = [&*last, &[0]].concat(),
            _ => self.from.clone_from(&self.to),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::storage::disk::engine::Batch;

    /// Counts every row once, wherever the two threads meet.
    fn counts_every_row_once<E: Engine<Options = u64>>() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = E::open(&folder.path().join("engine"), &(1 << 24)).unwrap();
        let mut mark = engine.apply(Batch::new(), StoreMark::default()).unwrap();
        for rows in [0, 1, AT_ONCE, 3 * AT_ONCE, 5 * AT_ONCE + 7] {
            let mut batch = Batch::new();
            for row in usize::try_from(mark.rows).unwrap()..rows {
                let key = engine_keys::row_key(&row.to_be_bytes());
                let value = row.to_string();
                let (was, part_len) = (layout::Was::default(), E::PART_LEN);
                layout::put(&mut batch, key, value.as_bytes(), was, part_len);
            }
            mark = engine.apply(batch, mark).unwrap();
            assert_eq!(mark.rows, rows as u64);
            let counted = count_from_both_ends::<E>(&engine.snapshot().unwrap()).unwrap();
            assert!(counted.same_rows(&mark), "{rows} rows, found {counted:?}");
            let other = StoreMark::default();
            let again = count(&engine, Some(other)).unwrap();
            assert!(again.same_rows(&mark), "{rows} rows, found {again:?}");
        }
    }

    #[cfg(feature = "sled")]
    #[test]
    fn counts_every_row_of_sled_once() {
        counts_every_row_once::<crate::storage::disk::sled::Sled>();
    }

    #[cfg(feature = "redb")]
    #[test]
    fn counts_every_row_of_redb_once() {
        counts_every_row_once::<crate::storage::disk::redb::Redb>();
    }

    #[test]
    fn what_the_other_thread_has_come_across_is_not_counted_again() {
        let key = |number: u8| -> Box<[u8]> { [number].into() };
        let mut left = Left {
            from: vec![1],
            to: vec![9],
            counted: StoreMark::default(),
        };
        // Both have read everything before either has counted.
        left.count(&mut (1..9).map(|row| (key(row), 1)).collect(), false);
        assert_eq!(left.range(), None);
        left.count(&mut (1..9).rev().map(|row| (key(row), 1)).collect(), true);
        assert_eq!((left.counted.rows, left.range()), (8, None));
    }
}
