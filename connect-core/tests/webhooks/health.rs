//! Switching off after fifty failures in a row, telling the owner, and switching on again.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::{
    OwnerMail, SwitchOffReason, WaitingEvents,
    environment::{Mail, Mailer},
    wire::EventType,
};

use super::{Scene, URL, endpoints::Answers};
#[derive(Default)]
struct Mails {
    sent: Mutex<Vec<Mail>>,
    is_down: Mutex<bool>,
}

#[async_trait]
impl Mailer for Mails {
    async fn send(&self, mail: &Mail) -> Result<(), String> {
        if *self.is_down.lock().unwrap() {
            return Err("the mail server is down".to_owned());
        }
        self.sent.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

/// A scene with an endpoint that always fails, and `events` events for it.
async fn failing(events: usize) -> Scene {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.endpoints.answer(URL, Answers::Status(500));
    for number in 0..events {
        scene.product(&format!("Product {number}")).await;
    }
    scene
}

/// Lets a minute pass before each round, until the webhook of the scene is off. Returns the minutes.
pub(super) async fn fail_until_off(scene: &Scene) -> i64 {
    for minute in 0..200 {
        if scene.worker.tick().await.unwrap().switched_off == 1 {
            return minute;
        }
        scene.shop.clock.advance(60);
    }
    panic!("it is never switched off");
}

/// A row of failures is five at once and then one a minute.
#[tokio::test]
async fn the_fiftieth_failure_in_a_row_switches_a_webhook_off() {
    let scene = failing(60).await;
    let account = scene.shop.account;
    let failures = async || scene.connect().webhooks(account).await.unwrap()[0].1;
    let mut made = Vec::new();
    for minute in 0..45 {
        scene.worker.tick().await.unwrap();
        // Not before its minute, whatever comes.
        scene.shop.clock.advance(59);
        scene.product(&format!("At {minute}")).await;
        scene.worker.tick().await.unwrap();
        made.push(scene.endpoints.take().len());
        scene.shop.clock.advance(1);
    }
    assert_eq!(made, [&[5][..], &[1; 44]].concat());
    let health = failures().await;
    assert_eq!((health.failures_in_a_row, health.is_probed()), (49, true));
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.switched_off, work.given_up), (1, 0));
    let (webhook, _) = scene.connect().webhooks(account).await.unwrap().remove(0);
    let off = scene.now(&webhook).await.switched_off.unwrap();
    assert_eq!(off.reason, SwitchOffReason::Failures);
    assert_eq!(off.owner_mail, Some(OwnerMail::NotConfigured));

    // What is due waits, and so do new events. Nobody looks at them.
    scene.endpoints.take();
    scene.product("Later").await;
    scene.shop.clock.advance(86_400);
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    assert_eq!(scene.endpoints.take().len(), 0);
    let waiting = scene.connect().waiting_events(account, webhook.id).await;
    assert_eq!(waiting.unwrap(), 60 + 45 + 1);
    scene.check().await;
}

/// Those that are under way when the endpoint fails do not count beyond the fifth.
#[tokio::test]
async fn a_bad_moment_of_a_busy_endpoint_counts_as_five_failures() {
    let scene = Scene::open().await;
    scene.webhook(&[EventType::ProductChanged]).await;
    scene.endpoints.answer(URL, Answers::Status(200));
    for number in 0..100 {
        scene.product(&format!("Product {number}")).await;
    }
    // It answers 60, by which 32 are sent at a time, and then no more.
    scene.endpoints.answer(URL, Answers::FailsAfter(60));
    let work = scene.worker.tick().await.unwrap();
    assert_eq!(work.delivered, 60);
    assert!(work.postponed > 20, "{work:?}");
    let account = scene.shop.account;
    let health = scene.connect().webhooks(account).await.unwrap()[0].1;
    assert_eq!(health.failures_in_a_row, 5);
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(60);
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 40);
    scene.check().await;
}

#[tokio::test]
async fn a_success_starts_the_count_again() {
    let scene = failing(60).await;
    let account = scene.shop.account;
    for _ in 0..45 {
        scene.worker.tick().await.unwrap();
        scene.shop.clock.advance(60);
    }
    let health = scene.connect().webhooks(account).await.unwrap()[0].1;
    assert_eq!(health.failures_in_a_row, 49);
    scene.endpoints.answer(URL, Answers::Status(200));
    // The probe, and all that waited for it.
    let work = scene.worker.tick().await.unwrap();
    assert!(work.delivered > 20, "{work:?}");
    let health = scene.connect().webhooks(account).await.unwrap()[0].1;
    assert_eq!(health.failures_in_a_row, 0);
    scene.shop.clock.advance(86_400);
    scene.worker.tick().await.unwrap();
    let waiting = scene.connect().backlog().await.unwrap().deliveries.count;
    assert_eq!(waiting, 0, "lost or left");
}

#[tokio::test]
async fn a_webhook_that_is_switched_on_again_goes_on_with_new_events() {
    let scene = failing(50).await;
    let account = scene.shop.account;
    fail_until_off(&scene).await;
    let (webhook, _) = scene.connect().webhooks(account).await.unwrap().remove(0);
    scene.endpoints.take();
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(1);
    scene.switch_on(&webhook, WaitingEvents::Drop).await;
    let (_, health) = scene.connect().webhooks(account).await.unwrap().remove(0);
    assert_eq!(health.failures_in_a_row, 0);
    assert_ne!(health.last_failure_at, None);
    scene.product("New").await;
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.delivered, work.given_up), (1, 50));

    // What was given up can be sent again.
    let lost = scene.log(&webhook).await[0].clone();
    let again = scene.connect().resend(account, webhook.id, lost.id);
    let again = again.await.unwrap();
    assert_ne!(again.id, lost.id);
    scene.worker.tick().await.unwrap();
    let events = scene.endpoints.events();
    assert_eq!(events[1].id, lost.event_id);
    scene.check().await;
}

#[tokio::test]
async fn the_owner_is_told_once() {
    let scene = failing(50).await;
    let mails = Arc::new(Mails::default());
    *mails.is_down.lock().unwrap() = true;
    let worker = scene
        .connect()
        .webhook_worker(scene.endpoints.clone(), Some(mails.clone()));
    for _ in 0..46 {
        worker.tick().await.unwrap();
        scene.shop.clock.advance(60);
    }
    let account = scene.shop.account;
    let (webhook, _) = scene.connect().webhooks(account).await.unwrap().remove(0);
    let mail = |off: connect_core::SwitchedOff| off.owner_mail;
    let state = scene.now(&webhook).await.switched_off.and_then(mail);
    assert_eq!(state, Some(OwnerMail::Due));
    *mails.is_down.lock().unwrap() = false;
    for _ in 0..3 {
        scene.shop.clock.advance(300);
        worker.tick().await.unwrap();
    }
    let sent = mails.sent.lock().unwrap().clone();
    let [sent] = &sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!(sent.to, "owner@shop.example");
    assert!(sent.text.contains("https://hooks.example/in"), "{sent:?}");
    // The address of the dashboard is not known.
    let place = format!(
        "or dropped. Sign in to the dashboard of the service, open Webhooks, and choose this one. If you \
         do not know the address of the dashboard, ask the operator, and name the webhook: {}\n",
        webhook.id
    );
    assert!(sent.text.ends_with(&place), "{sent:?}");
    assert_eq!(sent.text.matches("://").count(), 1, "{sent:?}");
    let state = scene.now(&webhook).await.switched_off.and_then(mail);
    assert_eq!(state, Some(OwnerMail::Sent));
}

/// The owner learns all that is needed to act, and the message holds no secret.
#[tokio::test]
async fn the_owner_is_told_what_failed_and_what_to_do() {
    let scene = Scene::open().await;
    let url = "https://hooks.example/in?key=secret";
    let events = [EventType::ProductChanged];
    let issued = scene.webhook_at(url, &events, &[]).await;
    let mails = Arc::new(Mails::default());
    let worker = scene
        .connect()
        .webhook_worker(scene.endpoints.clone(), Some(mails.clone()))
        .with_pages("https://shop.example/dashboard/webhooks");
    // What failed before the success is of no interest.
    for (status, count) in [(404, 1), (200, 1), (500, 60)] {
        scene.endpoints.answer(url, Answers::Status(status));
        for number in 0..count {
            scene.product(&format!("{status} {number}")).await;
        }
        scene.shop.clock.advance(30);
        worker.tick().await.unwrap();
    }
    for probe in 1..=45 {
        let status = if probe == 45 { 503 } else { 500 };
        scene.endpoints.answer(url, Answers::Status(status));
        scene.shop.clock.advance(60);
        worker.tick().await.unwrap();
    }
    let sent = mails.sent.lock().unwrap().clone();
    let [mail] = &sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!(mail.subject, "A webhook of Shop was switched off");
    let id = issued.webhook.id;
    let expected = format!(
        "The webhook of Shop to https://hooks.example/in was switched off: 50 attempts in a row \
         have failed since 2027-01-15 08:01 UTC.\n\n\
         The reason of the last failure: The endpoint answered 503. It must answer 200 to 299.\n\n\
         Waiting and new events are kept for up to 30 days.\n\n\
         What to do next: repair the endpoint, then switch the webhook on again. You choose whether the \
         waiting events are sent, in order, or dropped. There you also find the recent attempts, and what the \
         endpoint answered:\n\n    \
         https://shop.example/dashboard/webhooks/{id}\n"
    );
    assert_eq!(mail.text, expected);
    assert!(!mail.text.contains("secret") && !mail.text.contains(issued.secret.expose()));
}
