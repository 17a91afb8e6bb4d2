//! A connection that breaks off within a commit, after each byte in either direction.

use connect_core::storage::{
    Commit, CommitError, Expectation, Guard, Read, Storage, Value, Write,
    postgres::{PostgresOptions, PostgresStorage, testing::TestDatabase},
};

use super::proxy::{Proxy, Way};

/// The bytes of the answer to the call of a commit, and of that to `COMMIT`.
const ANSWER: u32 = 48;
const COMMITTED: u32 = 18;

/// A store with one connection for each purpose, and the same without the proxy.
struct Stores {
    near: PostgresStorage,
    far: PostgresStorage,
    proxy: Proxy,
    _database: TestDatabase,
}

impl Stores {
    async fn open() -> Option<Self> {
        let database = TestDatabase::new()?;
        let proxy = Proxy::to(database.port()).await;
        let open = async |address: String| {
            let options = PostgresOptions {
                readers: 1,
                writers: 1,
                ..PostgresOptions::default()
            };
            PostgresStorage::open(&address, options).await.unwrap()
        };
        Some(Self {
            near: open(database.address()).await,
            far: open(database.address_at(proxy.port)).await,
            proxy,
            _database: database,
        })
    }

    /// The values of the guard and of both rows.
    async fn rows(&self) -> [Option<Value>; 3] {
        let reads = [b"guard", b"first", b"other"].map(|key| Read::Get(key));
        let mut state = self.near.read(&reads).await.unwrap();
        [(); 3].map(|()| state.value().unwrap())
    }
}

/// The commit that follows on these rows: each holds its number.
fn next(rows: &[Option<Value>; 3]) -> (Commit, [Option<Value>; 3]) {
    let number = rows[0].as_ref().map_or(0, |value| value.len()) + 1;
    let value = Value::from(vec![b'x'; number]);
    let [guard, first, _] = rows.clone();
    let commit = Commit {
        guard: Some(Guard {
            key: b"guard"[..].into(),
            was: guard,
            becomes: value.clone(),
        }),
        expects: vec![(b"first"[..].into(), Expectation::unchanged(first))],
        writes: vec![
            (b"first"[..].into(), Write::Put(value.clone())),
            (b"other"[..].into(), Write::Put(value.clone())),
        ],
    };
    (commit, [(); 3].map(|()| Some(value.clone())))
}

/// Commits over a way that is cut after each number of bytes in turn, until it is long enough. Returns
/// how many were applied without an answer, and how many were not.
async fn cut_everywhere(stores: &Stores, way: Way, under_a_lock: bool) -> (u32, u32) {
    let (mut applied, mut lost) = (0, 0);
    for bytes in 0.. {
        // Also opens a connection again, and has it know the statement.
        let settled = stores.far.commit(Commit::default()).await;
        settled.unwrap();
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
    (applied, lost)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_cut_on_its_way_up_is_whole_or_nothing() {
    let Some(stores) = Stores::open().await else {
        return;
    };
    for under_a_lock in [false, true] {
        let (applied, lost) = cut_everywhere(&stores, Way::Up, under_a_lock).await;
        // The last bytes only ask for the answer.
        assert!(lost > 200 && applied < 20, "{applied} applied, {lost} lost");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_cut_on_its_way_down_is_unknown_and_whole() {
    let Some(stores) = Stores::open().await else {
        return;
    };
    for under_a_lock in [false, true] {
        let (applied, lost) = cut_everywhere(&stores, Way::Down, under_a_lock).await;
        // Alone, a call is committed before it is answered. Under a lock it is answered before the
        // database reads `COMMIT`, which is lost when it notices the cut in between.
        let most_lost = if under_a_lock { ANSWER } else { 0 };
        assert!(
            applied >= COMMITTED && lost <= most_lost,
            "{applied} applied, {lost} lost"
        );
    }
}
