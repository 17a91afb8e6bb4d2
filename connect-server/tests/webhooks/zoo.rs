//! A zoo of endpoints beside a hundred healthy ones, with the worker of the core.

use std::{future::pending, sync::Arc, time::Duration};

use connect_core::{
    Access, Connect, Delivery, DeliveryStatus, NewAccount, NewLocation, NewWebhook, Webhook,
    storage::memory::MemoryStorage,
    wire::{EventType, ProductInput, VatRate},
};
use connect_server::{networks::Networks, outbound::AddressGuard, webhooks::PublicWebhooks};
use tokio::time::{sleep, timeout};

use super::{PATIENCE, client};
use crate::host::{Host, Script};

/// The healthy endpoints.
pub(super) const HEALTHY: usize = 100;

/// A shop with one product, whose events go to endpoints.
pub(super) struct Shop {
    connect: Connect,
    at: Access,
    webhooks: Vec<Webhook>,
}

impl Shop {
    /// Makes a product, which is an event for each of the webhooks.
    pub(super) async fn change(&self, name: &str) {
        let products = self.connect.location(&self.at);
        let made = products.products().create(ProductInput::named(name)).await;
        made.unwrap();
    }

    /// The log of each webhook.
    pub(super) async fn logs(&self) -> Vec<Vec<Delivery>> {
        let mut logs = Vec::new();
        for webhook in &self.webhooks {
            let log = self
                .connect
                .deliveries(webhook.account_id, webhook.id, None, 200);
            logs.push(log.await.unwrap());
        }
        logs
    }
}

/// Opens an empty store whose webhooks may lead to this machine.
pub(super) fn open() -> Connect {
    let guard = AddressGuard::allowing(Networks::loopback());
    Connect::builder(Arc::new(MemoryStorage::new()))
        .webhook_links(Arc::new(PublicWebhooks::new(guard)))
        .build()
}

/// Makes a shop with a webhook for each of these addresses.
pub(super) async fn shop(connect: &Connect, urls: &[String]) -> Shop {
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Here".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    let mut webhooks = Vec::new();
    for url in urls {
        let new = NewWebhook {
            url: url.clone(),
            events: vec![EventType::from("catalog.product.changed")],
            location_ids: Vec::new(),
        };
        let made = connect.create_webhook(account, new).await.unwrap();
        webhooks.push(made.webhook);
    }
    Shop {
        connect: connect.clone(),
        at: at.unwrap(),
        webhooks,
    }
}

/// A host that takes everything.
pub(super) async fn healthy_host() -> Host {
    // A connection that ends without notice may be used once more.
    let fine = "200 OK\r\nConnection: close\r\nContent-Length: 0";
    Host::start(move |_| Script::response(fine, b"")).await
}

/// Makes shops with a hundred webhooks to the healthy host, in accounts of fifty.
pub(super) async fn healthy_shops(connect: &Connect, host: &Host) -> [Shop; 2] {
    let urls: Vec<_> = (0..HEALTHY).map(|n| host.link(&format!("/{n}"))).collect();
    let (first, second) = urls.split_at(HEALTHY / 2);
    [shop(connect, first).await, shop(connect, second).await]
}

/// The endpoints, each with a part of the reason that its owner is told.
pub(super) const ENDPOINTS: [(&str, &str); 14] = [
    ("/silent", "did not answer within"),
    ("/head-then-silence", "did not answer within"),
    ("/drip", "did not answer within"),
    ("/drip-head", "did not answer within"),
    ("/many-headers", "too many headers"),
    ("/endless-headers", "too many headers"),
    ("/reset", "broke off"),
    ("/short", "broke off"),
    ("/redirect", "answered 302"),
    ("/gone", "answered 410"),
    ("/slow-down", "answered 429"),
    ("/failing-endlessly", "answered 500"),
    ("/endless", ""),
    ("/bomb", ""),
];

/// A host with one of each of these endpoints.
pub(super) async fn bad_host() -> Host {
    const SOON: Duration = Duration::from_millis(20);
    let fine = "HTTP/1.1 200 OK\r\n\r\n";
    let header = b"A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n".repeat(1_000);
    let bomb = [&b"\x1f\x8b\x08"[..], &[0; 1_000_000]].concat();
    Host::start(move |path| match path {
        "/silent" => Script::raw("").then_hang(),
        "/head-then-silence" => Script::response("200 OK\r\nContent-Length: 9", b"").then_hang(),
        "/drip" => Script::raw(fine).then_repeat(b"x", SOON),
        "/drip-head" => Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(b"A: b\r\n", SOON),
        "/many-headers" => {
            Script::response(&format!("200 OK\r\n{}", "A: b\r\n".repeat(9_000)), b"")
        }
        "/endless-headers" => {
            Script::raw("HTTP/1.1 200 OK\r\n").then_repeat(&header, Duration::ZERO)
        }
        "/reset" => Script::raw(""),
        "/short" => Script::response("200 OK\r\nContent-Length: 1000", b"few"),
        "/redirect" => Script::to("http://10.0.0.1/"),
        "/gone" => Script::response("410 Gone", b""),
        "/slow-down" => Script::response("429 Slow\r\nRetry-After: 1e300", b""),
        "/failing-endlessly" => {
            Script::response("500 Oh", b"").then_repeat(&[7; 65_536], Duration::ZERO)
        }
        "/endless" => Script::raw(fine).then_repeat(&[7; 65_536], Duration::ZERO),
        "/bomb" => Script::response("200 OK\r\nContent-Encoding: gzip", &bomb),
        path => panic!("{path}"),
    })
    .await
}

/// The addresses of all of these endpoints.
pub(super) fn bad_urls(host: &Host) -> Vec<String> {
    ENDPOINTS.iter().map(|(path, _)| host.link(path)).collect()
}

#[tokio::test]
async fn each_endpoint_gets_what_it_deserves_and_the_healthy_ones_everything() {
    let good = healthy_host().await;
    let bad = bad_host().await;
    let connect = open();
    let healthy = healthy_shops(&connect, &good).await;
    let zoo = shop(&connect, &bad_urls(&bad)).await;
    for shop in healthy.iter().chain([&zoo]) {
        shop.change("Tea").await;
    }
    // Time enough for a machine that does much else, but for those that never end.
    let sender = Arc::new(client(Duration::from_secs(3)));
    let worker = connect.webhook_worker(sender, None);
    worker.tick().await.unwrap();
    for shop in &healthy {
        for log in shop.logs().await {
            assert_eq!(log.len(), 1);
            assert_eq!(log[0].status, DeliveryStatus::Delivered, "{log:?}");
        }
    }
    assert_eq!(good.requests(), HEALTHY);
    for (log, (path, reason)) in zoo.logs().await.iter().zip(ENDPOINTS) {
        assert_eq!(log.len(), 1, "{path}");
        let last = log[0].attempts.last().unwrap();
        assert_eq!(log[0].attempts.len(), 1, "{path}");
        match &last.reason {
            None => assert_eq!(
                (reason, log[0].status),
                ("", DeliveryStatus::Delivered),
                "{path}"
            ),
            Some(said) => assert!(
                !reason.is_empty() && said.contains(reason),
                "{path}: {said}"
            ),
        }
    }
    assert_eq!(bad.requests(), ENDPOINTS.len());
}

/// The changes while the endpoints hang.
const CHANGES: usize = 3;

#[tokio::test]
async fn endpoints_that_hang_hold_nobody_up() {
    let good = healthy_host().await;
    let hangs = Host::start(|_| Script::raw("").then_hang()).await;
    let connect = open();
    let healthy = healthy_shops(&connect, &good).await;
    let urls: Vec<_> = (0..20).map(|n| hangs.link(&format!("/{n}"))).collect();
    let zoo = shop(&connect, &urls).await;
    let worker = connect.webhook_worker(Arc::new(client(PATIENCE)), None);
    let running = tokio::spawn(worker.run(Duration::from_millis(20), pending()));
    // The healthy ones get nothing before the others hang.
    zoo.change("Tea").await;
    let all_hang = async {
        while hangs.requests() < urls.len() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, all_hang).await.unwrap();
    for n in 1..=CHANGES {
        for shop in &healthy {
            shop.change(&format!("Tea {n}")).await;
        }
    }
    let all_arrive = async {
        while good.requests() < HEALTHY * CHANGES {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, all_arrive).await.unwrap();
    // None of the others has come to its end yet.
    assert!(zoo.logs().await.iter().all(Vec::is_empty));
    running.abort();
}
