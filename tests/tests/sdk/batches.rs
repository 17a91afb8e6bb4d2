//! Batches through the SDK, of any length.

use connect_client::wire::{BatchStatus, ErrorCode, Field, MatchBy, ProductBatch, ProductInput};

use super::{coded, open};

#[tokio::test]
async fn a_batch_tells_what_became_of_each_item() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items = vec![coded("A", "Rye"), coded("B", " "), coded("A", "Dark rye")];
    let dry = ProductBatch {
        dry_run: true,
        ..ProductBatch::new(items.clone())
    };
    let rehearsed = products.batch(&dry).await.unwrap();
    let done = products.batch(&ProductBatch::new(items)).await.unwrap();
    assert_eq!(
        (rehearsed.created, rehearsed.updated, rehearsed.failed),
        (1, 1, 1)
    );
    assert_eq!((done.created, done.updated, done.failed), (1, 1, 1));
    let error = done.results[1].error.as_ref().unwrap();
    assert_eq!(error.code, ErrorCode::ValidationFailed);
    assert!(error.message.starts_with("name: "), "{}", error.message);
    assert_eq!(done.results[2].id, done.results[0].id);
}

#[tokio::test]
async fn a_batch_of_any_length_is_sent_in_pieces() {
    let (shop, watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..1234)
        .map(|n| coded(&format!("B-{n}"), &format!("Bun {n}")))
        .collect();
    let first = products.upsert_all(&items).run().await.unwrap();
    assert_eq!(
        (first.created, first.failed, first.results.len()),
        (1234, 0, 1234)
    );
    assert!(
        first
            .results
            .iter()
            .enumerate()
            .all(|(at, result)| result.index == at)
    );
    assert_eq!(watch.passed().len(), 3);
    let second = products.upsert_all(&items).run().await.unwrap();
    assert_eq!((second.unchanged, second.created), (1234, 0));

    // Long texts: now it is the 2 MB that cut.
    let long = |n: usize| ProductInput {
        description: Field::Value("é".repeat(2000)),
        ..coded(&format!("L-{n}"), "Long")
    };
    watch.passed();
    let third = products.upsert_all((0..600).map(long)).run().await.unwrap();
    assert_eq!(third.created, 600);
    let sizes: Vec<usize> = watch
        .passed()
        .iter()
        .map(|answer| answer.request.body.bytes().len())
        .collect();
    assert!(sizes.iter().all(|size| *size <= 2_000_000), "{sizes:?}");
    assert!(sizes.len() >= 2, "{sizes:?}");
}

#[tokio::test]
async fn a_barcode_or_an_id_can_be_the_key_of_a_batch() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let rye = ProductInput {
        barcode: Field::Value("871".into()),
        ..ProductInput::named("Rye")
    };
    let made = products.create(&rye).await.unwrap();
    let dearer = ProductInput {
        barcode: Field::Value("871".into()),
        price_cents: Field::Value(5),
        ..ProductInput::default()
    };
    let by_barcode = products
        .upsert_all([&dearer])
        .match_by(MatchBy::Barcode)
        .run()
        .await
        .unwrap();
    assert_eq!(by_barcode.results[0].status, BatchStatus::Updated);
    assert_eq!(by_barcode.results[0].id, Some(made.id.uuid()));
    let renamed = ProductInput {
        id: Field::Value(made.id),
        ..ProductInput::named("Dark rye")
    };
    let by_id = products
        .upsert_all([renamed])
        .match_by(MatchBy::Id)
        .run()
        .await
        .unwrap();
    assert_eq!(by_id.updated, 1);
    let unknown = [coded("new", "New")];
    let none = products
        .upsert_all(&unknown)
        .create_missing(false)
        .run()
        .await
        .unwrap();
    assert_eq!(
        none.results[0].error.as_ref().unwrap().code,
        ErrorCode::NotFound
    );
}
