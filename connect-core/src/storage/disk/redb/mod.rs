//! redb as the engine of a store.

mod format;
mod pages;
#[cfg(test)]
mod pages_tests;
mod rewrite;
#[cfg(all(test, unix))]
mod room_tests;

use std::{
    fs::File,
    io,
    ops::{Bound, RangeBounds},
    path::Path,
    sync::Arc,
};

use redb::{Builder, Database, DatabaseError, ReadOnlyTable, ReadableDatabase, TableDefinition};

use self::pages::{FilePages, Unchecked};
use super::{
    Kind, OpenError,
    damage::{DamagedPages, Pages},
    engine::{ApplyError, Batch, Engine, EngineSnapshot, ReadFault},
    engine_keys, files, layout,
    progress::StoreMark,
};
use crate::storage::StorageError;

/// The only table of the file.
const ENTRIES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("entries");

/// An open redb file.
///
/// redb's quick repair is off: it halves the rate of single commits, and opening a file of 1 GB
/// after a kill took 0.9 s without it.
pub(crate) struct Redb {
    database: Database,
    /// The same file, for checks of its pages.
    file: Arc<File>,
    damage: Arc<DamagedPages>,
}

/// A state of the table.
/// Pages known to be damaged are not read.
pub(crate) struct RedbSnapshot {
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
    damage: Arc<DamagedPages>,
}

impl Engine for Redb {
    const KIND: Kind = Kind::Redb;
    // redb stores values of any length in its own file.
    const PART_LEN: usize = usize::MAX;
    const IS_LIVE: bool = false;
    const DROPS_ROWS: bool = false;

    /// The size of redb's page cache, in bytes.
    type Options = u64;
    type Snapshot = RedbSnapshot;

    fn open(path: &Path, cache_bytes: &u64) -> Result<Self, OpenError> {
        let failed = OpenError::io(path);
        let damaged = |error: &dyn std::fmt::Display| OpenError::Damaged {
            path: path.into(),
            reason: error.to_string(),
        };
        rewrite::remove_unfinished(path).map_err(failed)?;
        let file = files::private()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let pages = Arc::new(File::open(path).map_err(failed)?);
        check_before(&pages).map_err(|error| match error {
            Unchecked::Io(error) => failed(error),
            error @ Unchecked::Everything(_) => damaged(&error),
        })?;
        let database = Builder::new()
            .set_cache_size(usize::try_from(*cache_bytes).unwrap_or(usize::MAX))
            .create_file(file)
            .map_err(|error| match error {
                DatabaseError::DatabaseAlreadyOpen => OpenError::InUse { path: path.into() },
                // A truncated file is damaged; reading it works.
                DatabaseError::Storage(redb::StorageError::Io(error))
                    if error.kind() != io::ErrorKind::UnexpectedEof =>
                {
                    failed(error)
                }
                error => damaged(&error),
            })?;
        let engine = Self {
            database,
            file: pages,
            damage: Arc::default(),
        };
        engine.make_table().map_err(|error| damaged(&error))?;
        Ok(engine)
    }

    /// New pages may be half empty. Each write may copy a page, and none is copied twice.
    fn room_for(writes: u64, content: u64, file: u64) -> u64 {
        2 * content + (4096 * writes).min(file)
    }

    fn snapshot(&self) -> Result<Self::Snapshot, ReadFault> {
        let transaction = self
            .database
            .begin_read()
            .map_err(|error| fault(error.into()))?;
        let table = transaction.open_table(ENTRIES);
        Ok(RedbSnapshot {
            table: table.map_err(|error| fault(error.into()))?,
            damage: self.damage.clone(),
        })
    }

    fn pages(&self) -> Result<Option<Box<dyn Pages>>, StorageError> {
        // While this transaction is open, redb reuses none of its pages.
        let pin = self.database.begin_read().map_err(StorageError::new)?;
        let pages = FilePages::read(self.file.clone(), pin).map_err(StorageError::new)?;
        Ok(Some(Box::new(pages)))
    }

    fn rewrite(self, path: &Path, cache_bytes: &u64) -> Result<Self, StorageError> {
        let snapshot = self.snapshot()?;
        let spans = self.damage.spans();
        let new = rewrite::write_beside(path, *cache_bytes, ENTRIES, &snapshot, &spans)?;
        drop(snapshot);
        drop(self);
        rewrite::replace(path, &new)?;
        Self::open(path, cache_bytes).map_err(StorageError::new)
    }

    fn damage(&self) -> Option<&Arc<DamagedPages>> {
        Some(&self.damage)
    }

    fn apply(&mut self, batch: Batch, mark: StoreMark) -> Result<StoreMark, ApplyError> {
        let not_applied = |error: redb::Error| ApplyError::NotApplied(StorageError::new(error));
        let transaction = self
            .database
            .begin_write()
            .map_err(|error| not_applied(error.into()))?;
        let mark = write(&transaction, batch, mark).map_err(not_applied)?;
        transaction
            .commit()
            .map_err(|error| ApplyError::Unknown(StorageError::new(error)))?;
        Ok(mark)
    }
}

impl Redb {
    /// Creates the table, in a new file.
    fn make_table(&self) -> Result<(), redb::Error> {
        if self.database.begin_read()?.open_table(ENTRIES).is_ok() {
            return Ok(());
        }
        let transaction = self.database.begin_write()?;
        transaction.open_table(ENTRIES)?;
        Ok(transaction.commit()?)
    }
}

fn write(
    transaction: &redb::WriteTransaction,
    batch: Batch,
    mut mark: StoreMark,
) -> Result<StoreMark, redb::Error> {
    let mut entries = transaction.open_table(ENTRIES)?;
    mark.number += 1;
    for change in batch {
        let key = &*change.key;
        let before = match &change.value {
            Some(value) => entries.insert(key, &**value)?,
            None => entries.remove(key)?,
        };
        let was = before.and_then(|before| layout::checksum_of(before.value()));
        layout::count(&mut mark, &change, was);
    }
    entries.insert(engine_keys::MARK_KEY, &mark.encode()[..])?;
    Ok(mark)
}

/// Checks the parts of a closed file read by redb while opening it.
/// After a crash redb checks everything itself. It may then go back to the commit before an unfinished one,
/// and the header of the unfinished one may be damaged.
fn check_before(file: &Arc<File>) -> Result<(), Unchecked> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    if pages::is_open(file)? {
        return Ok(());
    }
    FilePages::read(file.clone(), ())?.check_tables()
}

impl EngineSnapshot for RedbSnapshot {
    fn get<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, ReadFault> {
        self.damage.check(key)?;
        let found = self.table.get(key).map_err(|error| fault(error.into()))?;
        Ok(found.map(|value| read(value.value())))
    }

    fn visit(
        &self,
        from: &[u8],
        to: &[u8],
        newest_first: bool,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<bool, ReadFault>,
    ) -> Result<(), ReadFault> {
        let spans = self.damage.spans();
        let readable = DamagedPages::readable(&spans, from, to, newest_first);
        let Some(bounds) = readable.bounds else {
            return readable.end();
        };
        // A walk starting after the last readable entry has nothing to read.
        let ahead = if newest_first {
            (Bound::Unbounded, bounds.1)
        } else {
            (bounds.0, Bound::Unbounded)
        };
        let last = match readable.edge {
            Some(edge) => match self.last_readable(edge, newest_first)? {
                Some(last) if RangeBounds::<[u8]>::contains(&ahead, &*last) => Some(last),
                _ => return readable.end(),
            },
            None => None,
        };
        let range = self.table.range::<&[u8]>(bounds);
        let mut range = range.map_err(|error| fault(error.into()))?;
        loop {
            let next = if newest_first {
                range.next_back()
            } else {
                range.next()
            };
            let Some(found) = next else {
                return readable.end();
            };
            let (key, value) = found.map_err(|error| fault(error.into()))?;
            if !each(key.value(), value.value())? {
                return Ok(());
            }
            if last.as_deref() == Some(key.value()) {
                return readable.end();
            }
        }
    }
}

impl RedbSnapshot {
    /// The last entry before a damaged page.
    /// A walk has to end at an entry: redb finds the end of a range by reading on, into the damaged
    /// page.
    fn last_readable(&self, edge: &[u8], newest_first: bool) -> Result<Option<Vec<u8>>, ReadFault> {
        let bounds = if newest_first {
            (Bound::Included(edge), Bound::Unbounded)
        } else {
            (Bound::Unbounded, Bound::Included(edge))
        };
        // Between two damaged pages there may be none.
        if self.damage.at(edge).is_some() {
            return Ok(None);
        }
        let range = self.table.range::<&[u8]>(bounds);
        let mut range = range.map_err(|error| fault(error.into()))?;
        let found = if newest_first {
            range.next()
        } else {
            range.next_back()
        };
        let found = found.transpose().map_err(|error| fault(error.into()))?;
        Ok(found.map(|(key, _)| key.value().to_vec()))
    }
}

fn fault(error: redb::Error) -> ReadFault {
    match error {
        redb::Error::Corrupted(_) => ReadFault::Damaged(StorageError::new(error)),
        error => ReadFault::Engine(StorageError::new(error)),
    }
}
