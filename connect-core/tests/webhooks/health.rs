//! The message to the owner of a disabled webhook.

use std::sync::Arc;

use super::{PRODUCTS, Scene, endpoints::Answers};
use crate::mails::Mails;

/// The owner learns all that is needed to act, and the message holds no secret.
#[tokio::test]
async fn the_owner_is_told_what_failed_and_what_to_do() {
    let page = "There you also find the recent attempts, and what the endpoint answered:\n\n    \
                https://shop.example/dashboard/webhooks/";
    let no_page = "Sign in to the dashboard of the service, open Webhooks, and choose this one. If \
                   you do not know the address of the dashboard, ask the operator, and name the \
                   webhook: ";
    for (pages, place) in [
        (Some("https://shop.example/dashboard/webhooks"), page),
        (None, no_page),
    ] {
        let scene = Scene::open().await;
        let url = "https://hooks.example/in?key=secret";
        let issued = scene.webhook_at(url, &PRODUCTS, &[]).await;
        let mails = Arc::new(Mails::default());
        let (connect, endpoints) = (scene.connect(), scene.endpoints.clone());
        let mut worker = connect.webhook_worker(endpoints, Some(mails.clone()));
        if let Some(pages) = pages {
            worker = worker.with_pages(pages);
        }
        // What failed before the success is of no interest.
        for (status, count) in [(404, 1), (200, 1), (500, 60)] {
            scene.endpoints.answer(url, Answers::Status(status));
            scene.products(count).await;
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
        assert_eq!(mail.to, "owner@shop.example");
        assert_eq!(mail.subject, "A webhook of Shop was switched off");
        let id = issued.webhook.id;
        let expected = format!(
            "The webhook of Shop to https://hooks.example/in was switched off: 50 attempts in a row \
             have failed since 2027-01-15 08:01 UTC.\n\n\
             The reason of the last failure: The endpoint answered 503. It must answer 200 to 299.\n\n\
             Waiting and new events are kept for up to 30 days.\n\n\
             What to do next: repair the endpoint, then switch the webhook on again. You choose whether \
             the waiting events are sent, in order, or dropped. {place}{id}\n"
        );
        assert_eq!(mail.text, expected);
        assert!(!mail.text.contains(issued.secret.expose()));
    }
}
