//! The version of the rows in the database, of which several servers may have different ones.

use std::time::Duration;

use connect_core::storage::{
    Commit, CommitError, Guard, Read, RowsVersion, Storage, Value, Write,
    postgres::{OpenError, PostgresOptions, PostgresStorage, testing::TestDatabase},
};

const THIS: u32 = RowsVersion::THIS.written_by;

async fn open(database: &TestDatabase) -> Result<PostgresStorage, OpenError> {
    PostgresStorage::open(&database.address(), PostgresOptions::default()).await
}

fn write(value: &[u8]) -> Commit {
    Commit {
        writes: vec![(b"key"[..].into(), Write::Put(value.into()))],
        ..Commit::default()
    }
}

fn guarded(value: &[u8]) -> Commit {
    Commit {
        guard: Some(Guard {
            key: b"guard"[..].into(),
            was: None,
            becomes: value.into(),
        }),
        ..write(value)
    }
}

async fn read(store: &PostgresStorage) -> Option<Value> {
    let mut state = store.read(&[Read::Get(b"key")]).await.unwrap();
    state.value().unwrap()
}

/// What a program of this version that knew of no numbers has left.
fn make_unnumbered(database: &TestDatabase) {
    let oldest = RowsVersion::THIS.oldest_reader;
    database.execute(&format!(
        "DELETE FROM connect_schema; ALTER TABLE connect_schema DROP COLUMN written_by; \
         INSERT INTO connect_schema VALUES (1); \
         ALTER FUNCTION connect_commit_{oldest} RENAME TO connect_commit_1"
    ));
}

/// What a newer program does when it first writes beside which this one must not.
fn take_over(database: &TestDatabase) {
    let oldest = RowsVersion::THIS.oldest_reader;
    let next = THIS + 1;
    database.execute(&format!(
        "INSERT INTO connect_schema VALUES ({next}, {next}); \
         ALTER FUNCTION connect_commit_{oldest} RENAME TO connect_commit_{next}"
    ));
}

#[tokio::test]
async fn a_database_without_numbers_gets_them_with_the_first_commit() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let store = open(&database).await.unwrap();
    store.commit(write(b"old")).await.unwrap();
    drop(store);
    make_unnumbered(&database);
    let store = open(&database).await.unwrap();
    assert_eq!(read(&store).await.as_deref(), Some(&b"old"[..]));
    // Who only reads takes nothing away from the servers that are at work.
    database.execute("SELECT 1 / (count(*) = 1)::int FROM connect_schema WHERE version = 1");
    let both = [open(&database).await.unwrap(), store];
    let [one, other] = both.each_ref().map(|store| store.commit(write(b"new")));
    let (one, other) = tokio::join!(one, other);
    one.unwrap();
    other.unwrap();
    database.execute(&format!(
        "SELECT 1 / (count(*) = 1)::int FROM connect_schema \
         WHERE version = {} AND written_by = {THIS}; \
         SELECT 1 / (count(*) = 0)::int FROM pg_proc WHERE proname = 'connect_commit_1'",
        RowsVersion::THIS.oldest_reader
    ));
    assert_eq!(read(&both[0]).await.as_deref(), Some(&b"new"[..]));
}

/// Fails changes of the version with a code until their number is reached. A used number stays used.
fn refuse(database: &TestDatabase, code: &str, tries: u32) {
    database.execute(&format!(
        "CREATE SEQUENCE tries; \
         CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval('tries') < {tries} THEN RAISE 'refused' USING ERRCODE = '{code}'; END IF; \
         RETURN NULL; END $$; \
         CREATE TRIGGER refused BEFORE INSERT ON connect_schema FOR EACH STATEMENT EXECUTE FUNCTION refused()"
    ));
}

/// Each commit in line once tried for four seconds, for any answer of the database.
#[tokio::test]
async fn a_version_that_cannot_be_raised_is_said_at_once() {
    for (code, tries, is_full, under_lock) in [
        ("42501", 2, false, false),
        ("25006", 2, false, false),
        ("53100", 2, true, false),
        ("53100", 2, true, true),
        // Others do the same: tried again at once.
        ("40001", 3, false, false),
        ("23505", 3, false, false),
        ("XX000", 3, false, true),
    ] {
        let Some(database) = TestDatabase::new() else {
            return;
        };
        drop(open(&database).await.unwrap());
        make_unnumbered(&database);
        let store = open(&database).await.unwrap();
        let lock = match under_lock {
            true => Some(store.lock(b"guard").await.unwrap()),
            false => None,
        };
        refuse(&database, code, tries);
        let first = match lock {
            Some(lock) => lock.commit(guarded(b"first")).await,
            None => store.commit(write(b"first")).await,
        };
        assert_eq!(store.is_full(), is_full, "{code}");
        if tries == 3 {
            first.unwrap();
            continue;
        }
        for ended in [first, store.commit(write(b"second")).await] {
            match ended {
                Err(CommitError::NotApplied(error)) => {
                    assert!(error.to_string().contains(code), "{error}");
                    assert_eq!(error.is_full(), is_full, "{code}");
                }
                other => panic!("{code}: {other:?}"),
            }
        }
        database.execute("SELECT 1 / (last_value = 1)::int FROM tries");
        while store.commit(write(b"third")).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test]
async fn only_what_needs_a_newer_program_is_refused() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    drop(open(&database).await.unwrap());
    let next = THIS + 1;
    database.execute(&format!("UPDATE connect_schema SET written_by = {next}"));
    let store = open(&database).await.unwrap();
    store.commit(write(b"beside")).await.unwrap();
    database.execute(&format!(
        "SELECT 1 / (count(*) = 1)::int FROM connect_schema WHERE written_by = {next}"
    ));
    take_over(&database);
    let refused = open(&database).await.err().unwrap();
    let OpenError::NewerRows(newer) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(newer.found.oldest_reader, next);
    assert!(newer.to_string().contains("use that program"), "{newer}");
}

/// A rolling replacement: the first newer server that writes ends the writes of those before it, on all their
/// connections.
#[tokio::test]
async fn a_server_that_runs_stops_when_a_newer_one_has_written() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let options = PostgresOptions {
        wait: Duration::from_secs(2),
        ..PostgresOptions::default()
    };
    let store = PostgresStorage::open(&database.address(), options)
        .await
        .unwrap();
    store.commit(write(b"old")).await.unwrap();
    assert_eq!(read(&store).await.as_deref(), Some(&b"old"[..]));
    take_over(&database);
    // Of the connections that are there, none may commit.
    let refused = store.commit(write(b"lost")).await.unwrap_err();
    let CommitError::NotApplied(reason) = &refused else {
        panic!("{refused:?}");
    };
    assert!(reason.to_string().contains("newer program"), "{reason}");
    // From then on nothing is read either: rows may be there that it does not know.
    assert!(store.check_version().is_err());
    let refused = store.read(&[Read::Get(b"key")]).await.err().unwrap();
    assert!(refused.to_string().contains("newer program"), "{refused}");
    assert!(store.lock(b"guard").await.is_err());
}

/// One that commits nothing finds out with its next connection.
#[tokio::test]
async fn a_new_connection_finds_out() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    for prepares in [true, false] {
        let options = PostgresOptions {
            prepares,
            ..PostgresOptions::default()
        };
        let store = PostgresStorage::open(&database.address(), options).await;
        let store = store.unwrap();
        assert!(store.check_version().is_ok());
        database.execute(&format!(
            "INSERT INTO connect_schema VALUES ({}, 9)",
            THIS + 1
        ));
        // The connections of readers are made now.
        let refused = store.read(&[Read::Get(b"key")]).await.err().unwrap();
        assert!(refused.to_string().contains("newer program"), "{refused}");
        assert!(store.check_version().is_err());
        database.execute(&format!(
            "DELETE FROM connect_schema WHERE version = {}",
            THIS + 1
        ));
    }
}
