//! A connection that breaks off within a commit, after each byte in either direction.

use connect_core::storage::{
    Commit, CommitError, Expectation, Read, Storage as _, Value, Write,
    postgres::testing::TestDatabase,
};

use super::{
    Store, database, guarded, narrow, on_one_server, open,
    proxy::{Proxy, Way},
};

/// The bytes of the answer to the call of a commit, and of that to `COMMIT`.
const ANSWER: u32 = 48;
const COMMITTED: u32 = 18;

on_one_server!(
    what_is_cut_is_whole_or_nothing:
    what_is_cut_on_its_way_up_is_whole_or_nothing,
    what_is_cut_on_its_way_down_is_unknown_and_whole,
);

/// A store with one connection for each purpose, and the same without the proxy.
struct Stores {
    near: Store,
    far: Store,
    proxy: Proxy,
}

type Rows = [Option<Value>; 3];

impl Stores {
    async fn open(database: &TestDatabase) -> Self {
        let proxy = Proxy::to(database.port()).await;
        Self {
            near: open(&database.address(), narrow).await,
            far: open(&database.address_at(proxy.port), narrow).await,
            proxy,
        }
    }

    /// The values of the guard and of both rows.
    async fn rows(&self) -> Rows {
        let reads = [b"guard", b"first", b"other"].map(|key| Read::Get(key));
        let mut state = self.near.read(&reads).await.unwrap();
        [(); 3].map(|()| state.value().unwrap())
    }
}

/// The commit that follows on these rows: each holds its number.
fn next([guard, first, _]: &Rows) -> (Commit, Rows) {
    let number = guard.as_ref().map_or(0, |value| value.len()) + 1;
    let value = Value::from(vec![b'x'; number]);
    let put = |key: &[u8]| (key.into(), Write::Put(value.clone()));
    let commit = Commit {
        expects: vec![(b"first"[..].into(), Expectation::unchanged(first.clone()))],
        writes: vec![put(b"first"), put(b"other")],
        ..Commit::default()
    };
    let commit = guarded(*b"guard", guard.as_deref(), &value, commit);
    (commit, [(); 3].map(|()| Some(value.clone())))
}

/// Commits over a way that is cut after more bytes each time, until it is long enough. Returns how many were
/// applied without an answer, and how many were not.
async fn cut_everywhere(way: Way, step: usize, under_a_lock: bool) -> Option<(u32, u32)> {
    let database = TestDatabase::new()?;
    let stores = Stores::open(&database).await;
    let (mut applied, mut lost) = (0, 0);
    for bytes in (0..).step_by(step) {
        // Also opens a connection again, and has it know the statement.
        stores.far.commit(Commit::default()).await.unwrap();
        let before = stores.rows().await;
        let (commit, after) = next(&before);
        let cuts = stores.proxy.heal();
        let result = if under_a_lock {
            let lock = stores.far.lock(b"guard").await.unwrap();
            stores.proxy.cut(way, bytes);
            lock.commit(commit).await
        } else {
            stores.proxy.cut(way, bytes);
            stores.far.commit(commit).await
        };
        let is_cut = stores.proxy.heal() > cuts;
        let now = stores.rows().await;
        match result {
            Ok(()) => {
                assert_eq!(now, after, "acknowledged, cut after {bytes} bytes");
                if !is_cut {
                    assert!(bytes > 20, "{bytes}");
                    break;
                }
            }
            Err(CommitError::Unknown(_)) if now == after => applied += 1,
            Err(CommitError::Unknown(_)) => {
                assert_eq!(now, before, "in part, cut after {bytes} bytes");
                lost += 1;
            }
            Err(error) => panic!("cut after {bytes} bytes: {error}"),
        }
    }
    Some((applied, lost))
}

/// The cuts are a few bytes apart: they fall into and between all messages.
async fn what_is_cut_on_its_way_up_is_whole_or_nothing() {
    drop(database!());
    let both = [false, true].map(|under_a_lock| cut_everywhere(Way::Up, 7, under_a_lock));
    for cut in futures_util::future::join_all(both).await {
        let (applied, lost) = cut.unwrap();
        // The last bytes only ask for the answer.
        assert!(lost > 25 && applied < 5, "{applied} applied, {lost} lost");
    }
}

async fn what_is_cut_on_its_way_down_is_unknown_and_whole() {
    drop(database!());
    let both = [false, true].map(|under_a_lock| cut_everywhere(Way::Down, 1, under_a_lock));
    // Alone, a call is committed before it is answered. Under a lock it is answered before the database
    // reads `COMMIT`, which is lost when it notices the cut in between.
    for (cut, most_lost) in futures_util::future::join_all(both)
        .await
        .into_iter()
        .zip([0, ANSWER])
    {
        let (applied, lost) = cut.unwrap();
        assert!(
            applied >= COMMITTED && lost <= most_lost,
            "{applied} applied, {lost} lost"
        );
    }
}
