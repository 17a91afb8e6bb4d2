//! Reads and commits that come at the same time, and share trips.

use std::{sync::Arc, time::Duration};

use connect_core::storage::{
    Commit, CommitError, Expectation, Key, Range, Read, Storage, Write, memory::MemoryStorage,
    postgres::testing::TestDatabase,
};
use futures_util::future::join_all;
use tokio::{task::JoinHandle, time::Instant};

use super::{
    Store, database, distance, get, guarded, is_conflict, narrow, on_one_server, open, put,
};

/// The work that comes at the same time.
const MANY: usize = 100;

on_one_server!(
    what_comes_together_shares_trips_and_harms_no_other:
    each_read_gets_its_own_answer,
    a_commit_that_fails_harms_no_other,
    commits_of_the_same_rows_come_one_after_another,
    a_lock_of_another_server_holds_up_its_own_commits_only,
    a_commit_that_cannot_hold_ends_its_lock,
    a_commit_under_a_lock_that_is_refused_leaves_no_row,
    what_waits_shares_a_trip,
);

fn key(kind: &str, number: usize) -> Key {
    format!("{kind}{number:03}").into_bytes().into()
}

/// A commit of a row with its guard, and the expected result.
fn expecting(number: usize, was: Option<&[u8]>) -> Commit {
    let row = put(key("row", number), b"written");
    guarded(key("guard", number), was, b"2", row)
}

/// A commit of a row that expects its guard to be 1.
fn commit(number: usize) -> Commit {
    expecting(number, Some(b"1"))
}

fn unguarded(number: usize) -> Commit {
    put(key("row", number), b"written")
}

/// A server's store with guards of 1, and a row for any expectation.
async fn filled(database: &TestDatabase) -> Store {
    let store = open(&database.address(), |_| ()).await;
    let mut commit = put(*b"token", b"good");
    let guards = (0..MANY).map(|number| (key("guard", number), Write::Put(b"1"[..].into())));
    commit.writes.extend(guards);
    store.commit(commit).await.unwrap();
    store
}

/// Commits all at once, each by a task of its own.
async fn at_once(store: &Store, commits: Vec<Commit>) -> Vec<Result<(), CommitError>> {
    let tasks = commits.into_iter().map(|commit| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(commit).await })
    });
    let ended = join_all(tasks).await;
    ended.into_iter().map(Result::unwrap).collect()
}

async fn each_read_gets_its_own_answer() {
    let database = database!();
    let store = open(&database.address(), |_| ()).await;
    let model = Arc::new(MemoryStorage::new());
    let rows = (0..MANY).flat_map(|number| {
        let (id, row) = (format!("{number:03}"), format!("row {number}"));
        let put = |key: Key, text: String| (key, Write::Put(text.into_bytes().into()));
        [put(key("entry", number), id), put(key("row", number), row)]
    });
    let commit = Commit {
        writes: rows.collect(),
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

/// Also when only guards differ, so that all commits go together.
async fn a_commit_that_fails_harms_no_other() {
    let database = database!();
    for only_guards in [false, true] {
        let store = filled(&database).await;
        let commits = (0..MANY).map(|number| {
            let was = match number {
                _ if number % 7 == 2 => Some(&b"0"[..]),
                _ if number % 11 == 3 => None,
                _ => Some(&b"1"[..]),
            };
            let mut commit = expecting(number, was);
            if !only_guards {
                let good = Expectation::Is(b"good"[..].into());
                commit.expects.push(((*b"token").into(), good.clone()));
                if number % 9 == 1 {
                    // Another one, which is not there.
                    commit.expects.push(((*b"revoked").into(), good));
                }
            }
            commit
        });
        let ended = at_once(&store, commits.collect()).await;
        for (number, ended) in ended.into_iter().enumerate() {
            let is_revoked = number % 9 == 1 && !only_guards;
            let is_good = !is_revoked && number % 7 != 2 && number % 11 != 3;
            assert_eq!(
                (ended.is_ok(), is_conflict(&ended)),
                (is_good, !is_good),
                "{number}"
            );
            let guard = get(&*store, &key("guard", number)).await.unwrap();
            assert_eq!(guard, if is_good { b"2" } else { b"1" }, "{number}");
            let row = get(&*store, &key("row", number)).await;
            assert_eq!(row.is_some(), is_good, "{number}");
        }
        let rows = (0..MANY).map(|number| (key("row", number), Write::Remove));
        let clean = Commit {
            writes: rows.collect(),
            ..Commit::default()
        };
        store.commit(clean).await.unwrap();
    }
}

/// Commits without a guard that write the same row, and commits of one guard.
async fn commits_of_the_same_rows_come_one_after_another() {
    let database = database!();
    let store = filled(&database).await;
    let ended = at_once(&store, vec![unguarded(0); MANY]).await;
    assert!(ended.iter().all(Result::is_ok));
    let ended = at_once(&store, vec![commit(0); MANY]).await;
    assert_eq!(ended.iter().filter(|ended| ended.is_ok()).count(), 1);
    assert_eq!(
        ended.iter().filter(|ended| is_conflict(ended)).count(),
        MANY - 1
    );
}

/// A guard that another server has locked keeps only its own commit waiting, or refuses it.
async fn a_lock_of_another_server_holds_up_its_own_commits_only() {
    let database = database!();
    let store = filled(&database).await;
    let other = open(&database.address(), |_| ()).await;
    let held = other.lock(&key("guard", 0)).await.unwrap();
    let mut waiting = Vec::new();
    for first in [0, 30, 60] {
        let before = at_once(&store, (first + 1..first + 15).map(commit).collect());
        // One that waits, among others with a guard and without.
        let held_up = async {
            let store = store.clone();
            waiting.push(tokio::spawn(async move { store.commit(commit(0)).await }));
        };
        let after = at_once(&store, (first + 15..first + 30).map(unguarded).collect());
        let (before, (), after) = tokio::join!(before, held_up, after);
        assert!(before.iter().chain(&after).all(Result::is_ok));
    }
    let (refused, waiting): (Vec<_>, Vec<_>) =
        waiting.into_iter().partition(JoinHandle::is_finished);
    for refused in join_all(refused).await {
        assert!(is_conflict(&refused.unwrap()));
    }
    drop(held);
    let ended = join_all(waiting).await.into_iter().map(Result::unwrap);
    assert!(ended.filter(Result::is_ok).count() <= 1);
}

/// Expectations that contradict each other are never sent. The lock is released all the same.
async fn a_commit_that_cannot_hold_ends_its_lock() {
    let database = database!();
    let store = filled(&database).await;
    let other = open(&database.address(), |_| ()).await;
    let held = store.lock(&key("guard", 0)).await.unwrap();
    let expects = [&b"good"[..], b"bad"];
    let expects = expects.map(|value| ((*b"token").into(), Expectation::Is(value.into())));
    let contradiction = Commit {
        expects: expects.into(),
        ..commit(0)
    };
    let refused = held.commit(contradiction).await;
    assert!(is_conflict(&refused), "{refused:?}");
    let next = tokio::time::timeout(Duration::from_secs(5), other.commit(commit(0)));
    next.await.unwrap().unwrap();
}

/// A row that was made to be locked goes with a commit that finds another state of the guard.
async fn a_commit_under_a_lock_that_is_refused_leaves_no_row() {
    let database = database!();
    let store = filled(&database).await;
    let holds = |rows: usize| {
        let count = "DO $$ BEGIN ASSERT (SELECT count(*) FROM connect_rows) =";
        database.execute(&format!("{count} {rows}; END $$"));
    };
    let guarded = |was| guarded(*b"nobody's", was, b"1", Commit::default());
    let held = store.lock(b"nobody's").await.unwrap();
    let refused = held.commit(guarded(Some(b"0"))).await;
    assert!(is_conflict(&refused), "{refused:?}");
    holds(MANY + 1);
    let held = store.lock(b"nobody's").await.unwrap();
    held.commit(guarded(None)).await.unwrap();
    holds(MANY + 2);
}

/// On one connection a long way off, many commits take a few trips in place of one each.
async fn what_waits_shares_a_trip() {
    const EACH_WAY: Duration = Duration::from_millis(40);
    let database = database!();
    drop(filled(&database).await);
    let port = distance::between(database.port(), EACH_WAY);
    let store = open(&database.address_at(port), narrow).await;
    store.commit(commit(0)).await.unwrap();
    get(&*store, b"token").await;
    let start = Instant::now();
    let commits = at_once(&store, (1..50).map(commit).collect());
    let reads = (1..50).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { get(&*store, &key("guard", number)).await })
    });
    let (ended, read) = tokio::join!(commits, join_all(reads));
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert!(read.into_iter().all(|value| value.unwrap().is_some()));
    // One after another they would take 49.
    let trips = start.elapsed().as_millis() / (2 * EACH_WAY).as_millis();
    assert!(trips < 30, "{trips}");
}
