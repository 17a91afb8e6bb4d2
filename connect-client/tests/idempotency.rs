//! Which requests carry which key.

use connect_client::{
    IdempotencyKey,
    wire::{CategoryInput, ProductBatch},
};

use crate::support::{
    ID, categories, products,
    records::{all_created, category, page, single},
    script::{Script, bare, json, text},
};

#[tokio::test]
async fn every_write_has_a_key_of_its_own_and_no_read_has_one() {
    let record = single(category("Bread"));
    let script = Script::new([
        json(201, &record),
        json(201, &record),
        json(200, &record),
        bare(204),
        json(200, &all_created(0)),
        json(200, &record),
        json(200, &page([], None)),
        json(200, &single(serde_json::json!([]))),
    ]);
    let client = script.client();
    let categories = categories(&client);
    let bread = CategoryInput::named("Bread");
    categories.create(&bread).await.unwrap();
    categories.create(&bread).await.unwrap();
    categories.update(ID, &bread).await.unwrap();
    categories.delete(ID).await.unwrap();
    let batch = ProductBatch::new(Vec::new());
    products(&client).batch(&batch).await.unwrap();
    categories.get(ID).await.unwrap();
    categories.list(&Default::default()).await.unwrap();
    client.locations().await.unwrap();

    let sent = script.finish();
    let (writes, reads) = sent.split_at(5);
    let keys: std::collections::HashSet<_> =
        writes.iter().map(|sent| sent.key().unwrap()).collect();
    assert_eq!(keys.len(), 5);
    for key in keys {
        assert!((1..=100).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()));
    }
    assert!(reads.iter().all(|sent| sent.key().is_none()));
}

#[tokio::test(start_paused = true)]
async fn a_key_of_ones_own_is_sent_on_every_attempt_and_the_replay_is_told() {
    let replay = [("idempotent-replayed", "true"), ("x-request-id", "r-9")];
    let body = single(category("Bread")).to_string();
    let script = Script::new([bare(500), text(201, &replay, &body)]);
    let client = script.client();
    let key = IdempotencyKey::new("order-17").unwrap();
    let call = categories(&client).create(&CategoryInput::named("Bread"));
    let response = call.idempotency_key(key).send().await.unwrap();
    assert!(response.meta.replayed);
    assert_eq!(response.meta.request_id.as_deref(), Some("r-9"));
    assert_eq!(response.meta.attempts, 2);
    for sent in script.finish() {
        assert_eq!(sent.key(), Some("order-17"));
    }
}

/// The service keeps the answer with the key: the second attempt gets the 204 that was lost, not
/// a 404.
#[tokio::test(start_paused = true)]
async fn a_delete_whose_answer_was_lost_still_succeeds() {
    let script = Script::new([
        crate::support::script::Reply::Silence,
        text(204, &[("idempotent-replayed", "true")], ""),
    ]);
    let response = categories(&script.client())
        .delete(ID)
        .send()
        .await
        .unwrap();
    assert!(response.meta.replayed);
    let sent = script.finish();
    assert_eq!(sent[0].key(), sent[1].key());
}

#[tokio::test]
async fn a_read_ignores_a_key() {
    let script = Script::new([json(200, &single(category("Bread")))]);
    let key = IdempotencyKey::new("random").unwrap();
    let call = categories(&script.client()).get(ID).idempotency_key(key);
    call.await.unwrap();
    assert_eq!(script.finish()[0].key(), None);
}
