//! The floor for writes: sled alone, with the rows and indexes of a product ready made, and the
//! same care for durability (flush, then `sync_data` on the file).

use std::{fs::File, path::Path, thread};

use sled::Batch;
use tokio::sync::oneshot;

/// A sled store and a handle on its file.
pub struct RawSled {
    db: sled::Db,
    file: File,
}

impl RawSled {
    pub fn open(path: &Path) -> Self {
        let db = sled::Config::new()
            .path(path)
            .cache_capacity(256 * 1024 * 1024)
            .open()
            .unwrap();
        let file = File::open(path.join("db")).unwrap();
        Self { db, file }
    }

    /// One durable commit.
    pub fn commit(&self, batch: Batch) {
        self.db.apply_batch(batch).unwrap();
        self.flush();
    }

    fn flush(&self) {
        self.db.flush().unwrap();
        self.file.sync_data().unwrap();
    }
}

/// Commits of many writers that share flushes.
#[derive(Clone)]
pub struct Shared {
    queue: std::sync::mpsc::Sender<(Batch, oneshot::Sender<()>)>,
}

impl Shared {
    pub fn start(raw: RawSled) -> Self {
        let (queue, waiting) = std::sync::mpsc::channel::<(Batch, oneshot::Sender<()>)>();
        thread::spawn(move || {
            while let Ok(first) = waiting.recv() {
                let mut done = Vec::new();
                for (batch, reply) in std::iter::once(first).chain(waiting.try_iter().take(63)) {
                    raw.db.apply_batch(batch).unwrap();
                    done.push(reply);
                }
                raw.flush();
                for reply in done {
                    let _ = reply.send(());
                }
            }
        });
        Self { queue }
    }

    pub async fn commit(&self, batch: Batch) {
        let (reply, done) = oneshot::channel();
        self.queue.send((batch, reply)).unwrap();
        done.await.unwrap();
    }
}

/// The rows and indexes that creating these products writes: the row, the way to it by id, by
/// external id, by barcode and by category; one event and the clock.
pub fn batch(numbers: std::ops::Range<usize>) -> Batch {
    let mut batch = Batch::default();
    let location = [7_u8; 16];
    let time = (numbers.start as u64).to_be_bytes();
    let key = |family: u8, parts: &[&[u8]]| {
        let mut key = location.to_vec();
        key.push(family);
        parts.iter().for_each(|part| key.extend_from_slice(part));
        key
    };
    for number in numbers.clone() {
        let id = uuid::Uuid::now_v7();
        let id = id.as_bytes();
        let row = vec![b'x'; 475];
        let (external_id, barcode) = (format!("ART-{number:08}"), format!("29{number:011}"));
        batch.insert(key(1, &[&time, id]), row);
        batch.insert(key(2, &[id]), &time);
        batch.insert(key(3, &[external_id.as_bytes()]), id);
        batch.insert(key(4, &[barcode.as_bytes(), &time, id]), &[]);
        batch.insert(key(5, &[&[(number % 50) as u8; 16], &time, id]), &[]);
    }
    batch.insert(key(6, &[&time]), vec![b'x'; 39 * numbers.len() + 200]);
    batch.insert(key(7, &[]), &time);
    batch
}
