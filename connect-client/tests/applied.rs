//! What an error says about whether a write may have been applied.

use connect_client::{
    Error, RetryPolicy,
    transport::Fault,
    wire::{CategoryInput, ProductInput},
};

use crate::support::{
    ID, categories, products,
    records::error,
    script::{Reply, Script, bare, json, text},
};

const UNKNOWN: &str = "[unknown whether it was applied]";

/// An answer of the service itself.
fn refusal(status: u16) -> Reply {
    json(status, &error("conflict", "why"))
}

/// The answer that the service has stored for the key.
fn stored_refusal(status: u16) -> Reply {
    let body = error("conflict", "why").to_string();
    text(status, &[("idempotent-replayed", "true")], &body)
}

/// The error of a write whose attempts end like this.
async fn failed(replies: &[Reply]) -> Error {
    let script = Script::new(replies.to_vec());
    let attempts = u32::try_from(replies.len()).unwrap();
    let policy = RetryPolicy::default().max_attempts(attempts);
    let client = script.client_with(|builder| builder.retry(policy));
    let call = categories(&client).create(&CategoryInput::named("Bread"));
    let error = call.await.unwrap_err();
    script.finish();
    error
}

#[tokio::test(start_paused = true)]
async fn one_attempt_speaks_for_itself() {
    for (reply, may_be) in [
        (refusal(400), false),
        (refusal(401), false),
        (refusal(403), false),
        (refusal(404), false),
        (refusal(408), false),
        (refusal(409), false),
        (refusal(413), false),
        (refusal(422), false),
        (refusal(429), false),
        (refusal(500), true),
        (refusal(503), true),
        // Perhaps not the service's: gateways have errors of this shape.
        (json(400, &error("BadRequest", "why")), true),
        // Not the service's: a proxy may have passed the request on before it answered.
        (bare(302), true),
        (bare(408), true),
        (bare(502), true),
        (text(200, &[], "<html>"), true),
        (Reply::Fault(Fault::Connect), false),
        (Reply::Fault(Fault::Tls), false),
        (Reply::Fault(Fault::Unsendable), false),
        (Reply::Fault(Fault::Timeout), true),
        (Reply::Fault(Fault::Broken), true),
        (Reply::Fault(Fault::TooLarge), true),
        (Reply::Silence, true),
    ] {
        let told = format!("{reply:?}");
        let error = failed(&[reply]).await;
        assert_eq!(error.may_be_applied(), may_be, "{told}");
        assert_eq!(error.to_string().contains(UNKNOWN), may_be, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_settles_earlier_attempts_only_if_the_key_was_looked_up() {
    for unknown in [Reply::Fault(Fault::Broken), Reply::Silence, refusal(500)] {
        for (last, may_be) in [
            (refusal(401), true),
            (refusal(403), true),
            (refusal(413), true),
            (refusal(429), true),
            (Reply::Fault(Fault::Connect), true),
            // A body that came too slowly, a path that is not there.
            (refusal(408), true),
            (refusal(404), true),
            (stored_refusal(404), false),
            (refusal(409), false),
            (json(409, &error("BadRequest", "of a gateway")), true),
            (refusal(422), false),
        ] {
            let told = format!("{unknown:?}, {last:?}");
            let error = failed(&[unknown.clone(), last]).await;
            assert_eq!(error.may_be_applied(), may_be, "{told}");
            assert_eq!(error.to_string().contains(UNKNOWN), may_be, "{error}");
        }
    }
    let settled = [Reply::Silence, refusal(429), refusal(422)];
    assert!(!failed(&settled).await.may_be_applied());
    let refused = [refusal(429), Reply::Fault(Fault::Connect), refusal(401)];
    assert!(!failed(&refused).await.may_be_applied());
}

#[tokio::test(start_paused = true)]
async fn a_read_is_never_applied() {
    for reply in [Reply::Silence, bare(500), text(200, &[], "<html>")] {
        let script = Script::new([reply]);
        let client = script.client_with(|builder| builder.retry(RetryPolicy::never()));
        let error = categories(&client).get(ID).await.unwrap_err();
        assert!(!error.may_be_applied(), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_stopped_says_whether_its_last_items_may_be_saved() {
    for (replies, may_be) in [
        (vec![refusal(403)], false),
        (vec![Reply::Silence, refusal(403)], true),
        (vec![Reply::Silence, refusal(422)], false),
    ] {
        let script = Script::new(replies);
        let batch = products(&script.client()).upsert_all([ProductInput::named("Bread")]);
        let stopped = batch.run().await.unwrap_err();
        assert_eq!(stopped.may_be_saved(), may_be);
        let outcome = ["items 0..1 are not saved", "items 0..1 may be saved"][usize::from(may_be)];
        assert!(stopped.to_string().starts_with(outcome), "{stopped}");
        script.finish();
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_remembers_how_its_request_went_before() {
    let second = std::time::Duration::from_secs(1);
    let script = Script::new([Reply::Silence, refusal(401), refusal(401), refusal(422)]);
    let client = script.client_with(|builder| builder.retry(RetryPolicy::never()));
    let mut batch = products(&client).upsert_all([ProductInput::named("Bread")]);
    // Dropped while it was under way: nobody knows.
    assert!(tokio::time::timeout(second, batch.next()).await.is_err());
    for may_be in [true, true, false] {
        let error = batch.next().await.unwrap().unwrap_err();
        assert_eq!(error.may_be_saved(), may_be, "{error}");
    }
    script.finish();
}
