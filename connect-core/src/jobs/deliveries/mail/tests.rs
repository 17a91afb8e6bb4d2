//! A webhook set up anew by its owner during a switch-off, and the mail about it.

use std::{fmt::Write as _, sync::Arc};

use async_trait::async_trait;

use super::*;
use crate::{
    Connect, NewAccount, NewWebhook, WaitingEvents,
    jobs::mail::tests::{LANGUAGES, assert_is},
    storage::memory::MemoryStorage,
    transaction::environment::{
        ManualClock, SendFailure, WebhookAnswer, WebhookRequest, WebhookSender,
    },
    wire::EventType,
};

/// A sender without room for any request.
struct Nowhere;

#[async_trait]
impl WebhookSender for Nowhere {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        Err(SendFailure::NotTried)
    }
}

#[tokio::test]
async fn what_the_owner_did_meanwhile_stays() {
    let clock = ManualClock::at(Timestamp::EPOCH);
    let storage = Arc::new(MemoryStorage::new());
    let connect = Connect::builder(storage).clock(clock.clone()).build();
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let new = NewWebhook {
        url: "https://hooks.example/in".into(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    let seen = connect.create_webhook(account, new).await.unwrap().webhook;
    let worker = connect.webhook_worker(Arc::new(Nowhere), None);
    let now = async || connect.webhook(account, seen.id).await.unwrap();

    connect.disable_webhook(account, seen.id).await.unwrap();
    let off = now().await;
    assert!(!switch_off(&worker, &seen).await.unwrap());
    assert_eq!(now().await, off, "switched off by its owner");

    clock.advance(10);
    let again = connect.enable_webhook(account, seen.id, WaitingEvents::Send);
    again.await.unwrap();
    let on = now().await;
    assert!(!switch_off(&worker, &seen).await.unwrap());
    assert_eq!(now().await, on, "switched on again");

    assert!(switch_off(&worker, &on).await.unwrap());
    let off = now().await.switched_off.unwrap();
    assert_eq!(off.reason, SwitchOffReason::Failures);
    assert_eq!(off.owner_mail, Some(OwnerMail::Due));
    assert!(!switch_off(&worker, &on).await.unwrap());
}

#[test]
fn mail_about_a_webhook_is_as_in_the_transcript() {
    let account: Account = serde_json::from_value(serde_json::json!({
        "id": "00000000-0000-0000-0000-000000000001",
        "name": "Rye & Spelt",
        "ownerEmail": "noor@rye.example",
        "sandbox": false,
        "locations": [],
        "screens": [],
    }))
    .unwrap();
    let webhook = Webhook {
        id: uuid::Uuid::from_u128(2).into(),
        account_id: account.id,
        url: "https://hooks.example/in?key=secret#part".into(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
        created_at: Timestamp::EPOCH,
        enabled_at: Timestamp::EPOCH,
        switched_off: None,
    };
    let failing = |reason: Option<&str>| Failing {
        since: "2027-01-15T08:01:30Z".parse().unwrap(),
        reason: reason.map(str::to_owned),
    };
    let reason = "The endpoint answered 503. It must answer 200 to 299.";
    let mut transcript = String::new();
    for failing in [None, Some(failing(None)), Some(failing(Some(reason)))] {
        for pages in [None, Some("https://shop.example/dashboard/webhooks")] {
            for (language, ..) in LANGUAGES {
                let kind = serde_json::to_string(&failing).unwrap();
                let mail = message(*language, &account, &webhook, failing.as_ref(), pages);
                let _ = writeln!(transcript, "> {language:?} {kind}");
                let _ = write!(transcript, "{}\n{}\n", mail.subject, mail.text);
            }
        }
    }
    assert_is(&transcript, "src/jobs/deliveries/mail/transcript.txt");
}
