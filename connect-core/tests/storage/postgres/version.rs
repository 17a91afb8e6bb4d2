//! The version of the rows in the database, of which several servers may have different ones.

use std::time::Duration;

use connect_core::storage::{
    Read, RowsVersion, Storage as _,
    postgres::{OpenError, PostgresOptions, PostgresStorage, testing::TestDatabase},
};
use futures_util::{StreamExt as _, future::join_all, stream};

use super::{database, get, guarded, on_one_server, open, put, refusal};

const THIS: u32 = RowsVersion::THIS.written_by;
const OLDEST: u32 = RowsVersion::THIS.oldest_reader;
const NEXT: u32 = THIS + 1;

on_one_server!(
    servers_of_several_versions_keep_apart:
    a_database_without_numbers_gets_them_with_the_first_commit,
    a_version_that_cannot_be_raised_is_said_at_once,
    only_what_needs_a_newer_program_is_refused,
    a_server_that_runs_stops_when_a_newer_one_has_written,
);

/// What a program of this version that knew of no numbers has left.
fn make_unnumbered(database: &TestDatabase) {
    database.execute(&format!(
        "DELETE FROM connect_schema; ALTER TABLE connect_schema DROP COLUMN written_by; \
         INSERT INTO connect_schema VALUES (1); \
         ALTER FUNCTION connect_commit_{OLDEST} RENAME TO connect_commit_1"
    ));
}

/// What a newer program does when it first writes beside which this one must not.
fn take_over(database: &TestDatabase) {
    database.execute(&format!(
        "INSERT INTO connect_schema VALUES ({NEXT}, {NEXT}); \
         ALTER FUNCTION connect_commit_{OLDEST} RENAME TO connect_commit_{NEXT}"
    ));
}

/// Checks the number of a table's rows under a condition.
fn count(database: &TestDatabase, rows: u32, from: &str) {
    database.execute(&format!("SELECT 1 / (count(*) = {rows})::int FROM {from}"));
}

async fn a_database_without_numbers_gets_them_with_the_first_commit() {
    let database = database!();
    let address = database.address();
    open(&address, |_| ())
        .await
        .commit(put(*b"key", b"old"))
        .await
        .unwrap();
    make_unnumbered(&database);
    let stores = [open(&address, |_| ()).await, open(&address, |_| ()).await];
    assert_eq!(get(&*stores[0], b"key").await.unwrap(), b"old");
    // Who only reads takes nothing away from the servers that are at work.
    count(&database, 1, "connect_schema WHERE version = 1");
    let commits = stores
        .each_ref()
        .map(|store| store.commit(put(*b"key", b"new")));
    assert!(join_all(commits).await.iter().all(Result::is_ok));
    let raised = format!("connect_schema WHERE version = {OLDEST} AND written_by = {THIS}");
    count(&database, 1, &raised);
    count(&database, 0, "pg_proc WHERE proname = 'connect_commit_1'");
    assert_eq!(get(&*stores[0], b"key").await.unwrap(), b"new");
}

/// Each commit in line once tried for four seconds, for any answer of the database. Others do the same: what
/// may be due to them is tried again at once.
async fn a_version_that_cannot_be_raised_is_said_at_once() {
    let cases = [
        ("42501", false, false, false),
        ("25006", false, false, false),
        ("53100", false, true, false),
        ("53100", false, true, true),
        ("40001", true, false, false),
        ("23505", true, false, false),
        ("XX000", true, false, true),
    ];
    let fails = |(code, is_retried, is_full, under_lock)| {
        raising_fails(code, is_retried, is_full, under_lock)
    };
    // They mostly wait.
    let all = stream::iter(cases).map(fails).buffer_unordered(3);
    all.collect::<()>().await;
}

async fn raising_fails(code: &str, is_retried: bool, is_full: bool, under_lock: bool) {
    let database = database!();
    drop(open(&database.address(), |_| ()).await);
    make_unnumbered(&database);
    let store = open(&database.address(), |_| ()).await;
    let lock = match under_lock {
        true => Some(store.lock(b"guard").await.unwrap()),
        false => None,
    };
    // Changes of the version fail until their number is reached. A used number stays used.
    let reached = if is_retried { 3 } else { 2 };
    database.execute(&format!(
        "CREATE SEQUENCE tries; \
         CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval('tries') < {reached} THEN RAISE 'refused' USING ERRCODE = '{code}'; END IF; \
         RETURN NULL; END $$; \
         CREATE TRIGGER refused BEFORE INSERT ON connect_schema FOR EACH STATEMENT EXECUTE FUNCTION refused()"
    ));
    let first = put(*b"key", b"first");
    let first = match lock {
        Some(lock) => lock.commit(guarded(*b"guard", None, b"first", first)).await,
        None => store.commit(first).await,
    };
    assert_eq!(store.is_full(), is_full, "{code}");
    if is_retried {
        return first.unwrap();
    }
    for ended in [first, store.commit(put(*b"key", b"second")).await] {
        let error = refusal(ended);
        assert!(error.to_string().contains(code), "{error}");
        assert_eq!(error.is_full(), is_full, "{code}");
    }
    database.execute("SELECT 1 / (last_value = 1)::int FROM tries");
    while store.commit(put(*b"key", b"third")).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn only_what_needs_a_newer_program_is_refused() {
    let database = database!();
    drop(open(&database.address(), |_| ()).await);
    database.execute(&format!("UPDATE connect_schema SET written_by = {NEXT}"));
    let store = open(&database.address(), |_| ()).await;
    store.commit(put(*b"key", b"beside")).await.unwrap();
    count(
        &database,
        1,
        &format!("connect_schema WHERE written_by = {NEXT}"),
    );
    take_over(&database);
    let options = PostgresOptions::default();
    let refused = PostgresStorage::open(&database.address(), options)
        .await
        .err()
        .unwrap();
    let OpenError::NewerRows(newer) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(newer.found.oldest_reader, NEXT);
    assert!(newer.to_string().contains("use that program"), "{newer}");
}

/// A rolling replacement: the first newer server that writes ends the writes of those before it, on all their
/// connections. One that commits nothing finds out with its next connection.
async fn a_server_that_runs_stops_when_a_newer_one_has_written() {
    const NEWER: &str = "newer program";
    let database = database!();
    let wait = |options: &mut PostgresOptions| options.wait = Duration::from_secs(5);
    let store = open(&database.address(), wait).await;
    store.commit(put(*b"key", b"old")).await.unwrap();
    assert_eq!(get(&*store, b"key").await.unwrap(), b"old");
    take_over(&database);
    // Of the connections that are there, none may commit.
    let refused = refusal(store.commit(put(*b"key", b"lost")).await);
    assert!(refused.to_string().contains(NEWER), "{refused}");
    // From then on nothing is read either: rows may be there that it does not know.
    assert!(store.check_version().is_err());
    let refused = store.read(&[Read::Get(b"key")]).await.err().unwrap();
    assert!(refused.to_string().contains(NEWER), "{refused}");
    assert!(store.lock(b"guard").await.is_err());

    let database = database!();
    for prepares in [true, false] {
        let options = |options: &mut PostgresOptions| {
            wait(options);
            options.prepares = prepares;
        };
        let store = open(&database.address(), options).await;
        assert!(store.check_version().is_ok());
        database.execute(&format!("INSERT INTO connect_schema VALUES ({NEXT}, 9)"));
        // The connections of readers are made now.
        let refused = store.read(&[Read::Get(b"key")]).await.err().unwrap();
        assert!(refused.to_string().contains(NEWER), "{refused}");
        assert!(store.check_version().is_err());
        database.execute(&format!(
            "DELETE FROM connect_schema WHERE version = {NEXT}"
        ));
    }
}
