//! A webhook set up anew by its owner during a switch-off.

use std::sync::Arc;

use async_trait::async_trait;

use super::*;
use crate::{
    Connect, NewAccount, NewWebhook, WaitingEvents,
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
