//! Which failures are tried again, when, and with what; time is paused and counted.

use std::{future::IntoFuture as _, time::Duration};

use connect_client::{ErrorKind, GaveUp, RetryPolicy, transport::Fault, wire::CategoryInput};
use tokio::time::Instant;

use crate::support::{
    ID, LOCATION, categories,
    records::{category, error, single},
    script::{Reply, Script, bare, json, text},
};

const SECS: fn(u64) -> Duration = Duration::from_secs;

fn created() -> Reply {
    json(201, &single(category("Bread")))
}

fn found() -> Reply {
    json(200, &single(category("Bread")))
}

/// No wait of its own: what is waited is what the service asked for.
fn no_backoff() -> RetryPolicy {
    RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO)
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_call_waits_as_it_is_told() {
    let limited = text(429, &[("retry-after", "7")], "");
    let script = Script::new([limited.clone(), limited, found()]);
    let client = script.client_with(|b| b.retry(no_backoff()));
    let category = categories(&client).get(ID).await.unwrap();
    assert_eq!(category.name, "Bread");
    let times: Vec<Duration> = script.finish().iter().map(|sent| sent.at).collect();
    assert_eq!(times, [SECS(0), SECS(7), SECS(14)]);
}

#[tokio::test(start_paused = true)]
async fn a_date_to_wait_for_counts_from_the_answers_own() {
    let headers = [
        ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT"),
    ];
    let script = Script::new([text(503, &headers, ""), found()]);
    let client = script.client_with(|b| b.retry(no_backoff()));
    categories(&client).get(ID).await.unwrap();
    assert_eq!(script.finish()[1].at, SECS(23));
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_with_the_same_key_and_body() {
    for failure in [
        bare(408),
        bare(429),
        bare(500),
        bare(502),
        bare(503),
        bare(504),
        Reply::Fault(Fault::Connect),
        Reply::Fault(Fault::Timeout),
        Reply::Fault(Fault::Broken),
        Reply::Silence,
    ] {
        let script = Script::new([failure.clone(), failure.clone(), created()]);
        let client = script.client();
        let call = categories(&client).create(&CategoryInput::named("Bread"));
        let response = call.send().await.unwrap();
        assert_eq!(response.meta.attempts, 3, "{failure:?}");
        let sent = script.finish();
        for attempt in &sent {
            assert_eq!(attempt.key(), sent[0].key());
            assert_eq!(attempt.request.body(), sent[0].request.body());
            assert_eq!(attempt.request.uri(), sent[0].request.uri());
            assert_eq!(attempt.request.method(), sent[0].request.method());
        }
        assert!(sent[0].key().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_else_is_tried_again() {
    for status in [301, 400, 401, 403, 404, 405, 409, 413, 422, 431, 501, 505] {
        let headers = [("retry-after", "1")];
        let script = Script::new([text(status, &headers, "")]);
        let call = categories(&script.client()).create(&CategoryInput::default());
        let error = call.await.unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_eq!((error.attempts(), error.gave_up()), (1, None), "{status}");
        assert!(!error.retryable());
        assert_eq!(script.finish().len(), 1, "{status}");
    }
    for fault in [Fault::Tls, Fault::TooLarge, Fault::Unsendable] {
        let script = Script::new([Reply::Fault(fault)]);
        let error = script.client().locations().await.unwrap_err();
        assert!(!error.retryable(), "{fault:?}");
        assert_eq!(script.finish().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn waits_grow_within_their_bounds() {
    let script = Script::new(vec![bare(500); 8]);
    let policy = RetryPolicy::default()
        .max_attempts(8)
        .backoff(SECS(1), SECS(4));
    let client = script.client_with(|b| b.retry(policy));
    let error = client.locations().await.unwrap_err();
    assert_eq!(error.gave_up(), Some(GaveUp::Attempts));
    assert_eq!(error.attempts(), 8);
    assert!(error.to_string().contains("gave up after 8 attempts"));
    let sent = script.finish();
    for (pair, longest) in sent.windows(2).zip([1, 2, 4, 4, 4, 4, 4]) {
        // The clock of tokio counts milliseconds.
        let waited = pair[1].at - pair[0].at;
        assert!(
            waited <= SECS(longest) + Duration::from_millis(1),
            "{waited:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_longer_wait_than_the_budget_ends_the_call_at_once() {
    for (asked, seconds) in [
        ("61", 61),
        ("86400", 86_400),
        ("18446744073709551615", u64::MAX),
        ("999999999999999999999999", u64::MAX),
    ] {
        let body = error("rate_limited", "too many requests").to_string();
        let script = Script::new([text(429, &[("retry-after", asked)], &body)]);
        let client = script.client_with(|b| b.retry(no_backoff().budget(SECS(60))));
        let began = Instant::now();
        let error = client.locations().await.unwrap_err();
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert_eq!(error.gave_up(), Some(GaveUp::RetryAfter));
        assert_eq!(error.retry_after(), Some(SECS(seconds)));
        assert!(error.retryable());
        let told = error.to_string();
        assert!(
            told.contains(&format!("asks to wait {seconds} s")),
            "{told}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_hostile_wait_is_as_none() {
    for asked in ["inf", "1e300", "-1", "nan", "", "1.5", "tomorrow"] {
        let script = Script::new([text(429, &[("retry-after", asked)], ""), found()]);
        let client = script.client_with(|b| b.retry(no_backoff()));
        let response = categories(&client).get(ID).send().await.unwrap();
        assert_eq!(response.meta.attempts, 2, "{asked}");
        assert_eq!(script.finish()[1].at, Duration::ZERO, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_attempt_begins_after_the_budget() {
    let asking = text(503, &[("retry-after", "10")], "");
    let script = Script::new(vec![asking; 4]);
    let policy = no_backoff().max_attempts(100).budget(SECS(35));
    let client = script.client_with(|b| b.retry(policy));
    let error = client.locations().await.unwrap_err();
    assert_eq!(error.gave_up(), Some(GaveUp::RetryAfter));
    assert_eq!(script.finish().last().unwrap().at, SECS(30));

    let script = Script::new(vec![Reply::Silence; 2]);
    let policy = no_backoff().max_attempts(100).budget(SECS(35));
    let client = script.client_with(|b| b.retry(policy).request_timeout(SECS(20)));
    let began = Instant::now();
    let error = client.locations().await.unwrap_err();
    assert_eq!(error.gave_up(), Some(GaveUp::Budget));
    let told = error.to_string();
    assert!(
        told.ends_with("[gave up after 2 attempts, the time for retries is over]"),
        "{told}"
    );
    assert_eq!(script.finish()[1].at, SECS(20));
    assert_eq!(
        began.elapsed(),
        SECS(35),
        "the last attempt has what is left"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_a_minute_at_most_unless_set_otherwise() {
    let script = Script::new(vec![Reply::Silence; 3]);
    let client = script.client_with(|b| b.retry(no_backoff()));
    let began = Instant::now();
    let error = client.locations().await.unwrap_err();
    assert_eq!(began.elapsed(), SECS(60));
    assert_eq!(error.gave_up(), Some(GaveUp::Budget));
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn requests_at_a_time_are_bounded() {
    // Each takes as long as it may, so the turns can be read off the clock.
    let script = Script::new(vec![Reply::Silence; 4]);
    let client = script.client_with(|b| {
        b.max_in_flight(2)
            .request_timeout(SECS(10))
            .retry(RetryPolicy::never().budget(SECS(15)))
    });
    let calls = (0..6).map(|_| client.locations().into_future());
    let ended = futures_util::future::join_all(calls).await;
    let sent: Vec<_> = script.finish().iter().map(|sent| sent.at).collect();
    assert_eq!(sent, [0, 0, 10, 10].map(SECS));
    let busy = ended[5].as_ref().unwrap_err();
    assert!(matches!(busy.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Busy));
    assert_eq!((busy.attempts(), busy.gave_up()), (0, Some(GaveUp::Budget)));
    assert!(busy.retryable() && !busy.may_be_applied());
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_too_late_for_an_attempt_is_not_taken() {
    let script = Script::new([Reply::Silence]);
    let client = script.client_with(|b| {
        b.max_in_flight(1)
            .request_timeout(SECS(10))
            .retry(RetryPolicy::never())
    });
    let began = Instant::now();
    let first = client.locations().into_future();
    // The turn would come when the first request ends, half a second before the time is over.
    let bread = CategoryInput::named("Bread");
    let second = categories(&client).create(&bread);
    let second = second.timeout(Duration::from_millis(10_500)).send();
    let second = async { (second.await.unwrap_err(), began.elapsed()) };
    let (_, (late, ended)) = tokio::join!(first, second);
    assert_eq!(
        late.to_string(),
        format!(
            "POST /locations/{LOCATION}/categories: not sent, as its turn did not come in the time \
             of the call"
        )
    );
    assert!(ended < SECS(10), "{ended:?}");
    assert_eq!((late.attempts(), late.gave_up()), (0, Some(GaveUp::Budget)));
    assert!(!late.may_be_applied());
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_short_call_is_sent_when_nothing_is_in_its_way_and_one_without_time_is_not() {
    let script = Script::new([found()]);
    let categories = categories(&script.client());
    let short = categories.get(ID).timeout(Duration::from_millis(1));
    short.await.unwrap();
    let none = categories.get(ID).timeout(Duration::ZERO);
    let error = none.await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Busy));
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_call_without_the_time_for_another_attempt_reports_the_last_one() {
    let script = Script::new([text(503, &[("retry-after", "1")], ""), Reply::Silence]);
    let client = script.client_with(|b| {
        b.max_in_flight(1)
            .request_timeout(SECS(20))
            .retry(RetryPolicy::default().budget(SECS(10)))
    });
    // The second one takes the only slot while the first one waits, and keeps it.
    let (first, second) = tokio::join!(client.locations(), client.locations());
    let failed = first.unwrap_err();
    assert_eq!(failed.status(), Some(503), "{failed}");
    assert_eq!(
        (failed.attempts(), failed.gave_up()),
        (1, Some(GaveUp::Budget))
    );
    assert_eq!(second.unwrap_err().status(), None);
    script.finish();
}

#[tokio::test(start_paused = true)]
async fn a_silent_service_is_given_up_after_the_timeout() {
    let script = Script::new([Reply::Silence]);
    let client = script.client_with(|b| b.request_timeout(SECS(3)).retry(RetryPolicy::never()));
    let began = Instant::now();
    let call = categories(&client).create(&CategoryInput::named("Bread"));
    let error = call.await.unwrap_err();
    assert_eq!(began.elapsed(), SECS(3));
    assert_eq!(error.status(), None);
    assert!(error.retryable());
    assert!(error.to_string().contains("no answer in time"), "{error}");
    let key = error.idempotency_key().unwrap().as_str();
    assert_eq!(script.finish()[0].key(), Some(key));
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_was_cut_for_slowness_is_sent_again_and_applied_once() {
    let slow = error("validation_failed", "body: did not arrive in time");
    let replayed = [("idempotent-replayed", "true")];
    let created = text(201, &replayed, &single(category("Bread")).to_string());
    let script = Script::new([json(408, &slow), created]);
    let call = categories(&script.client()).create(&CategoryInput::named("Bread"));
    let response = call.send().await.unwrap();
    assert_eq!((response.meta.attempts, response.meta.replayed), (2, true));
    let sent = script.finish();
    assert!(sent[0].key().is_some() && sent[0].key() == sent[1].key());
    assert_eq!(sent[0].request.body(), sent[1].request.body());
}
