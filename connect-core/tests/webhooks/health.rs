//! Switching off after fifty failures in a row, telling the owner, and switching on again.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::{
    DeliveryStatus, OwnerMail, SwitchOffReason,
    environment::{Mail, Mailer},
    storage::memory::MemoryStorage,
    wire::EventType,
};

use super::{Scene, URL, endpoints::Answers};
use crate::{faulty::Faulty, shop};

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

#[tokio::test]
async fn the_fiftieth_failure_in_a_row_switches_a_webhook_off() {
    let scene = failing(49).await;
    let account = scene.shop.account;
    scene.worker.tick().await.unwrap();
    let (webhook, health) = scene.connect().webhooks(account).await.unwrap().remove(0);
    assert!(webhook.is_enabled());
    assert_eq!(health.failures_in_a_row, 49);
    scene.product("One more").await;
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.switched_off, work.given_up), (1, 50));
    assert_eq!(scene.endpoints.take().len(), 50);
    let off = scene.now(&webhook).await.switched_off.unwrap();
    assert_eq!(off.reason, SwitchOffReason::Failures);
    assert_eq!(off.owner_mail, Some(OwnerMail::NotConfigured));

    // New events make no deliveries, and the old ones are not tried again.
    scene.product("Later").await;
    scene.shop.clock.advance(86_400);
    assert_eq!(scene.worker.tick().await.unwrap(), Default::default());
    let log = scene.log(&webhook).await;
    assert_eq!(log.len(), 50);
    assert!(log.iter().all(|d| d.status == DeliveryStatus::GivenUp));
    scene.check().await;
}

#[tokio::test]
async fn many_waiting_events_do_not_make_it_more_than_fifty() {
    let scene = failing(120).await;
    scene.worker.tick().await.unwrap();
    assert_eq!(scene.endpoints.take().len(), 50);
}

#[tokio::test]
async fn a_success_starts_the_count_again() {
    let scene = failing(49).await;
    scene.worker.tick().await.unwrap();
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.product("Good").await;
    scene.worker.tick().await.unwrap();
    scene.endpoints.answer(URL, Answers::Status(500));
    scene.shop.clock.advance(60);
    let work = scene.worker.tick().await.unwrap();
    assert_eq!((work.switched_off, work.postponed), (0, 49));
}

#[tokio::test]
async fn a_webhook_that_is_switched_on_again_goes_on_with_new_events() {
    let scene = failing(50).await;
    let account = scene.shop.account;
    scene.worker.tick().await.unwrap();
    let (webhook, _) = scene.connect().webhooks(account).await.unwrap().remove(0);
    scene.endpoints.take();
    scene.endpoints.answer(URL, Answers::Status(200));
    scene.shop.clock.advance(1);
    scene
        .connect()
        .enable_webhook(account, webhook.id)
        .await
        .unwrap();
    let (_, health) = scene.connect().webhooks(account).await.unwrap().remove(0);
    assert_eq!(health.failures_in_a_row, 0);
    assert_ne!(health.last_failure_at, None);
    scene.product("New").await;
    assert_eq!(scene.worker.tick().await.unwrap().delivered, 1);

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
    worker.tick().await.unwrap();
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
        .webhook_worker(scene.endpoints.clone(), Some(mails.clone()));
    // What failed before the success is of no interest. It is tried again with the 48.
    for (status, count) in [(404, 1), (200, 1), (500, 48), (503, 1)] {
        scene.endpoints.answer(url, Answers::Status(status));
        for number in 0..count {
            scene.product(&format!("{status} {number}")).await;
        }
        scene.shop.clock.advance(30);
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
         No events are sent to it any more. Nothing is lost: events can be read from the event feed \
         for 30 days.\n\n\
         What to do next: mend the endpoint, then switch the webhook on again:\n\n    \
         connect-server webhook enable {id}\n\n\
         Its recent attempts, and what the endpoint answered:\n\n    \
         connect-server webhook deliveries {id}\n"
    );
    assert_eq!(mail.text, expected);
    assert!(!mail.text.contains("secret") && !mail.text.contains(issued.secret.expose()));
}

/// The owner switches a webhook on while its deliveries are given up. Those that come from then on are
/// delivered.
#[tokio::test]
async fn what_comes_after_switching_on_is_not_given_up() {
    let storage = Faulty::new(Arc::new(MemoryStorage::new()));
    let scene = Scene::over(shop::open_on(storage.clone()).await);
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    // More than are given up by one commit.
    for number in 0..1200 {
        scene.product(&format!("Product {number}")).await;
    }
    let off = scene.connect().disable_webhook(account, webhook.id).await;
    off.unwrap();
    let (mut is_reached, mut release) = storage.hold_next_read();
    let owner = async {
        loop {
            is_reached.await.unwrap();
            if !scene.log(&webhook).await.is_empty() {
                break;
            }
            let next = storage.hold_next_read();
            release.send(()).unwrap();
            (is_reached, release) = next;
        }
        let on = scene.connect().enable_webhook(account, webhook.id).await;
        on.unwrap();
        scene.product("After").await;
        release.send(()).unwrap();
    };
    let (work, ()) = tokio::join!(scene.worker.tick(), owner);
    let more = scene.worker.tick().await.unwrap();
    let (given_up, delivered) = (work.unwrap().given_up, more.delivered);
    assert!(given_up < 1200, "{given_up}");
    assert_eq!(given_up + delivered, 1201);
    let events = scene.endpoints.events();
    assert!(events.iter().any(|event| event.data["name"] == "After"));
    scene.check().await;
}
