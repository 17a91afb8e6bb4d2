//! What holds a write back, and what does not.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use connect_core::{
    Error,
    storage::{
        Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
    },
    wire::{Product, ProductInput, query::ProductQuery},
};
use futures_util::future::{BoxFuture, join_all};

use crate::shop::{self, Shop};

type Interruption = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

/// A storage in which something happens between what a write reads and what it commits.
struct Interrupted {
    storage: MemoryStorage,
    before_commit: Mutex<Option<Interruption>>,
    /// Reads of keys that hold these bytes fail.
    damaged: Mutex<Option<Vec<u8>>>,
    /// Whether reads of those keys panic.
    panics: AtomicBool,
}

impl Interrupted {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            storage: MemoryStorage::new(),
            before_commit: Mutex::default(),
            damaged: Mutex::default(),
            panics: AtomicBool::new(false),
        })
    }
}

#[async_trait]
impl Storage for Interrupted {
    async fn read(&self, reads: &[Read<'_>]) -> Result<State, StorageError> {
        let damaged = self.damaged.lock().unwrap().clone();
        if let Some(damaged) = damaged {
            let is_damaged = |key: &[u8]| key.windows(damaged.len()).any(|part| *part == *damaged);
            let meets = reads.iter().any(|read| match read {
                Read::Get(key) | Read::Follow { key, .. } => is_damaged(key),
                _ => false,
            });
            if meets {
                assert!(!self.panics.load(Ordering::SeqCst), "as the test wants it");
                return Err(StorageError::new("a damaged row"));
            }
        }
        self.storage.read(reads).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let interruption = self.before_commit.lock().unwrap().take();
        if let Some(interruption) = interruption {
            interruption().await;
        }
        self.storage.commit(commit).await
    }

    async fn lock(&self, guard: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
        self.storage.lock(guard).await
    }
}

#[tokio::test]
async fn nothing_is_saved_once_a_revocation_was_acknowledged() {
    let storage = Interrupted::new();
    let shop = Shop::on(storage.clone()).await;
    let (at, token) = shop.token().await;
    let (connect, account) = (shop.connect.clone(), shop.account);
    *storage.before_commit.lock().unwrap() = Some(Box::new(move || {
        Box::pin(async move { connect.revoke_token(account, token).await.unwrap() })
    }));
    let input = ProductInput::named("Late");
    let refused = shop
        .connect
        .location(&at)
        .json::<Product>()
        .create(input.into())
        .await;
    assert!(matches!(refused.unwrap_err().error, Error::Unauthorized(_)));
    let all = ProductQuery::default();
    let page = shop.connect.location(&shop.at).json::<Product>().list(&all);
    assert!(page.await.unwrap().decode().unwrap().data.is_empty());
}

/// An account that changes in a way that takes nothing away holds nothing up.
#[tokio::test]
async fn a_write_goes_on_with_the_rights_as_they_are_now() {
    let storage = Interrupted::new();
    let shop = Shop::on(storage.clone()).await;
    let (at, _) = shop.token().await;
    let (connect, account) = (shop.connect.clone(), shop.account);
    *storage.before_commit.lock().unwrap() = Some(Box::new(move || {
        Box::pin(async move {
            shop::location(&connect, account, "Another").await;
        })
    }));
    let input = ProductInput::named("Bread");
    let made = shop
        .connect
        .location(&at)
        .json::<Product>()
        .create(input.into())
        .await;
    assert_eq!(made.unwrap().decode::<Product>().unwrap().name, "Bread");
}

#[tokio::test]
async fn without_a_screen_a_write_under_way_is_not_saved() {
    let storage = Interrupted::new();
    let shop = Shop::on(storage.clone()).await;
    let (at, _) = shop.token().await;
    let screens = shop.connect.account(shop.account).await.unwrap().screens;
    let (connect, account, screen) = (shop.connect.clone(), shop.account, screens[0].id);
    *storage.before_commit.lock().unwrap() = Some(Box::new(move || {
        Box::pin(async move { connect.delete_screen(account, screen).await.unwrap() })
    }));
    let refused = shop
        .connect
        .location(&at)
        .json::<Product>()
        .create(ProductInput::named("Late").into())
        .await;
    assert!(matches!(
        refused.unwrap_err().error,
        Error::ApiNotAvailable(_)
    ));
}

/// Of writes that wait together, one that cannot be done harms no other: neither a row that
/// cannot be read nor a panic over it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_unreadable_row_harms_its_own_write_only() {
    for panics in [false, true] {
        let storage = Interrupted::new();
        let shop = Shop::on(storage.clone()).await;
        let made = shop
            .products()
            .create(ProductInput::named("Torn"))
            .await
            .unwrap();
        let torn = made.id;
        *storage.damaged.lock().unwrap() = Some(torn.uuid().as_bytes().to_vec());
        storage.panics.store(panics, Ordering::SeqCst);
        let writes = (0..300).map(|number| {
            let (connect, at) = (shop.connect.clone(), shop.at.clone());
            tokio::spawn(async move {
                if number == 137 {
                    let input = ProductInput::named("Changed");
                    connect
                        .location(&at)
                        .json::<Product>()
                        .update(torn.uuid(), input.into())
                        .await
                } else {
                    let input = ProductInput::named(format!("Bread {number}"));
                    connect
                        .location(&at)
                        .json::<Product>()
                        .create(input.into())
                        .await
                }
            })
        });
        let mut failed = 0;
        for (number, outcome) in join_all(writes).await.into_iter().enumerate() {
            match outcome.unwrap() {
                Ok(_) => assert_ne!(number, 137),
                Err(failure) => {
                    assert_eq!(number, 137);
                    assert!(matches!(failure.error, Error::Internal(_)));
                    failed += 1;
                }
            }
        }
        assert_eq!(failed, 1, "panics: {panics}");
    }
}

/// The token and the account are told by their ids: their rows are of no use in a log.
#[tokio::test]
async fn an_access_shows_no_rows() {
    let shop = Shop::open().await;
    let (at, token) = shop.token().await;
    let shown = format!("{at:?}");
    assert!(shown.contains(&token.to_string()), "{shown}");
    assert!(!shown.contains("owner@shop.example"), "{shown}");
    assert!(shown.len() < 500, "{shown}");
}

/// A key that is used anew between the look and the commit keeps its new answer, and is not
/// counted.
#[tokio::test]
async fn maintenance_counts_what_it_has_purged() {
    let storage = Interrupted::new();
    let shop = Shop::on(storage.clone()).await;
    let bread = || shop::keyed(ProductInput::named("Bread").into(), "once");
    shop.connect
        .location(&shop.at)
        .json::<Product>()
        .create(bread())
        .await
        .unwrap();
    shop.clock.advance(25 * 3600);
    let (store, connect, at) = (storage.clone(), shop.connect.clone(), shop.at.clone());
    let reuse: Interruption = Box::new(move || {
        Box::pin(async move {
            let bread = shop::keyed(ProductInput::named("Bread").into(), "once");
            let anew = connect
                .location(&at)
                .json::<Product>()
                .create(bread)
                .await
                .unwrap();
            assert!(!anew.replayed);
        })
    });
    // Maintenance first writes down that it runs.
    *storage.before_commit.lock().unwrap() = Some(Box::new(move || {
        Box::pin(async move { *store.before_commit.lock().unwrap() = Some(reuse) })
    }));
    assert_eq!(shop.connect.maintain().await.unwrap().answers, 0);
    let again = shop
        .connect
        .location(&shop.at)
        .json::<Product>()
        .create(bread())
        .await;
    assert!(again.unwrap().replayed);
}
