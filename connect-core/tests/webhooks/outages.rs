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
    wire::EventType,
};
use futures_util::future::join_all;
use tokio::{sync::watch, time::sleep};

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
    let webhook = scene.webhook(&[EventType::ProductChanged]).await.webhook;
    let account = scene.shop.account;
    let receiver = Arc::new(Receiver::default());
    let worker = scene.connect().webhook_worker(receiver.clone(), None);
    let stop = watch::Sender::new(false);
    let mut stopped = stop.subscribe();
    let until = async move { drop(stopped.wait_for(|stop| *stop).await) };
    let working = tokio::spawn(worker.run(Duration::from_secs(1), until));
    let health = async || scene.connect().webhooks(account).await.unwrap()[0].clone();
    let mut was_probed = false;
    let mut made = 0;
    // What was attempted is due again after a minute and after five; a probe is made once a minute.
    for second in 0..AROUND + down + 400 {
        *receiver.second.lock().unwrap() = second;
        receiver
            .is_down
            .store((AROUND..AROUND + down).contains(&second), SeqCst);
        if second < AROUND + down + AROUND {
            let scene = &scene;
            let products = (0..rate).map(async |number| scene.product(&number.to_string()).await);
            made += join_all(products).await.len();
        }
        sleep(Duration::from_secs(1)).await;
        scene.shop.clock.advance(1);
        if second % 30 == 0 {
            let (webhook, health) = health().await;
            assert!(webhook.is_enabled(), "{down} s at {rate}");
            was_probed |= health.is_probed();
        }
    }
    stop.send_replace(true);
    working.await.unwrap();
    let row = format!("{down} s at {rate} events a second");
    let (now, health) = health().await;
    assert!(now.is_enabled() && health.failures_in_a_row == 0, "{row}");
    assert_eq!(receiver.taken.lock().unwrap().len(), made, "{row}");
    assert_eq!(
        scene.connect().backlog().await.unwrap().deliveries.count,
        0,
        "{row}"
    );
    let is_given_up = |one: &connect_core::Delivery| one.status == DeliveryStatus::GivenUp;
    assert!(!scene.log(&webhook).await.iter().any(is_given_up), "{row}");
    // A burst at first, and then one a minute.
    let refused = receiver.refused.lock().unwrap().clone();
    let within = refused.iter().filter(|second| **second < AROUND + 60);
    assert!((1..=40).contains(&within.count()), "{row}: {refused:?}");
    let later: Vec<_> = refused
        .iter()
        .filter(|second| **second >= AROUND + 60)
        .collect();
    assert!(later.len() as u64 <= down / 60 + 1, "{row}: {refused:?}");
    let is_long = down * rate > 50;
    assert!(was_probed || !is_long, "{row}");
}

macro_rules! restarts {
    ($($name:ident: $down:literal s at $rate:literal;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                restart($down, $rate).await;
            }
        )*
    };
}

restarts! {
    ten_seconds_at_1_event_a_second: 10 s at 1;
    ten_seconds_at_5_events_a_second: 10 s at 5;
    ten_seconds_at_50_events_a_second: 10 s at 50;
    a_minute_at_1_event_a_second: 60 s at 1;
    a_minute_at_5_events_a_second: 60 s at 5;
    a_minute_at_50_events_a_second: 60 s at 50;
    ten_minutes_at_1_event_a_second: 600 s at 1;
    ten_minutes_at_5_events_a_second: 600 s at 5;
    ten_minutes_at_50_events_a_second: 600 s at 50;
}
