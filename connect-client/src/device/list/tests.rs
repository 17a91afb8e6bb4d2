//! Lists on a failing disk, and reopened lists.

use std::{
    cell::Cell,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use serde::{Deserialize, Deserializer};
use tempfile::TempDir;

use super::*;
use crate::device::faulty::{Faults, Faulty};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Row(Uuid);

impl Keyed for Row {
    fn key(&self) -> Uuid {
        LOOKS.set(LOOKS.get() + 1);
        self.0
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LOOKS.set(LOOKS.get() + 1);
        Uuid::deserialize(deserializer).map(Self)
    }
}

thread_local! {
    /// The number of reads and comparisons of rows.
    static LOOKS: Cell<usize> = const { Cell::new(0) };
}

fn row(number: u128) -> Row {
    Row(Uuid::from_u128(number))
}

/// A list of two rows on a disk with failures on demand.
fn list(folder: &TempDir) -> (DiskList<Row>, Arc<Faults>) {
    let path = folder.path().join("rows");
    let (disk, faults) = Faulty::open(&path);
    let mut list = DiskList::new(path, disk);
    list.push(row(1)).unwrap();
    list.push(row(2)).unwrap();
    (list, faults)
}

fn rows(list: &DiskList<Row>) -> Vec<Row> {
    list.rows().iter().map(|kept| kept.row.clone()).collect()
}

fn reopened(folder: &TempDir) -> Vec<Row> {
    rows(&DiskList::open(folder.path().join("rows")).unwrap())
}

#[test]
fn a_full_disk_takes_no_row_and_keeps_none() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    faults.full.store(true, Relaxed);
    assert!(matches!(list.push(row(3)), Err(QueueError::Disk { .. })));
    assert_eq!(rows(&list), [row(1), row(2)]);
    assert_eq!(reopened(&folder), [row(1), row(2)]);
    // Marking and removing need no room.
    list.mark(row(1).0, Some(Timestamp::EPOCH)).unwrap();
    assert!(list.remove(row(1).0).unwrap());
    assert_eq!(reopened(&folder), [row(2)]);
}

#[test]
fn there_may_be_room_again() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    faults.full.store(true, Relaxed);
    list.push(row(3)).unwrap_err();
    faults.full.store(false, Relaxed);
    list.push(row(4)).unwrap();
    assert!(list.remove(row(1).0).unwrap());
    assert_eq!(reopened(&folder), [row(2), row(4)]);
}

#[test]
fn a_row_that_is_done_with_is_gone_though_the_disk_keeps_it() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    list.mark(row(1).0, Some(Timestamp::EPOCH)).unwrap();
    faults.left.store(0, Relaxed);
    list.remove(row(1).0).unwrap_err();
    assert_eq!(rows(&list), [row(2)]);
    list.mark(row(2).0, Some(Timestamp::EPOCH)).unwrap_err();
    assert_eq!(list.rows()[0].sent_at, None);
    list.remove(row(2).0).unwrap_err();
    assert!(list.rows().is_empty());
    // At the next start both are there, and the first is known to have been sent.
    let again = DiskList::<Row>::open(folder.path().join("rows")).unwrap();
    let sent: Vec<_> = again.rows().iter().map(|kept| kept.sent_at).collect();
    assert_eq!(sent, [Some(Timestamp::EPOCH), None]);
    // A disk that works again takes no row in their place.
    faults.left.store(usize::MAX, Relaxed);
    list.push(row(3)).unwrap();
    assert_eq!(reopened(&folder), [row(1), row(2), row(3)]);
}

/// The new, shorter file cannot be made; the old one serves.
#[test]
fn a_list_is_opened_when_its_file_cannot_be_written_anew() {
    let folder = TempDir::new().unwrap();
    let (mut list, _) = list(&folder);
    list.remove(row(1).0).unwrap();
    let path = folder.path().join("rows");
    let length = fs::metadata(&path).unwrap().len();
    fs::create_dir(folder.path().join("rows.new")).unwrap();
    let mut list = DiskList::<Row>::open(path.clone()).unwrap();
    assert_eq!(rows(&list), [row(2)]);
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    list.push(row(3)).unwrap();
    assert_eq!(reopened(&folder), [row(2), row(3)]);
    fs::remove_dir(folder.path().join("rows.new")).unwrap();
    assert_eq!(reopened(&folder), [row(2), row(3)]);
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
}

#[test]
fn a_mark_is_there_at_each_start_and_where_the_file_was_written_anew() {
    let folder = TempDir::new().unwrap();
    let (mut list, _) = list(&folder);
    let time = Timestamp::EPOCH.plus_seconds(1_800_000_000);
    list.mark(row(2).0, Some(time)).unwrap();
    list.remove(row(1).0).unwrap();
    for sent_at in [Some(time), Some(time), None] {
        let path = folder.path().join("rows");
        let mut list = DiskList::<Row>::open(path).unwrap();
        list.mark(row(2).0, sent_at).unwrap();
        let kept = &list.rows()[0];
        assert_eq!((&kept.row, kept.sent_at), (&row(2), sent_at));
    }
    let list = DiskList::<Row>::open(folder.path().join("rows")).unwrap();
    assert_eq!(list.rows()[0].sent_at, None);
}

/// Rows are not compared with each other.
#[test]
fn opening_looks_at_each_row_at_most_twice() {
    let folder = TempDir::new().unwrap();
    let (mut list, _) = list(&folder);
    for number in 3..=100 {
        list.push(row(number)).unwrap();
    }
    LOOKS.set(0);
    assert_eq!(reopened(&folder).len(), 100);
    assert_eq!(LOOKS.take(), 100);
    for number in 1..=50 {
        list.remove(row(number).0).unwrap();
    }
    assert_eq!(LOOKS.take(), 50, "each was the first");
    assert_eq!(reopened(&folder).len(), 50);
    assert_eq!(LOOKS.take(), 2 * 50, "once more in the new file");
}

/// The file is empty despite the reported failure.
/// The next row goes to its beginning.
#[test]
fn a_cut_that_cannot_be_made_sure_leaves_no_gap() {
    let folder = TempDir::new().unwrap();
    let (mut list, faults) = list(&folder);
    list.remove(row(1).0).unwrap();
    faults.unsure.store(true, Relaxed);
    list.remove(row(2).0).unwrap_err();
    list.push(row(3)).unwrap();
    assert_eq!(reopened(&folder), [row(3)]);
}
