//! Commits whose answer is lost, or that are refused: the client is told what is so, and a retry
//! under the same key does the write exactly once.

use std::sync::Arc;

use connect_core::{
    Answer, Error, Refusal, Request,
    storage::memory::MemoryStorage,
    wire::{Field, Product, ProductInput, query::ProductQuery},
};

use crate::{
    faulty::{Fate, Faulty, rows},
    shop::{self, Shop, keyed},
};

struct Tried {
    shop: Shop,
    storage: Arc<Faulty>,
}

impl Tried {
    async fn open() -> Self {
        let storage = Faulty::new(Arc::new(MemoryStorage::new()));
        let shop = shop::open_on(storage.clone()).await;
        Self { shop, storage }
    }

    /// Makes a product, under a key if one is given.
    async fn create(&self, name: &str, key: Option<&str>) -> Result<Answer, Refusal> {
        let request = Request::from(ProductInput::named(name));
        let request = match key {
            Some(key) => keyed(request, key),
            None => request,
        };
        self.shop
            .connect
            .location(&self.shop.at)
            .json::<Product>()
            .create(request)
            .await
    }

    async fn names(&self) -> Vec<String> {
        let all = ProductQuery::default();
        let page = self.shop.products().list(&all).await;
        let products = page.unwrap().data.into_iter();
        products.map(|product| product.name).collect()
    }

    async fn rows(&self) -> usize {
        rows(&*self.storage).await.len()
    }
}

#[tokio::test]
async fn an_applied_commit_without_an_answer_is_a_success() {
    let tried = Tried::open().await;
    for (key, fate) in [
        (None, Fate::AppliedWithoutAnswer),
        (Some("a"), Fate::AppliedWithoutAnswer),
        (None, Fate::AppliedWithPanic),
        (Some("b"), Fate::AppliedWithPanic),
    ] {
        let before = tried.names().await.len();
        tried.storage.decide([fate]);
        let made = tried.create("Bread", key).await.unwrap();
        assert!(!made.replayed, "{key:?}, {fate:?}");
        if key.is_some() {
            let again = tried.create("Bread", key).await.unwrap();
            assert!(again.replayed);
            assert_eq!(again.body, made.body);
        }
        assert_eq!(tried.names().await.len(), before + 1, "{key:?}, {fate:?}");
    }
}

/// The look at how the commit ended has no answer either, at first.
#[tokio::test]
async fn an_answer_may_be_lost_twice() {
    let tried = Tried::open().await;
    tried.storage.fail_reads_after(2);
    tried.storage.decide([Fate::AppliedWithoutAnswer]);
    let made = tried.create("Bread", None).await.unwrap();
    assert_eq!(made.decode::<Product>().unwrap().name, "Bread");
    assert_eq!(tried.names().await, ["Bread"]);
}

/// As long as nobody can tell, the client is told that; its retry is done once.
#[tokio::test]
async fn what_stays_unknown_is_settled_by_a_retry() {
    for fate in [Fate::AppliedWithoutAnswer, Fate::Lost] {
        let tried = Tried::open().await;
        tried.storage.fail_reads_after(4);
        tried.storage.decide([fate]);
        let failure = tried.create("Bread", Some("a")).await.unwrap_err();
        assert!(matches!(failure.error, Error::Internal(_)));
        assert!(
            failure.to_string().contains("same Idempotency-Key"),
            "{failure}"
        );
        // The retry meets the same once more.
        tried.storage.fail_reads_after(4);
        tried.storage.decide([fate]);
        let was_done = fate == Fate::AppliedWithoutAnswer;
        let retried = tried.create("Bread", Some("a")).await;
        assert_eq!(retried.is_ok(), was_done, "{retried:?}");
        tried.storage.decide([Fate::Acknowledged]);
        let settled = tried.create("Bread", Some("a")).await.unwrap();
        assert_eq!(settled.replayed, was_done);
        assert!(tried.create("Bread", Some("a")).await.unwrap().replayed);
        assert_eq!(tried.names().await, ["Bread"]);
    }
}

#[tokio::test]
async fn a_lost_commit_is_not_reported_as_done() {
    let tried = Tried::open().await;
    // The clock of the location, by which it is found out, is there before.
    tried.create("Tea", None).await.unwrap();
    let before = tried.rows().await;
    tried.storage.decide([Fate::Lost]);
    let failure = tried.create("Bread", Some("a")).await.unwrap_err();
    assert!(matches!(failure.error, Error::Internal(_)));
    assert_eq!(tried.rows().await, before);
    assert!(!tried.create("Bread", Some("a")).await.unwrap().replayed);
    assert!(tried.create("Bread", Some("a")).await.unwrap().replayed);
    assert_eq!(tried.names().await, ["Tea", "Bread"]);
}

/// Writes that shared a commit share its end: none is done again one by one.
#[tokio::test]
async fn a_group_without_an_answer_is_not_done_again() {
    for fate in [Fate::AppliedWithoutAnswer, Fate::AppliedWithPanic] {
        let tried = Tried::open().await;
        tried.storage.decide([fate; 64]);
        let names: Vec<String> = (0..50).map(|number| format!("Bread {number}")).collect();
        let writes = names.iter().map(|name| tried.create(name, None));
        for outcome in futures_util::future::join_all(writes).await {
            outcome.unwrap();
        }
        let mut found = tried.names().await;
        found.sort();
        let mut names = names;
        names.sort();
        assert_eq!(found, names);
    }
}

#[tokio::test]
async fn a_refused_commit_leaves_nothing_and_says_so() {
    let tried = Tried::open().await;
    let before = rows(&*tried.storage).await;
    tried.storage.decide([Fate::Refused]);
    let failure = tried.create("Bread", Some("a")).await.unwrap_err();
    assert!(matches!(failure.error, Error::Internal(_)));
    assert!(
        failure
            .to_string()
            .contains("this request has saved nothing"),
        "{failure}"
    );
    assert_eq!(rows(&*tried.storage).await, before);
    // The next write is done, and so is the same one again.
    let input = ProductInput {
        external_id: Field::Value("T".into()),
        ..ProductInput::named("Tea")
    };
    let (connect, at) = (&tried.shop.connect, &tried.shop.at);
    connect.location(at).products().create(input).await.unwrap();
    assert!(!tried.create("Bread", Some("a")).await.unwrap().replayed);
    assert_eq!(tried.names().await, ["Tea", "Bread"]);
}

/// A commit of which the end is not known is looked at again, and the store has time in between.
#[tokio::test(start_paused = true)]
async fn the_looks_at_how_a_commit_ended_have_pauses() {
    let tried = Tried::open().await;
    tried.storage.fail_reads_after(4);
    tried.storage.decide([Fate::Lost]);
    let begun = tokio::time::Instant::now();
    tried.create("Bread", None).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 10 + 50 + 250);
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_not_ready() {
    let tried = Tried::open().await;
    tried.shop.connect.check_ready().await.unwrap();
    // Four looks at how it ended, and one more.
    tried.storage.fail_reads_after(5);
    tried.storage.decide([Fate::Lost]);
    tried.create("Bread", None).await.unwrap_err();
    tried.shop.connect.check_ready().await.unwrap_err();
    tried.shop.connect.check_ready().await.unwrap();
}
