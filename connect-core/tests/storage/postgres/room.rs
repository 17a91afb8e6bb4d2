//! A database whose disk is full: that is known while writes fail, and no longer.

use std::time::Duration;

use connect_core::storage::{
    Commit, CommitError, Guard, Storage, StorageError, Write,
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};

/// Has each write fail, while a table has a row, with what PostgreSQL says when it cannot make a file longer.
const DISK: &str = "CREATE TABLE filled (by text); \
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
    IF EXISTS (SELECT FROM filled) THEN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END IF; \
    RETURN NEW; END $$; \
    CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON connect_rows FOR EACH ROW EXECUTE FUNCTION no_room()";

const FILL: &str = "INSERT INTO filled VALUES ('others')";

const MAKE_ROOM: &str = "DELETE FROM filled";

/// How something is written.
#[derive(Clone, Copy, Debug)]
enum Way {
    Commit,
    /// A lock on a guard without a row, which makes one.
    Lock,
    /// A commit under a lock that was taken while there was room.
    LockedCommit,
}

fn commit(value: &[u8]) -> Commit {
    Commit {
        guard: Some(Guard {
            key: (*b"guard").into(),
            was: None,
            becomes: value.into(),
        }),
        writes: vec![((*b"row").into(), Write::Put(value.into()))],
        ..Commit::default()
    }
}

fn refusal(ended: Result<(), CommitError>) -> StorageError {
    match ended {
        Err(CommitError::NotApplied(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_known_until_there_is_room() {
    for way in [Way::Commit, Way::Lock, Way::LockedCommit] {
        let Some(database) = TestDatabase::new() else {
            return;
        };
        let options = PostgresOptions::default();
        let storage = PostgresStorage::open(&database.address(), options).await;
        let storage = storage.unwrap();
        database.execute(DISK);
        let lock = match way {
            Way::LockedCommit => Some(storage.lock(b"guard").await.unwrap()),
            _ => None,
        };
        assert!(!storage.is_full());
        database.execute(FILL);
        let refused = match (way, lock) {
            (Way::Commit, _) => refusal(storage.commit(commit(b"1")).await),
            (_, Some(lock)) => refusal(lock.commit(commit(b"1")).await),
            (_, None) => storage.lock(b"guard").await.err().unwrap(),
        };
        assert!(refused.is_full(), "{way:?}: {refused}");
        assert!(storage.is_full(), "{way:?}");
        // Nobody writes, and it stays known.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert!(storage.is_full(), "{way:?}");
        database.execute(MAKE_ROOM);
        while storage.is_full() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        storage.commit(commit(b"2")).await.unwrap();
        // The tries have left nothing.
        let count = "DO $$ BEGIN ASSERT (SELECT count(*) FROM connect_rows) = 2; END $$";
        database.execute(count);
    }
}
