//! The probes: alive, and ready.

use std::sync::{Arc, Mutex};

use connect_core::storage::disk::Health;
use connect_tests::{
    http::Request,
    shop::{Setup, Shop},
};

/// What a probe answers: the status code and the body.
async fn ask(shop: &Shop, probe: &str) -> (u16, String) {
    let answer = shop.send_bare(Request::get(probe)).await;
    let body = String::from_utf8(answer.body.to_vec()).unwrap();
    (answer.status.as_u16(), body)
}

#[tokio::test]
async fn they_tell_the_condition_of_the_store() {
    let health = Arc::new(Mutex::new(Health::Working));
    let told = health.clone();
    let setup = Setup::default().health(move || told.lock().unwrap().clone());
    let shop = setup.open().await;
    let failed = Health::Failed {
        reason: "input/output error on disk 7".to_owned(),
    };
    let damaged = Health::Damaged {
        reason: "1 page".to_owned(),
    };
    let alive = (200, r#"{"status":"ok"}"#);
    for (condition, healthz, readyz) in [
        (Health::Working, alive, (200, r#"{"status":"ready"}"#)),
        (
            Health::Full,
            alive,
            (503, r#"{"status":"unready","reason":"full"}"#),
        ),
        (
            Health::Outdated,
            alive,
            (503, r#"{"status":"unready","reason":"version"}"#),
        ),
        (
            damaged,
            alive,
            (503, r#"{"status":"unready","reason":"damaged"}"#),
        ),
        (
            failed,
            (503, r#"{"status":"failed","reason":"store"}"#),
            (503, r#"{"status":"unready","reason":"store"}"#),
        ),
        (Health::Working, alive, (200, r#"{"status":"ready"}"#)),
    ] {
        *health.lock().unwrap() = condition;
        for (probe, (status, body)) in [("/healthz", healthz), ("/readyz", readyz)] {
            assert_eq!(
                ask(&shop, probe).await,
                (status, body.to_owned()),
                "{probe}"
            );
        }
    }
}

#[tokio::test]
async fn a_clock_that_is_not_believed_is_no_good_state() {
    let shop = Setup::default().open().await;
    // A step of the clock, for which no time has passed.
    shop.clock.set("2026-11-25T10:00:00Z".parse().unwrap());
    let clock = r#"{"status":"unready","reason":"clock"}"#;
    assert_eq!(ask(&shop, "/readyz").await, (503, clock.to_owned()));
    assert_eq!(ask(&shop, "/healthz").await.0, 200);
    shop.clock.set("2026-11-20T10:00:30Z".parse().unwrap());
    assert_eq!(ask(&shop, "/readyz").await.0, 200);
}
