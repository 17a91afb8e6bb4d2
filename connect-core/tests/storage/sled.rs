//! The sled backend: every promise, and what opening guards against.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::storage::{
    Commit, Range, Storage, StorageError,
    conformance::{Failures, Fault, Place, model, run_all},
    sled::{OpenError, SledOptions, SledStorage},
};
use proptest::prelude::*;
use tempfile::TempDir;

struct InDirectory(TempDir, SledOptions);

impl InDirectory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap(), SledOptions::default())
    }

    /// A cache that is too small for anything, so that pages come and go.
    fn with_little_cache() -> Self {
        Self(tempfile::tempdir().unwrap(), SledOptions { cache_bytes: 0 })
    }
}

#[async_trait]
impl Place for InDirectory {
    async fn open(&self) -> Result<Arc<dyn Storage>, StorageError> {
        let Self(directory, options) = self;
        let store = SledStorage::open(directory.path(), options.clone());
        Ok(Arc::new(store.map_err(StorageError::new)?))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() -> Result<(), Failures> {
    run_all(InDirectory::new).await
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_with_little_cache() -> Result<(), Failures> {
    run_all(InDirectory::with_little_cache).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..Default::default() })]

    #[test]
    fn behaves_as_an_ordered_map(seed: u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let result = runtime.block_on(model::compare(&InDirectory::new(), seed, 200));
        prop_assert!(result.is_ok(), "{:?}", result);
    }
}

fn open(path: &Path) -> Result<SledStorage, OpenError> {
    SledStorage::open(path, SledOptions::default())
}

async fn put(store: &SledStorage, key: &[u8], value: &[u8]) -> Result<(), Fault> {
    let writes = vec![(key.into(), Some(value.into()))];
    Ok(store
        .commit(Commit {
            expects: Vec::new(),
            writes,
        })
        .await?)
}

/// A crash while sled writes a snapshot leaves such a file; sled alone then refuses to open.
#[tokio::test]
async fn opens_after_a_crash_in_a_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    put(&store, b"k", b"v").await.unwrap();
    drop(store);
    let left = directory.path().join("snap.00000000FFFFFFFF.generating");
    for half in [&b""[..], b"half a snapshot that ends in the mid"] {
        fs::write(&left, half).unwrap();
        let store = open(directory.path()).unwrap();
        assert_eq!(
            store.get(&[b"k"]).await.unwrap()[0].as_deref(),
            Some(&b"v"[..])
        );
        assert!(!left.exists());
    }
}

#[tokio::test]
async fn a_second_opener_is_told_who_is_in_the_way() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    let error = open(directory.path()).err().unwrap();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains(&directory.path().display().to_string()),
        "{text}"
    );
    assert!(
        text.contains("is in use by another process; stop it or choose another"),
        "{text}"
    );
    put(&store, b"k", b"still works").await.unwrap();
    drop(store);
    open(directory.path()).unwrap();
}

#[tokio::test]
async fn opens_again_at_once_and_creates_directories() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("not/there/yet");
    for round in 0..20_u8 {
        let store = open(&path).unwrap();
        put(&store, &[round], b"v").await.unwrap();
        assert_eq!(
            store.get(&[&[0]]).await.unwrap()[0].as_deref(),
            Some(&b"v"[..])
        );
    }
}

#[test]
fn refuses_directories_of_other_things() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("letters.txt"), "dear").unwrap();
    let error = open(directory.path()).err().unwrap();
    assert!(matches!(error, OpenError::OtherContent { .. }), "{error:?}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);

    let directory = tempfile::tempdir().unwrap();
    let other = ::sled::open(directory.path()).unwrap();
    other.insert("theirs", "data").unwrap();
    let error = open(directory.path()).err().unwrap();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    drop(other);
    let error = open(directory.path()).err().unwrap();
    assert!(matches!(error, OpenError::OtherFormat { .. }), "{error:?}");

    let directory = tempfile::tempdir().unwrap();
    let later = ::sled::open(directory.path()).unwrap();
    later.insert("format", "connect-storage 2").unwrap();
    drop(later);
    let error = open(directory.path()).err().unwrap();
    assert!(
        error.to_string().contains("\"connect-storage 2\""),
        "{error}"
    );
}

#[test]
fn refuses_a_path_that_is_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = open(file.path()).err().unwrap();
    assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
}

/// sled never syncs what it puts into files of its own, so nothing may get there.
#[tokio::test]
async fn long_values_stay_in_the_synced_file() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    for len in [4_096, 4_097, 100_000, 1 << 20] {
        for row in 0..40_u8 {
            put(
                &store,
                &[&[row][..], &[b'k'; 200]].concat(),
                &vec![row; len],
            )
            .await
            .unwrap();
        }
    }
    for row in 0..40_u8 {
        put(&store, &[row], &vec![row; 4_096]).await.unwrap();
    }
    assert_eq!(
        fs::read_dir(directory.path().join("blobs"))
            .unwrap()
            .count(),
        0
    );
}

/// A commit that is applied but not yet synced is neither seen nor waited for; and when syncing
/// fails, it is unknown what is on the disk, so what was known before stays.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn readers_keep_the_last_durable_state() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(open(directory.path()).unwrap());
    put(&store, b"k", b"durable").await.unwrap();
    let only_the_durable = async || {
        let found = store.get(&[b"k", b"l"]).await.unwrap();
        assert_eq!(found, [Some(b"durable"[..].into()), None]);
        let rows = store
            .scan(
                Range {
                    from: b"",
                    to: None,
                },
                9,
            )
            .await
            .unwrap();
        assert_eq!(rows, [(b"k"[..].into(), b"durable"[..].into())]);
    };
    // Syncing opens what it finds here, after sled has applied and flushed; to open a pipe for
    // reading takes until somebody opens it for writing, and it cannot be synced.
    let pipe = directory.path().join("blobs/1");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let writes = vec![
        (b"k"[..].into(), None),
        (b"l"[..].into(), Some(b"new"[..].into())),
    ];
    let commit = tokio::spawn({
        let store = store.clone();
        async move {
            store
                .commit(Commit {
                    expects: Vec::new(),
                    writes,
                })
                .await
        }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    only_the_durable().await;
    assert!(!commit.is_finished());
    drop(fs::File::options().write(true).open(&pipe).unwrap());
    assert!(commit.await.unwrap().is_err());
    only_the_durable().await;
    assert!(put(&store, b"k", b"new").await.is_err());
    only_the_durable().await;

    fs::remove_file(&pipe).unwrap();
    drop(store);
    let store = open(directory.path()).unwrap();
    put(&store, b"k", b"works again").await.unwrap();
}

#[tokio::test]
async fn nothing_is_left_of_long_values() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    for len in [100_000, 50_000, 10, 90_000] {
        put(&store, b"shrinks", &vec![1; len]).await.unwrap();
        put(&store, b"goes", &vec![1; len]).await.unwrap();
    }
    put(&store, b"shrinks", b"").await.unwrap();
    let writes = vec![(b"goes"[..].into(), None)];
    store
        .commit(Commit {
            expects: Vec::new(),
            writes,
        })
        .await
        .unwrap();
    drop(store);
    let raw = ::sled::open(directory.path()).unwrap();
    let keys: Vec<_> = raw.iter().keys().map(|key| key.unwrap().to_vec()).collect();
    assert_eq!(keys, [b"format".to_vec(), b"rshrinks".to_vec()]);
}

#[tokio::test]
async fn too_long_keys_and_values_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).unwrap();
    assert!(put(&store, &[0; 1025], b"").await.is_err());
    assert!(
        put(&store, b"k", &vec![0; 16 * 1024 * 1024 + 1])
            .await
            .is_err()
    );
    put(&store, b"k", b"still works").await.unwrap();
}
