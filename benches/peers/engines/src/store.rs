//! Both engines behind one interface, set up as alike as they can be.

use std::path::Path;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable as _};
use redb::{ReadableDatabase as _, TableDefinition};

/// A key with its value.
pub type Row = ([u8; 16], Vec<u8>);

/// The bytes of an engine's cache.
const CACHE: usize = 32 << 20;

/// A key-value engine.
pub trait Store: Send + Sync {
    /// Puts rows in one durable commit.
    fn commit(&self, rows: &[Row]);

    /// Returns whether a new snapshot has this key.
    fn has(&self, key: [u8; 16]) -> bool;
}

/// Opens the engine of a name, `fjall` or `redb`.
pub fn open(engine: &str, folder: &Path) -> Box<dyn Store> {
    match engine {
        "fjall" => Box::new(Fjall::open(folder).unwrap()),
        _ => {
            let mut builder = redb::Database::builder();
            builder.set_cache_size(CACHE);
            Box::new(Redb(builder.create(folder.join("rows.redb")).unwrap()))
        }
    }
}

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

struct Redb(redb::Database);

impl Store for Redb {
    fn commit(&self, rows: &[Row]) {
        let transaction = self.0.begin_write().unwrap();
        let mut table = transaction.open_table(TABLE).unwrap();
        for (key, value) in rows {
            table.insert(&key[..], &value[..]).unwrap();
        }
        drop(table);
        transaction.commit().unwrap();
    }

    fn has(&self, key: [u8; 16]) -> bool {
        let table = self.0.begin_read().unwrap().open_table(TABLE).unwrap();
        table.get(&key[..]).unwrap().is_some()
    }
}

/// fjall with two workers and a memtable of 16 MiB.
pub struct Fjall {
    pub database: Database,
    pub rows: Keyspace,
}

impl Fjall {
    pub fn open(folder: &Path) -> fjall::Result<Self> {
        let database = Database::builder(folder)
            .cache_size(CACHE as u64)
            .worker_threads(2)
            .open()?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(16 << 20);
        let rows = database.keyspace("rows", options)?;
        Ok(Self { database, rows })
    }
}

impl Store for Fjall {
    fn commit(&self, rows: &[Row]) {
        let mut batch = self
            .database
            .batch()
            .durability(Some(PersistMode::SyncData));
        for (key, value) in rows {
            batch.insert(&self.rows, key, &value[..]);
        }
        batch.commit().unwrap();
    }

    fn has(&self, key: [u8; 16]) -> bool {
        self.database
            .snapshot()
            .get(&self.rows, key)
            .unwrap()
            .is_some()
    }
}
