//! Lists on a disk that fails.

use std::{
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use tempfile::TempDir;

use super::*;
use crate::device::log::Disk;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row(Uuid);

impl Keyed for Row {
    fn key(&self) -> Uuid {
        self.0
    }
}

fn row(number: u128) -> Row {
    Row(Uuid::from_u128(number))
}

/// A file that fails when it is told to, after half of the bytes.
struct Faulty {
    file: File,
    faults: Arc<Faults>,
}

#[derive(Default)]
struct Faults {
    append: AtomicBool,
    cut: AtomicBool,
}

impl Disk for Faulty {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.faults.append.load(Relaxed) {
            self.file.append(&bytes[..bytes.len() / 2])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.append(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.faults.cut.load(Relaxed) {
            return Err(io::Error::other("gone"));
        }
        self.file.cut(length)
    }
}

/// A list of two rows on such a file.
fn list(folder: &TempDir) -> (DiskList<Row>, Arc<Faults>) {
    let path = folder.path().join("rows");
    let file = File::create(&path).unwrap();
    let faults = Arc::new(Faults::default());
    let disk = Faulty {
        file: std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap(),
        faults: faults.clone(),
    };
    drop(file);
    let mut list = DiskList {
        rows: VecDeque::new(),
        log: Log::over(path, disk, 0),
    };
    list.push(row(1)).unwrap();
    list.push(row(2)).unwrap();
    (list, faults)
}

fn reopened(folder: &TempDir) -> Vec<Row> {
    let list = DiskList::open(folder.path().join("rows")).unwrap();
    list.rows.into()
}

#[test]
fn a_row_that_could_not_be_written_is_nowhere_and_the_others_are_safe() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    faults.append.store(true, Relaxed);
    assert!(matches!(list.push(row(3)), Err(QueueError::Disk { .. })));
    assert!(matches!(
        list.remove(row(1).0),
        Err(QueueError::Disk { .. })
    ));
    assert_eq!(*list.rows(), [row(1), row(2)]);
    assert_eq!(reopened(&folder), [row(1), row(2)]);
    // There is room again.
    faults.append.store(false, Relaxed);
    list.push(row(4)).unwrap();
    assert!(list.remove(row(1).0).unwrap());
    assert_eq!(reopened(&folder), [row(2), row(4)]);
}

#[test]
fn nothing_is_written_behind_half_a_line() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    faults.append.store(true, Relaxed);
    faults.cut.store(true, Relaxed);
    list.push(row(3)).unwrap_err();
    faults.append.store(false, Relaxed);
    let error = list.push(row(4)).unwrap_err().to_string();
    assert!(error.contains("open the queue again"), "{error}");
    assert_eq!(*list.rows(), [row(1), row(2)]);
    assert_eq!(reopened(&folder), [row(1), row(2)]);
}

#[test]
fn the_last_row_stays_when_the_file_cannot_be_emptied() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    list.remove(row(1).0).unwrap();
    faults.cut.store(true, Relaxed);
    list.remove(row(2).0).unwrap_err();
    assert_eq!(*list.rows(), [row(2)]);
    assert_eq!(reopened(&folder), [row(2)]);
}
