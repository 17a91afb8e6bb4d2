//! Opening, closing, and whose a folder is.

use std::fs;

use connect_core::storage::disk::{Health, OpenError};

use super::{
    harness::{Engine, Redb, Sled, get, put, value},
    on_each_engine,
};

on_each_engine!(
    a_second_opener_is_told_who_is_in_the_way,
    opens_again_at_once_and_creates_folders,
    refuses_the_first_layout,
    refuses_folders_of_other_things,
    refuses_a_path_that_is_a_file,
);

async fn a_second_opener_is_told_who_is_in_the_way<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let store = E::open(folder.path()).unwrap();
    let error = E::open(folder.path()).err().unwrap();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&folder.path().display().to_string()),
        "{text}"
    );
    put(&store, b"k", b"still works").await.unwrap();
    assert_eq!(E::health(&store).health(), Health::Working);
    drop(store);
    E::open(folder.path()).unwrap();
}

async fn opens_again_at_once_and_creates_folders<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not/there/yet");
    for round in 0..10_u8 {
        let store = E::open(&path).unwrap();
        put(&store, &[round], b"v").await.unwrap();
        assert_eq!(get(&store, &[0]).await.unwrap(), value(b"v"));
    }
}

async fn refuses_the_first_layout<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    let earlier = ::sled::open(folder.path()).unwrap();
    earlier.insert("format", "connect-storage 1").unwrap();
    drop(earlier);
    fs::write(folder.path().join("connect.lock"), "").unwrap();
    let error = E::open(folder.path()).err().unwrap();
    assert!(matches!(error, OpenError::OtherFormat { .. }), "{error:?}");
}

async fn refuses_folders_of_other_things<E: Engine>() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letters.txt"), "dear").unwrap();
    let error = E::open(folder.path()).err().unwrap();
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

async fn refuses_a_path_that_is_a_file<E: Engine>() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = E::open(file.path()).err().unwrap();
    assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
}

#[test]
fn the_other_engine_is_named() {
    let folder = tempfile::tempdir().unwrap();
    drop(Sled::open(folder.path()).unwrap());
    let error = Redb::open(folder.path()).err().unwrap();
    assert!(error.to_string().contains("--storage sled:"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    drop(Redb::open(folder.path()).unwrap());
    let error = Sled::open(folder.path()).err().unwrap();
    assert!(error.to_string().contains("--storage redb:"), "{error}");
}

/// A crash while sled writes a snapshot leaves such a file; sled alone then refuses to open.
#[tokio::test]
async fn sled_opens_after_a_crash_in_a_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let store = Sled::open(folder.path()).unwrap();
    put(&store, b"k", b"v").await.unwrap();
    drop(store);
    let left = folder.path().join("sled/snap.00000000FFFFFFFF.generating");
    for half in [&b""[..], b"half a snapshot that ends in the mid"] {
        // A process that was killed leaves no list of its files.
        let _ = fs::remove_file(folder.path().join("connect.closed"));
        fs::write(&left, half).unwrap();
        let store = Sled::open(folder.path()).unwrap();
        assert_eq!(get(&store, b"k").await.unwrap(), value(b"v"));
        assert!(!left.exists());
    }
}
