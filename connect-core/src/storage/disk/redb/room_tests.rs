//! The counted room for a batch beside redb's use.

#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::MetadataExt as _};

use super::Redb;
use crate::storage::{
    Commit, Key, Write,
    disk::{engine::Engine as _, space::SpaceOptions, store::DiskStore},
    in_process::Local as _,
};

/// Scattered rows take no more room than counted.
#[tokio::test]
async fn redb_takes_the_room_that_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let space = SpaceOptions::default();
    let store = DiskStore::<Redb>::open(folder.path(), 1 << 24, 1 << 24, space, &[]).unwrap();
    let file = || fs::metadata(folder.path().join("store.redb")).unwrap();
    // Many new rows in an empty store, few changed ones, and long values.
    for (step, len) in [(1, 300), (25, 300), (2000, 70_000)] {
        let put = |row: u32| {
            (
                Key::from(row.to_be_bytes()),
                Write::Put(vec![7; len].into()),
            )
        };
        let writes: Vec<_> = (0..20_000).step_by(step).map(put).collect();
        let (count, before) = (writes.len() as u64, file());
        let counted = Redb::room_for(count, count * (4 + len as u64), before.len());
        let commit = Commit {
            writes,
            ..Commit::default()
        };
        store.apply(commit).await.unwrap();
        let grown = (file().blocks() - before.blocks()) * 512;
        assert!(grown <= counted, "{len}: {grown} bytes, {counted} counted");
    }
}
