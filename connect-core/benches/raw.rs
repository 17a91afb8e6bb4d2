//! The floor for durable writes: the engine alone, with ready-made rows and index entries of the
//! same number and size as ours, and the same care for durability.

use std::{fs::File, path::Path, sync::mpsc, thread};

use redb::{Database, Durability, TableDefinition};
use tokio::sync::oneshot;
use uuid::Uuid;

/// What to do with keys: a value to put, or `None` to remove.
pub type Writes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// An engine without anything above it.
pub enum Raw {
    Sled { db: sled::Db, file: File },
    Redb(Database),
}

const CACHE_BYTES: u64 = 128 * 1024 * 1024;
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("entries");

impl Raw {
    pub fn open(engine: &str, path: &Path) -> Self {
        match engine {
            "sled" => Self::Sled {
                db: sled::Config::new()
                    .path(path)
                    .cache_capacity(CACHE_BYTES)
                    .open()
                    .unwrap(),
                file: File::open(path.join("db")).unwrap(),
            },
            _ => Self::Redb(
                Database::builder()
                    .set_cache_size(CACHE_BYTES as usize)
                    .create(path.join("raw.redb"))
                    .unwrap(),
            ),
        }
    }

    /// One durable commit.
    pub fn commit(&self, writes: Writes) {
        self.commit_all(vec![writes]);
    }

    /// Durable commits that share a flush: with redb, a transaction.
    pub fn commit_all(&self, all: Vec<Writes>) {
        match self {
            Self::Sled { db, file } => {
                for writes in all {
                    let mut batch = sled::Batch::default();
                    for (key, value) in writes {
                        match value {
                            Some(value) => batch.insert(key, value),
                            None => batch.remove(key),
                        }
                    }
                    db.apply_batch(batch).unwrap();
                }
                db.flush().unwrap();
                file.sync_data().unwrap();
            }
            Self::Redb(database) => {
                let mut transaction = database.begin_write().unwrap();
                transaction.set_durability(Durability::Immediate).unwrap();
                let mut table = transaction.open_table(TABLE).unwrap();
                for (key, value) in all.into_iter().flatten() {
                    match value {
                        Some(value) => table.insert(&*key, &*value).unwrap(),
                        None => table.remove(&*key).unwrap(),
                    };
                }
                drop(table);
                transaction.commit().unwrap();
            }
        }
    }
}

/// Commits of many writers; those that wait together share a flush.
#[derive(Clone)]
pub struct Shared {
    queue: mpsc::Sender<(Writes, oneshot::Sender<()>)>,
}

impl Shared {
    pub fn start(raw: Raw) -> Self {
        let (queue, waiting) = mpsc::channel::<(Writes, oneshot::Sender<()>)>();
        thread::spawn(move || {
            while let Ok(first) = waiting.recv() {
                let group = std::iter::once(first).chain(waiting.try_iter().take(63));
                let (writes, replies): (Vec<_>, Vec<_>) = group.unzip();
                raw.commit_all(writes);
                for reply in replies {
                    let _ = reply.send(());
                }
            }
        });
        Self { queue }
    }

    pub async fn commit(&self, writes: Writes) {
        let (reply, done) = oneshot::channel();
        self.queue.send((writes, reply)).unwrap();
        done.await.unwrap();
    }
}

/// The rows and index entries of products, and when each last changed.
pub struct Rows {
    ids: Vec<Uuid>,
    changed: Vec<u64>,
    time: u64,
}

const LOCATION: [u8; 16] = [7; 16];

impl Rows {
    pub fn new() -> Self {
        Self {
            ids: Vec::new(),
            changed: Vec::new(),
            time: 1_800_000_000_000_000,
        }
    }

    /// Creates as many products: each its row under its id, its entries by change, by category, by
    /// external id and by barcode; one event and the clock.
    pub fn create(&mut self, count: usize) -> Writes {
        let mut writes = Writes::new();
        self.time += 1;
        for _ in 0..count {
            let (id, number) = (Uuid::now_v7(), self.ids.len());
            self.ids.push(id);
            self.changed.push(self.time);
            let external_id = format!("ART-{number:08}\0\0");
            let barcode = format!("29{number:011}\0\0");
            self.put_row(&mut writes, number);
            let id = id.as_bytes();
            writes.push((key(0x33, &[external_id.as_bytes()]), Some(id.to_vec())));
            writes.push((key(0x34, &[barcode.as_bytes(), id]), Some(Vec::new())));
        }
        self.end(&mut writes, count);
        writes
    }

    /// Updates these products: each its row, and its entries by change and by category moved.
    pub fn update(&mut self, numbers: impl Iterator<Item = usize>) -> Writes {
        let mut writes = Writes::new();
        self.time += 1;
        let mut count = 0;
        for number in numbers {
            let (by_change, by_category) = self.moving(number);
            writes.push((by_change, None));
            writes.push((by_category, None));
            self.changed[number] = self.time;
            self.put_row(&mut writes, number);
            count += 1;
        }
        self.end(&mut writes, count);
        writes
    }

    fn put_row(&self, writes: &mut Writes, number: usize) {
        let (by_change, by_category) = self.moving(number);
        let row = key(0x30, &[self.ids[number].as_bytes()]);
        writes.push((row, Some(vec![b'x'; 475])));
        writes.push((by_change, Some(Vec::new())));
        writes.push((by_category, Some(Vec::new())));
    }

    /// The keys that move with each change.
    fn moving(&self, number: usize) -> (Vec<u8>, Vec<u8>) {
        let (time, id) = (self.changed[number].to_be_bytes(), self.ids[number]);
        let category = [(number % 50) as u8; 16];
        let by_change = key(0x31, &[&time, id.as_bytes()]);
        let by_category = key(0x35, &[&category, &time, id.as_bytes()]);
        (by_change, by_category)
    }

    fn end(&self, writes: &mut Writes, count: usize) {
        let time = self.time.to_be_bytes();
        let event = vec![b'x'; 39 * count + 200];
        writes.push((key(0x50, &[&time]), Some(event)));
        writes.push((key(0x01, &[]), Some([&time[..], &[b'x'; 60]].concat())));
    }
}

/// The key of a row of the location.
pub fn key(family: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = LOCATION.to_vec();
    key.push(family);
    parts.iter().for_each(|part| key.extend_from_slice(part));
    key
}
