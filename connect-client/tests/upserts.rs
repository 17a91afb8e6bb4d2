//! Batches of any length.

use std::cell::Cell;

use connect_client::{
    RetryPolicy,
    wire::{
        BatchStatus, ErrorCode, Field, MatchBy, ProductBatch, ProductInput,
        limits::{MAX_BODY_BYTES, MAX_PRODUCTS_PER_BATCH},
    },
};
use serde_json::json;

use futures_util::StreamExt as _;

use crate::support::{
    products,
    records::{all_created, counts, error},
    script::{Reply, Script, bare, json, text},
};

fn numbered(n: usize) -> ProductInput {
    ProductInput {
        external_id: Field::Value(format!("P-{n}")),
        ..ProductInput::named(format!("Product {n}"))
    }
}

fn menu(items: usize) -> Vec<ProductInput> {
    (0..items).map(numbered).collect()
}

#[tokio::test]
async fn a_long_batch_is_cut_by_count_and_its_results_are_put_together() {
    let script = Script::new([
        json(200, &all_created(500)),
        json(200, &all_created(500)),
        json(200, &all_created(1)),
    ]);
    let menu = menu(1001);
    let mut steps = Vec::new();
    let total = products(&script.client())
        .upsert_all(&menu)
        .run_with(|step| steps.push(step.items.clone()))
        .await
        .unwrap();
    assert_eq!(steps, [0..500, 500..1000, 1000..1001]);
    assert_eq!(counts(&total), [1001, 0, 0, 0, 3]);
    let indexes: Vec<usize> = total.results.iter().map(|item| item.index).collect();
    assert_eq!(indexes, (0..1001).collect::<Vec<_>>());
    let sent = script.finish();
    assert_ne!(sent[0].key(), sent[1].key());
    for (sent, items) in sent.iter().zip(steps) {
        let batch = ProductBatch::new(menu[items].to_vec());
        let plain = serde_json::to_vec(&batch).unwrap();
        assert_eq!(
            sent.request.body(),
            &plain,
            "as one batch of these would be sent"
        );
    }
}

#[tokio::test]
async fn a_long_batch_is_cut_by_bytes_envelope_included() {
    // About 8 kB each, of three bytes a character.
    let item = |n| ProductInput {
        description: Field::Value("€".repeat(2000) + &"\n".repeat(1000)),
        ..numbered(n)
    };
    let script = Script::new((0..9).map(|_| json(200, &all_created(0))));
    let menu: Vec<ProductInput> = (0..2000).map(item).collect();
    let mut upsert = products(&script.client()).upsert_all(menu.iter());
    let mut cuts = Vec::new();
    while let Some(step) = upsert.next().await {
        cuts.push(step.unwrap().items);
    }
    assert_eq!(cuts.first().unwrap().start, 0);
    assert_eq!(cuts.last().unwrap().end, menu.len());
    assert!(cuts.windows(2).all(|pair| pair[0].end == pair[1].start));
    for (at, sent) in script.finish().iter().enumerate() {
        let size = sent.request.body().len();
        assert!(size <= MAX_BODY_BYTES, "request {at} has {size} bytes");
        if let Some(next) = menu.get(cuts[at].end) {
            let next = serde_json::to_vec(next).unwrap().len();
            assert!(
                size + 1 + next > MAX_BODY_BYTES,
                "request {at} had room for one more"
            );
        }
    }
}

#[tokio::test]
async fn a_refused_item_has_its_place_in_the_whole() {
    let failed = |index: usize, message: &str| {
        json!({ "index": index, "status": "failed",
            "error": { "code": "validation_failed", "message": message } })
    };
    let part = json!({ "data": {
        "created": 0, "updated": 0, "unchanged": 0, "failed": 2, "imagesQueued": 0,
        "results": [failed(0, "name: is required"), failed(1, "priceCents: is odd")],
    } });
    let script = Script::new([json(200, &all_created(500)), json(200, &part)]);
    let upsert = products(&script.client()).upsert_all(menu(502));
    let results = upsert.run().await.unwrap().results;
    let told = |at: usize| results[at].error.as_ref().unwrap().message.as_str();
    assert_eq!((results[500].index, results[501].index), (500, 501));
    assert_eq!(told(500), "name: is required");
    assert_eq!(told(501), "priceCents: is odd");
    script.finish();
}

#[tokio::test]
async fn settings_are_sent_with_every_request() {
    let script = Script::new([json(200, &all_created(500)), json(200, &all_created(1))]);
    let upsert = products(&script.client())
        .upsert_all(menu(501))
        .match_by(MatchBy::Barcode)
        .create_missing(false)
        .dry_run(true);
    upsert.run().await.unwrap();
    for sent in script.finish() {
        let body = sent.json();
        assert_eq!(body["matchBy"], "barcode");
        assert_eq!(body["createMissing"], false);
        assert_eq!(body["dryRun"], true);
    }
}

#[tokio::test]
async fn nothing_to_send_sends_nothing() {
    let script = Script::new([]);
    let nothing: [ProductInput; 0] = [];
    let total = products(&script.client()).upsert_all(nothing).run().await;
    assert_eq!(counts(&total.unwrap()), [0; 5]);
}

#[tokio::test]
async fn a_request_that_fails_tells_what_was_saved() {
    let script = Script::new([
        json(200, &all_created(500)),
        json(403, &error("forbidden_scope", "catalog:write is needed")),
    ]);
    let menu = menu(1200);
    let stopped = products(&script.client())
        .upsert_all(&menu)
        .run()
        .await
        .unwrap_err();
    assert_eq!(stopped.resume_from(), 500);
    assert_eq!(stopped.items(), 500..1000);
    assert_eq!(counts(stopped.saved()), [500, 0, 0, 0, 1]);
    assert_eq!(stopped.error().code(), Some(&ErrorCode::ForbiddenScope));
    assert!(stopped.to_string().contains("items 500..1000"), "{stopped}");
    let cause = std::error::Error::source(&stopped).unwrap();
    assert_eq!(cause.to_string(), stopped.error().to_string());
    let sent = script.finish();
    let key = stopped.error().idempotency_key().unwrap().as_str();
    assert_eq!(sent[1].key(), Some(key));
    let as_error: connect_client::Error = stopped.into();
    assert_eq!(as_error.status(), Some(403));
}

#[tokio::test]
async fn going_on_after_an_error_sends_the_same_request_again() {
    let script = Script::new([
        json(200, &all_created(500)),
        bare(500),
        Reply::Fault(connect_client::transport::Fault::Broken),
        json(200, &all_created(3)),
    ]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    let mut upsert = products(&client).upsert_all(menu(503));
    assert_eq!(upsert.next().await.unwrap().unwrap().items, 0..500);
    upsert.next().await.unwrap().unwrap_err();
    upsert.next().await.unwrap().unwrap_err();
    let last = upsert.next().await.unwrap().unwrap();
    assert_eq!(last.items, 500..503);
    assert_eq!(last.result.results[0].index, 500);
    assert!(upsert.next().await.is_none());
    let sent = script.finish();
    for again in &sent[2..] {
        assert_eq!(again.key(), sent[1].key());
        assert_eq!(again.request.body(), sent[1].request.body());
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_that_was_dropped_is_not_lost() {
    let script = Script::new([Reply::Silence, json(200, &all_created(2))]);
    let mut upsert = products(&script.client()).upsert_all(menu(2));
    let second = std::time::Duration::from_secs(1);
    let dropped = tokio::time::timeout(second, upsert.next()).await;
    assert!(dropped.is_err());
    assert_eq!(upsert.next().await.unwrap().unwrap().items, 0..2);
    let sent = script.finish();
    assert_eq!(sent[0].key(), sent[1].key());
}

#[tokio::test]
async fn an_item_too_large_for_any_request_fails_alone() {
    let script = Script::new([json(200, &all_created(2)), json(200, &all_created(1))]);
    let mut menu = menu(4);
    menu[2].description = Field::Value("x".repeat(MAX_BODY_BYTES));
    let mut steps = Vec::new();
    let total = products(&script.client())
        .upsert_all(&menu)
        .run_with(|step| steps.push(step.items.clone()))
        .await;
    let total = total.unwrap();
    assert_eq!(steps, [0..2, 2..3, 3..4]);
    assert_eq!(counts(&total), [3, 0, 0, 1, 2]);
    let indexes: Vec<usize> = total.results.iter().map(|item| item.index).collect();
    assert_eq!(indexes, [0, 1, 2, 3]);
    let refused = &total.results[2];
    assert_eq!(refused.status, BatchStatus::Failed);
    assert_eq!(refused.external_id.as_deref(), Some("P-2"));
    let why = refused.error.as_ref().unwrap();
    assert_eq!(why.code, ErrorCode::PayloadTooLarge);
    assert!(why.message.starts_with("has "), "{}", why.message);
    for (sent, names) in script
        .finish()
        .iter()
        .zip([json!(["Product 0", "Product 1"]), json!(["Product 3"])])
    {
        let body = sent.json();
        let items = body["items"].as_array().unwrap();
        let sent: Vec<_> = items.iter().map(|item| item["name"].clone()).collect();
        assert_eq!(json!(sent), names);
    }
}

#[tokio::test]
async fn items_are_taken_as_they_are_sent() {
    let taken = Cell::new(0);
    let items = (0..10_000).map(|n| {
        taken.set(n + 1);
        numbered(n)
    });
    let script = Script::new([json(200, &all_created(500)), bare(401)]);
    let mut upsert = products(&script.client()).upsert_all(items);
    upsert.next().await.unwrap().unwrap();
    assert_eq!(taken.get(), MAX_PRODUCTS_PER_BATCH);
    upsert.next().await.unwrap().unwrap_err();
    assert_eq!(taken.get(), 2 * MAX_PRODUCTS_PER_BATCH);
}

#[tokio::test]
async fn a_long_batch_is_a_stream_of_its_requests() {
    let refused = json(422, &error("validation_failed", "no"));
    let script = Script::new([json(200, &all_created(500)), refused]);
    let items = vec![ProductInput::named("Bread"); 501];
    let steps = products(&script.client()).upsert_all(&items).into_stream();
    let steps: Vec<_> = steps.collect().await;
    assert_eq!(steps.len(), 2, "nothing comes after an error");
    let first = steps[0].as_ref().unwrap();
    assert_eq!((first.items.clone(), first.result.created), (0..500, 500));
    let stopped = steps[1].as_ref().unwrap_err();
    assert_eq!((stopped.items(), stopped.resume_from()), (500..501, 500));
    assert_eq!(
        (stopped.error().status(), stopped.may_be_saved()),
        (Some(422), false)
    );
    let told = stopped.to_string();
    assert!(
        told.starts_with("items 500..501 are not saved; those before are done: "),
        "{told}"
    );
    script.finish();
}

#[tokio::test]
async fn a_program_goes_on_where_the_error_says_with_the_key_of_the_failed_request() {
    let broken = Reply::Fault(connect_client::transport::Fault::Broken);
    let script = Script::new([
        json(200, &all_created(500)),
        broken,
        json(200, &all_created(500)),
        json(200, &all_created(1)),
    ]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    let (products, menu) = (products(&client), menu(1001));
    let import = || {
        products
            .upsert_all(&menu)
            .idempotency_key_prefix("import-17")
    };
    let stopped = import().run().await.unwrap_err();
    assert!(stopped.may_be_saved());
    let rest = import()
        .resume_from(stopped.resume_from())
        .run()
        .await
        .unwrap();
    assert_eq!(rest.created, 501);
    assert_eq!(
        (rest.results[0].index, rest.results[500].index),
        (500, 1000)
    );
    let sent = script.finish();
    assert_eq!(sent[2].key(), Some("import-17-500"));
    assert_eq!(sent[2].key(), sent[1].key());
    assert_eq!(sent[2].request.body(), sent[1].request.body());
    assert_eq!(sent[3].key(), Some("import-17-1000"));
}

/// The counts of what an earlier run has done are those of then.
#[tokio::test]
async fn what_an_earlier_run_has_done_is_told_apart() {
    let stored = text(
        200,
        &[("idempotent-replayed", "true")],
        &all_created(500).to_string(),
    );
    let script = Script::new([stored.clone(), stored, json(200, &all_created(1))]);
    let mut steps = Vec::new();
    let total = products(&script.client())
        .upsert_all(menu(1001))
        .idempotency_key_prefix("import-17")
        .run_with(|step| steps.push(step.result.replayed))
        .await
        .unwrap();
    assert_eq!((total.created, total.replayed), (1001, 1000));
    assert_eq!(steps, [500, 500, 0]);
}

#[tokio::test]
async fn nothing_is_left_behind_the_end() {
    let script = Script::new([]);
    let batch = products(&script.client())
        .upsert_all(menu(2))
        .resume_from(7);
    assert_eq!(counts(&batch.run().await.unwrap()), [0; 5]);
}
