//! Reads and commits that come at the same time, and share trips.

use std::{sync::Arc, time::Duration};

use connect_core::storage::{
    Commit, CommitError, Expectation, Guard, Key, Range, Read, Storage, Write,
    memory::MemoryStorage,
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};
use futures_util::future::join_all;
use tokio::time::Instant;

use super::distance;

/// The work that comes at the same time.
const MANY: usize = 100;

/// A server's store, and its database.
async fn open() -> Option<(Arc<PostgresStorage>, TestDatabase)> {
    let database = TestDatabase::new()?;
    Some((server(&database).await, database))
}

async fn server(database: &TestDatabase) -> Arc<PostgresStorage> {
    let store = PostgresStorage::open(&database.address(), PostgresOptions::default()).await;
    Arc::new(store.unwrap())
}

fn key(kind: &str, number: usize) -> Key {
    format!("{kind}{number:03}").into_bytes().into()
}

fn guard(number: usize, was: Option<&[u8]>) -> Guard {
    Guard {
        key: key("guard", number),
        was: was.map(Into::into),
        becomes: b"2"[..].into(),
    }
}

/// A commit of a row that expects its guard to be 1.
fn commit(number: usize) -> Commit {
    Commit {
        guard: Some(guard(number, Some(b"1"))),
        writes: vec![(key("row", number), Write::Put(b"written"[..].into()))],
        ..Commit::default()
    }
}

/// Guards that are 1, and a row that all may expect.
async fn fill(store: &dyn Storage) {
    let mut writes: Vec<_> = (0..MANY)
        .map(|number| (key("guard", number), Write::Put(b"1"[..].into())))
        .collect();
    writes.push((b"token"[..].into(), Write::Put(b"good"[..].into())));
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    store.commit(commit).await.unwrap();
}

async fn value(store: &dyn Storage, key: &[u8]) -> Option<Vec<u8>> {
    let mut found = store.read(&[Read::Get(key)]).await.unwrap();
    found.value().unwrap().map(|value| value.to_vec())
}

/// Commits all at once, each by a task of its own.
async fn at_once(
    store: &Arc<PostgresStorage>,
    commits: Vec<Commit>,
) -> Vec<Result<(), CommitError>> {
    let tasks = commits.into_iter().map(|commit| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(commit).await })
    });
    let ended = join_all(tasks).await;
    ended.into_iter().map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_read_gets_its_own_answer() {
    let Some((store, _database)) = open().await else {
        return;
    };
    let model = Arc::new(MemoryStorage::new());
    let entries = (0..MANY).flat_map(|number| {
        let id = format!("{number:03}").into_bytes();
        let row = format!("row {number}").into_bytes();
        [
            (key("entry", number), id.into()),
            (key("row", number), row.into()),
        ]
    });
    let commit = Commit {
        writes: entries
            .map(|(key, value)| (key, Write::Put(value)))
            .collect(),
        ..Commit::default()
    };
    model.commit(commit.clone()).await.unwrap();
    store.commit(commit).await.unwrap();
    let tasks = (0..3 * MANY).map(|number| {
        let (store, model) = (store.clone(), model.clone());
        tokio::spawn(async move {
            let (entry, row) = (key("entry", number), key("row", number));
            let range = Range {
                from: &entry,
                to: Some(b"entry098"),
            };
            let all = [
                Read::Get(&row),
                Read::Follow {
                    key: &entry,
                    rows: b"row",
                },
                Read::Scan {
                    range,
                    limit: number % 4,
                    newest_first: number % 2 == 0,
                },
                Read::ScanFollow {
                    range,
                    limit: number % 3,
                    newest_first: number % 5 == 0,
                    rows: b"row",
                    tail: 3,
                },
            ];
            // Also none at all.
            let reads = &all[number % 5..];
            let found: Vec<_> = store.read(reads).await.unwrap().collect();
            let expected: Vec<_> = model.read(reads).await.unwrap().collect();
            assert_eq!(found, expected, "{number}");
        })
    });
    join_all(tasks.map(async |task| task.await.unwrap())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_fails_harms_no_other() {
    let Some((store, _database)) = open().await else {
        return;
    };
    fill(&*store).await;
    let commits = (0..MANY).map(|number| {
        let mut commit = commit(number);
        let good = Expectation::Is(b"good"[..].into());
        commit.expects.push((b"token"[..].into(), good.clone()));
        if number % 9 == 1 {
            // Another one, which is not there.
            commit.expects.push((b"revoked"[..].into(), good));
        }
        if number % 7 == 2 {
            commit.guard = Some(guard(number, Some(b"0")));
        }
        if number % 11 == 3 {
            commit.guard = Some(guard(number, None));
        }
        commit
    });
    let ended = at_once(&store, commits.collect()).await;
    for (number, ended) in ended.into_iter().enumerate() {
        let is_good = number % 9 != 1 && number % 7 != 2 && number % 11 != 3;
        let is_conflict = matches!(ended, Err(CommitError::Conflict));
        assert_eq!(
            (ended.is_ok(), is_conflict),
            (is_good, !is_good),
            "{number}"
        );
        let (guard, row) = (key("guard", number), key("row", number));
        let (expected, written) = match is_good {
            true => (b"2", Some(b"written"[..].to_vec())),
            false => (b"1", None),
        };
        assert_eq!(value(&*store, &guard).await.unwrap(), expected, "{number}");
        assert_eq!(value(&*store, &row).await, written, "{number}");
    }
}

/// Commits without a guard that write the same row, and commits of one guard.
#[tokio::test(flavor = "multi_thread")]
async fn commits_of_the_same_rows_come_one_after_another() {
    let Some((store, _database)) = open().await else {
        return;
    };
    fill(&*store).await;
    let same = (0..MANY).map(|_| Commit {
        guard: None,
        ..commit(0)
    });
    let ended = at_once(&store, same.collect()).await;
    assert!(ended.iter().all(Result::is_ok));
    let ended = at_once(&store, vec![commit(0); MANY]).await;
    assert_eq!(ended.iter().filter(|ended| ended.is_ok()).count(), 1);
    let is_conflict =
        |ended: &&Result<(), CommitError>| matches!(ended, Err(CommitError::Conflict));
    assert_eq!(ended.iter().filter(is_conflict).count(), MANY - 1);
}

/// Only guards are not as expected, so that all the others go together.
#[tokio::test(flavor = "multi_thread")]
async fn a_guard_that_has_moved_on_harms_no_other() {
    let Some((store, _database)) = open().await else {
        return;
    };
    fill(&*store).await;
    let wrong = [None, Some(&b"0"[..])];
    let commits = (0..MANY).map(|number| Commit {
        guard: Some(guard(
            number,
            *wrong.get(number % 10).unwrap_or(&Some(b"1")),
        )),
        ..commit(number)
    });
    let ended = at_once(&store, commits.collect()).await;
    for (number, ended) in ended.into_iter().enumerate() {
        let is_written = value(&*store, &key("row", number)).await.is_some();
        assert_eq!(
            (ended.is_ok(), is_written),
            (number % 10 > 1, ended.is_ok())
        );
        assert!(
            matches!(ended, Ok(()) | Err(CommitError::Conflict)),
            "{ended:?}"
        );
    }
}

/// A guard that another server has locked keeps only its own commit waiting.
#[tokio::test(flavor = "multi_thread")]
async fn a_lock_of_another_server_holds_up_its_own_commits_only() {
    let Some((store, database)) = open().await else {
        return;
    };
    let other = server(&database).await;
    fill(&*store).await;
    let held = other.lock(&key("guard", 0)).await.unwrap();
    let mut waiting = Vec::new();
    for round in 0..3 {
        let first = round * 30;
        let before = at_once(&store, (first + 1..first + 15).map(commit).collect());
        // One that waits, among others with a guard and without.
        let held_up = async {
            let store = store.clone();
            waiting.push(tokio::spawn(async move { store.commit(commit(0)).await }));
        };
        let unguarded = (first + 15..first + 30).map(|number| Commit {
            guard: None,
            ..commit(number)
        });
        let after = at_once(&store, unguarded.collect());
        let (before, (), after) = tokio::join!(before, held_up, after);
        assert!(before.iter().chain(&after).all(Result::is_ok));
    }
    assert!(waiting.iter().all(|waiting| !waiting.is_finished()));
    drop(held);
    let ended = join_all(waiting).await.into_iter().map(Result::unwrap);
    assert_eq!(ended.filter(Result::is_ok).count(), 1);
}

/// Expectations that contradict each other are never sent. The lock is released all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_cannot_hold_ends_its_lock() {
    let Some((store, database)) = open().await else {
        return;
    };
    let other = server(&database).await;
    fill(&*store).await;
    let held = store.lock(&key("guard", 0)).await.unwrap();
    let expects = [&b"good"[..], b"bad"].map(|value| {
        let expectation = Expectation::Is(value.into());
        (b"token"[..].into(), expectation)
    });
    let contradiction = Commit {
        expects: expects.into(),
        ..commit(0)
    };
    let refused = held.commit(contradiction).await;
    assert!(matches!(refused, Err(CommitError::Conflict)), "{refused:?}");
    let next = tokio::time::timeout(Duration::from_secs(5), other.commit(commit(0)));
    next.await.unwrap().unwrap();
}

/// A row that was made to be locked goes with a commit that finds another state of the guard.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_under_a_lock_that_is_refused_leaves_no_row() {
    let Some((store, database)) = open().await else {
        return;
    };
    let count = async || {
        let address = database.address();
        let (client, connection) = tokio_postgres::connect(&address, tokio_postgres::NoTls)
            .await
            .unwrap();
        let connection = tokio::spawn(connection);
        let count = client.query_one("SELECT count(*) FROM connect_rows", &[]);
        let count: i64 = count.await.unwrap().get(0);
        connection.abort();
        count
    };
    let before = count().await;
    let guarded = |was: Option<&[u8]>| Commit {
        guard: Some(Guard {
            key: b"nobody's".as_slice().into(),
            was: was.map(Into::into),
            becomes: b"1".as_slice().into(),
        }),
        ..Commit::default()
    };
    let held = store.lock(b"nobody's").await.unwrap();
    let refused = held.commit(guarded(Some(b"0"))).await;
    assert!(matches!(refused, Err(CommitError::Conflict)), "{refused:?}");
    assert_eq!(count().await, before);
    let held = store.lock(b"nobody's").await.unwrap();
    held.commit(guarded(None)).await.unwrap();
    assert_eq!(count().await, before + 1);
}

/// On one connection a long way off, many commits take a few trips in place of one each.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_shares_a_trip() {
    const EACH_WAY: Duration = Duration::from_millis(40);
    let Some((near, database)) = open().await else {
        return;
    };
    fill(&*near).await;
    let port = distance::between(database.port(), EACH_WAY);
    let options = PostgresOptions {
        readers: 1,
        writers: 1,
        ..PostgresOptions::default()
    };
    let store = PostgresStorage::open(&database.address_at(port), options).await;
    let store = Arc::new(store.unwrap());
    store.commit(commit(0)).await.unwrap();
    value(&*store, b"token").await;
    let start = Instant::now();
    let commits = at_once(&store, (1..50).map(commit).collect());
    let reads = (1..50).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { value(&*store, &key("guard", number)).await })
    });
    let (ended, read) = tokio::join!(commits, join_all(reads));
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert!(read.into_iter().all(|value| value.unwrap().is_some()));
    // One after another they would take 49.
    let trips = start.elapsed().as_millis() / (2 * EACH_WAY).as_millis();
    assert!(trips < 30, "{trips}");
}
