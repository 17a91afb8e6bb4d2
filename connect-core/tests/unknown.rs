//! Commits whose answer is lost, or that are refused: the client is told what is so, and a retry
//! under the same key does the write exactly once.

use connect_core::{
    Answer, Error, Refusal, Request,
    wire::{Field, Product, ProductInput, query::ProductQuery},
};

use crate::{
    faulty::{Fate, rows},
    shop::{Shop, keyed},
};

/// Makes a product, under a key if one is given.
async fn create(shop: &Shop, name: &str, key: Option<&str>) -> Result<Answer, Refusal> {
    let request = Request::from(ProductInput::named(name));
    let request = match key {
        Some(key) => keyed(request, key),
        None => request,
    };
    shop.connect
        .location(&shop.at)
        .json::<Product>()
        .create(request)
        .await
}

async fn names(shop: &Shop) -> Vec<String> {
    let all = ProductQuery::default();
    let page = shop.products().list(&all).await;
    let products = page.unwrap().data.into_iter();
    products.map(|product| product.name).collect()
}

async fn count_rows(shop: &Shop) -> usize {
    rows(&*shop.storage).await.len()
}

#[tokio::test]
async fn an_applied_commit_without_an_answer_is_a_success() {
    let shop = Shop::open().await;
    for (key, fate) in [
        (None, Fate::AppliedWithoutAnswer),
        (Some("a"), Fate::AppliedWithoutAnswer),
        (None, Fate::AppliedWithPanic),
        (Some("b"), Fate::AppliedWithPanic),
    ] {
        let before = names(&shop).await.len();
        shop.storage.decide([fate]);
        let made = create(&shop, "Bread", key).await.unwrap();
        assert!(!made.replayed, "{key:?}, {fate:?}");
        if key.is_some() {
            let again = create(&shop, "Bread", key).await.unwrap();
            assert!(again.replayed);
            assert_eq!(again.body, made.body);
        }
        assert_eq!(names(&shop).await.len(), before + 1, "{key:?}, {fate:?}");
    }
}

/// The look at how the commit ended has no answer either, at first.
#[tokio::test]
async fn an_answer_may_be_lost_twice() {
    let shop = Shop::open().await;
    shop.storage.fail_reads_after(2);
    shop.storage.decide([Fate::AppliedWithoutAnswer]);
    let made = create(&shop, "Bread", None).await.unwrap();
    assert_eq!(made.decode::<Product>().unwrap().name, "Bread");
    assert_eq!(names(&shop).await, ["Bread"]);
}

/// As long as nobody can tell, the client is told that; its retry is done once.
#[tokio::test]
async fn what_stays_unknown_is_settled_by_a_retry() {
    for fate in [Fate::AppliedWithoutAnswer, Fate::Lost] {
        let shop = Shop::open().await;
        shop.storage.fail_reads_after(4);
        shop.storage.decide([fate]);
        let failure = create(&shop, "Bread", Some("a")).await.unwrap_err();
        assert!(matches!(failure.error, Error::Internal(_)));
        assert!(
            failure.to_string().contains("same Idempotency-Key"),
            "{failure}"
        );
        // The retry meets the same once more.
        shop.storage.fail_reads_after(4);
        shop.storage.decide([fate]);
        let was_done = fate == Fate::AppliedWithoutAnswer;
        let retried = create(&shop, "Bread", Some("a")).await;
        assert_eq!(retried.is_ok(), was_done, "{retried:?}");
        shop.storage.decide([Fate::Acknowledged]);
        let settled = create(&shop, "Bread", Some("a")).await.unwrap();
        assert_eq!(settled.replayed, was_done);
        assert!(create(&shop, "Bread", Some("a")).await.unwrap().replayed);
        assert_eq!(names(&shop).await, ["Bread"]);
    }
}

#[tokio::test]
async fn a_lost_commit_is_not_reported_as_done() {
    let shop = Shop::open().await;
    // The clock of the location, by which it is found out, is there before.
    create(&shop, "Tea", None).await.unwrap();
    let before = count_rows(&shop).await;
    shop.storage.decide([Fate::Lost]);
    let failure = create(&shop, "Bread", Some("a")).await.unwrap_err();
    assert!(matches!(failure.error, Error::Internal(_)));
    assert_eq!(count_rows(&shop).await, before);
    assert!(!create(&shop, "Bread", Some("a")).await.unwrap().replayed);
    assert!(create(&shop, "Bread", Some("a")).await.unwrap().replayed);
    assert_eq!(names(&shop).await, ["Tea", "Bread"]);
}

/// Writes that shared a commit share its end: none is done again one by one.
#[tokio::test]
async fn a_group_without_an_answer_is_not_done_again() {
    for fate in [Fate::AppliedWithoutAnswer, Fate::AppliedWithPanic] {
        let shop = Shop::open().await;
        shop.storage.decide([fate; 64]);
        let mut made: Vec<String> = (0..50).map(|number| format!("Bread {number}")).collect();
        let writes = made.iter().map(|name| create(&shop, name, None));
        for outcome in futures_util::future::join_all(writes).await {
            outcome.unwrap();
        }
        let mut found = names(&shop).await;
        found.sort();
        made.sort();
        assert_eq!(found, made);
    }
}

#[tokio::test]
async fn a_refused_commit_leaves_nothing_and_says_so() {
    let shop = Shop::open().await;
    let before = rows(&*shop.storage).await;
    shop.storage.decide([Fate::Refused]);
    let failure = create(&shop, "Bread", Some("a")).await.unwrap_err();
    assert!(matches!(failure.error, Error::Internal(_)));
    assert!(
        failure
            .to_string()
            .contains("this request has saved nothing"),
        "{failure}"
    );
    assert_eq!(rows(&*shop.storage).await, before);
    // The next write is done, and so is the same one again.
    let input = ProductInput {
        external_id: Field::Value("T".into()),
        ..ProductInput::named("Tea")
    };
    let (connect, at) = (&shop.connect, &shop.at);
    connect.location(at).products().create(input).await.unwrap();
    assert!(!create(&shop, "Bread", Some("a")).await.unwrap().replayed);
    assert_eq!(names(&shop).await, ["Tea", "Bread"]);
}

/// A commit of which the end is not known is looked at again, and the store has time in between.
#[tokio::test(start_paused = true)]
async fn the_looks_at_how_a_commit_ended_have_pauses() {
    let shop = Shop::open().await;
    shop.storage.fail_reads_after(4);
    shop.storage.decide([Fate::Lost]);
    let begun = tokio::time::Instant::now();
    create(&shop, "Bread", None).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 10 + 50 + 250);
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_not_ready() {
    let shop = Shop::open().await;
    shop.connect.check_ready().await.unwrap();
    // Four looks at how it ended, and one more.
    shop.storage.fail_reads_after(5);
    shop.storage.decide([Fate::Lost]);
    create(&shop, "Bread", None).await.unwrap_err();
    shop.connect.check_ready().await.unwrap_err();
    shop.connect.check_ready().await.unwrap();
}
