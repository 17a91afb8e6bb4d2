//! A database whose disk is full: that is known while writes fail, and no longer.

use std::time::Duration;

use connect_core::storage::{Commit, Storage as _};
use futures_util::future::join_all;
use tokio::time::sleep;

use super::{database, guarded, open, put, refusal};

/// Has each write fail, while a table has a row, with what PostgreSQL says when it cannot make a file longer.
const DISK: &str = "CREATE TABLE filled (by text); \
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
    IF EXISTS (SELECT FROM filled) THEN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END IF; \
    RETURN NEW; END $$; \
    CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON connect_rows FOR EACH ROW EXECUTE FUNCTION no_room()";

/// How something is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Commit,
    /// A lock on a guard without a row, which makes one.
    Lock,
    /// A commit under a lock that was taken while there was room.
    LockedCommit,
}

fn commit(value: &[u8]) -> Commit {
    guarded(*b"guard", None, value, put(*b"row", value))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_known_until_there_is_room() {
    join_all([Way::Commit, Way::Lock, Way::LockedCommit].map(is_known_until_there_is_room)).await;
}

async fn is_known_until_there_is_room(way: Way) {
    let database = database!();
    let storage = open(&database.address(), |_| ()).await;
    database.execute(DISK);
    let lock = match way {
        Way::LockedCommit => Some(storage.lock(b"guard").await.unwrap()),
        _ => None,
    };
    assert!(!storage.is_full());
    database.execute("INSERT INTO filled VALUES ('others')");
    let refused = match (way, lock) {
        (Way::Commit, _) => refusal(storage.commit(commit(b"1")).await),
        (_, Some(lock)) => refusal(lock.commit(commit(b"1")).await),
        (_, None) => storage.lock(b"guard").await.err().unwrap(),
    };
    assert!(refused.is_full() && storage.is_full(), "{way:?}: {refused}");
    // Nobody writes, and it stays known.
    sleep(Duration::from_millis(1200)).await;
    assert!(storage.is_full(), "{way:?}");
    database.execute("DELETE FROM filled");
    while storage.is_full() {
        sleep(Duration::from_millis(20)).await;
    }
    storage.commit(commit(b"2")).await.unwrap();
    // The tries have left nothing.
    let count = "DO $$ BEGIN ASSERT (SELECT count(*) FROM connect_rows) = 2; END $$";
    database.execute(count);
}
