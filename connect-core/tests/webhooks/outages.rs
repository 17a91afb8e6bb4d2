//! A receiver that is restarted: nothing is lost, and its webhook is not switched off.

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    DeliveryStatus,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
};
use futures_util::future::join_all;
use tokio::time::sleep;

use super::{Scene, endpoints::header};

/// A receiver that refuses connections while it is down.
#[derive(Default)]
struct Receiver {
    is_down: AtomicBool,
    taken: Mutex<HashSet<String>>,
    /// The requests that it refused, by the second of the shop's clock.
    refused: Mutex<Vec<u64>>,
    second: Mutex<u64>,
}

#[async_trait]
impl WebhookSender for Receiver {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        sleep(Duration::from_millis(20)).await;
        if self.is_down.load(SeqCst) {
            let second = *self.second.lock().unwrap();
            self.refused.lock().unwrap().push(second);
            let reason = "The endpoint took no connection.".to_owned();
            return Err(SendFailure::NoAnswer(reason));
        }
        let event = header(request, "service-event-id").to_owned();
        self.taken.lock().unwrap().insert(event);
        Ok(WebhookAnswer::of(200))
    }
}

/// The seconds of trade before the receiver goes down, and after it is back.
const AROUND: u64 = 10;

/// Trades at so many events a second, while the receiver is down for so many seconds.
async fn restart(down: u64, rate: u64) {
    let scene = Scene::open().await;
    let webhook = scene.webhook().await;
    let receiver = Arc::new(Receiver::default());
    let worker = scene.connect().webhook_worker(receiver.clone(), None);
    let row = format!("{down} s at {rate} events a second");
    let (mut was_probed, mut made) = (false, 0);
    // What was attempted is due again after a minute and after five; a probe is made once a minute.
    let passing = async {
        for second in 0..AROUND + down + 400 {
            *receiver.second.lock().unwrap() = second;
            let is_down = (AROUND..AROUND + down).contains(&second);
            receiver.is_down.store(is_down, SeqCst);
            if second < AROUND + down + AROUND {
                let scene = &scene;
                let products =
                    (0..rate).map(async |number| scene.product(&number.to_string()).await);
                made += join_all(products).await.len();
            }
            scene.pass(1).await;
            if second % 30 == 0 {
                let (webhook, failures) = scene.health().await;
                assert!(webhook.is_enabled(), "{row}");
                was_probed |= failures >= 5;
            }
        }
    };
    worker.run(Duration::from_secs(1), passing).await;
    let (now, failures) = scene.health().await;
    assert!(now.is_enabled() && failures == 0, "{row}");
    assert_eq!(receiver.taken.lock().unwrap().len(), made, "{row}");
    let left = scene.connect().backlog().await.unwrap().deliveries.count;
    assert_eq!(left, 0, "{row}");
    let is_given_up = |one: &connect_core::Delivery| one.status == DeliveryStatus::GivenUp;
    assert!(!scene.log(&webhook).await.iter().any(is_given_up), "{row}");
    // A burst at first, and then one a minute.
    let refused = receiver.refused.lock().unwrap().clone();
    let early = refused
        .iter()
        .filter(|second| **second < AROUND + 60)
        .count();
    assert!((1..=40).contains(&early), "{row}: {refused:?}");
    let later = (refused.len() - early) as u64;
    assert!(later <= down / 60 + 1, "{row}: {refused:?}");
    let is_long = down * rate > 50;
    assert!(was_probed || !is_long, "{row}");
}

#[tokio::test(start_paused = true)]
async fn a_restart_of_the_receiver_loses_nothing_and_switches_nothing_off() {
    for (down, rate) in [(10, 1), (10, 50), (60, 5), (600, 1), (600, 10)] {
        restart(down, rate).await;
    }
}
