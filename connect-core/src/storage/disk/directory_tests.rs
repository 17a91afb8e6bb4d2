//! The folder of a closed store; the integration tests have its refusals.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::{
    Kind, SpaceOptions, directory::Directory, progress::Recorded, redb::Redb, store::DiskStore,
};
use crate::storage::{Commit, Write, in_process::Local as _};

/// The file of redb often gets shorter when closed.
/// Counting the rows then would slow each start of a large store.
#[tokio::test]
async fn a_redb_store_that_was_closed_is_opened_without_counting() {
    let mut shorter = 0;
    for rows in [1, 5, 20, 100, 500_u32] {
        let folder = tempfile::tempdir().unwrap();
        let space = SpaceOptions::default();
        let store = DiskStore::<Redb>::open(folder.path(), 1 << 20, 0, space, &[]).unwrap();
        for row in 0..rows {
            let write = Write::Put(vec![7; 1000].into());
            let commit = Commit {
                writes: vec![(row.to_be_bytes().into(), write)],
                ..Commit::default()
            };
            store.apply(commit).await.unwrap();
        }
        store.close();
        let recorded = Recorded::read(folder.path()).unwrap().unwrap();
        let data = folder.path().join("store.redb");
        if fs::metadata(&data).unwrap().len() >= recorded.length {
            continue;
        }
        shorter += 1;
        let directory = Directory::take(folder.path(), Kind::Redb).unwrap();
        assert_eq!(directory.suspicion, None, "{rows} rows");
        drop(directory);
        // Opening has removed the list, so only the length is left to check.
        let directory = Directory::take(folder.path(), Kind::Redb).unwrap();
        assert!(directory.suspicion.is_some(), "{rows} rows");
    }
    assert!(shorter > 0, "no file was shorter");
}
