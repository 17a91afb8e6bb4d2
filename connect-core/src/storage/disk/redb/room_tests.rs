//! The room that is counted for a batch beside the room that redb takes.

#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::MetadataExt as _};

use super::Redb;
use crate::storage::{
    Commit, Key, Write,
    disk::{engine::Engine as _, space::SpaceOptions, store::DiskStore},
    in_process::Local as _,
};

const LEN: usize = 300;

/// A commit of scattered rows takes no more than counted: redb copies a page for each of them.
#[tokio::test]
async fn redb_takes_the_room_that_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let space = SpaceOptions::default();
    let store = DiskStore::<Redb>::open(folder.path(), 1 << 24, 1 << 24, space, &[]).unwrap();
    let rows = |step: usize, byte: u8| {
        let put = |row: u32| {
            (
                Key::from(row.to_be_bytes()),
                Write::Put(vec![byte; LEN].into()),
            )
        };
        Commit {
            writes: (0..20_000).step_by(step).map(put).collect(),
            ..Commit::default()
        }
    };
    store.apply(rows(1, 1)).await.unwrap();
    let taken = || {
        fs::metadata(folder.path().join("store.redb"))
            .unwrap()
            .blocks()
            * 512
    };
    let before = taken();
    let scattered = rows(25, 2);
    let counted = scattered.writes.len() * (4 + LEN + Redb::ROOM_PER_WRITE);
    store.apply(scattered).await.unwrap();
    let grown = taken() - before;
    assert!(grown <= counted as u64, "{grown} bytes, {counted} counted");
}
