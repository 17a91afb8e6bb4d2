//! Three server processes on one database on PostgreSQL, with clients at each, while one after the other
//! is killed and started again: nothing that was acknowledged is lost, nothing is done twice, and no
//! number is left out.
//!
//! `CONNECT_KILLS=300 cargo test -p connect-tests --test all processes::three -- --nocapture` kills 300
//! servers, and prints what it saw. That takes long enough for leases to run out by themselves.

mod away;
mod check;
mod clients;
mod endpoint;
mod fleet;
mod poller;
mod premises;

use std::{
    collections::HashSet,
    env,
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};

use connect_core::storage::postgres::testing::TestDatabase;
use connect_server::{
    images::{Copies, DEFAULT_DEADLINE, ImageService},
    networks::Networks,
    outbound::AddressGuard,
    webhooks::WebhookClient,
};
use connect_tests::http::{Request, send};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use self::{
    check::all,
    clients::{Clients, PICTURES, text},
    endpoint::Endpoint,
    fleet::{Fleet, SERVERS},
    poller::Poller,
    premises::{Premises, ahead},
};

/// The kills, unless this variable asks for others.
const KILLS: usize = 6;
const KILLS_VARIABLE: &str = "CONNECT_KILLS";

/// The webhooks. When a server is killed it has some of them in hand, and others go on.
const WEBHOOKS: usize = 3;

/// The deliveries of a webhook that a server may have made and not written down when it is killed.
const IN_HAND: usize = 256 + 32;

/// The time before the first kill.
const CALM: Duration = Duration::from_secs(2);

/// The longest lease there is, of an image, and more.
const LEASE: Duration = Duration::from_secs(150);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_are_as_one_while_they_are_killed() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let kills = env::var(KILLS_VARIABLE).map_or(KILLS, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let storage = database.address();
    let endpoint = Arc::new(Endpoint::start().await);
    let fleet = Arc::new(Fleet::start(&storage, folder.path()).await);
    let premises = Arc::new(Premises::set_up(&storage).await);
    for webhook in 0..WEBHOOKS {
        premises.add_webhook(endpoint.webhook(webhook)).await;
    }
    let clients = Clients::new(fleet.clone(), premises, endpoint.clone());

    let began = Instant::now();
    let poller = tokio::spawn(Poller::new(clients.clone()).poll());
    let mut writers = vec![
        tokio::spawn(clients.clone().write_everywhere()),
        tokio::spawn(clients.clone().show()),
    ];
    for server in 0..SERVERS {
        writers.push(tokio::spawn(clients.clone().write_batches(server)));
        writers.push(tokio::spawn(clients.clone().sell(server)));
    }
    sleep(CALM).await;
    let doubles = || -> Vec<_> { (0..WEBHOOKS).map(|it| endpoint.doubles(it)).collect() };
    assert_eq!(doubles(), [0; WEBHOOKS], "before anything was killed");
    assert_eq!(fleet.lost.load(SeqCst), 0, "before anything was killed");
    let mut random = StdRng::seed_from_u64(7);
    for kill in 0..kills {
        fleet
            .kill(kill % SERVERS, random.random_range(10..40))
            .await;
        clients.repeat(5).await;
    }
    let killing = began.elapsed();
    clients.is_over.store(true, SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    let mut poller = poller.await.unwrap();

    // Leases are waited for where that is a small part of the time.
    let patience = if kills > KILLS {
        LEASE
    } else {
        Duration::from_secs(5)
    };
    let successor = Successor::of(&storage, folder.path()).await;
    let products = pictures_are_taken_over(&clients, patience, &successor).await;
    let events = all(&clients, "events").await;
    deliveries_arrive(&clients, &events, patience, &successor).await;
    for (webhook, doubles) in doubles().into_iter().enumerate() {
        assert!(doubles <= kills * IN_HAND, "{doubles} at {webhook}");
    }
    for server in 0..SERVERS {
        poller.pass(server).await.unwrap();
    }
    let rows = all(&clients, "transactions").await;
    {
        let log = clients.log.lock().unwrap();
        check::events_are_in_order(&events);
        check::receipts_are_in_order(&log, &rows);
        check::products_are_as_in_the_model(&log, &events, &products);
        check::the_copy_is_complete(&poller, &products);
        println!(
            "{kills} kills in {killing:.1?}: {} requests answered, {} of them writes, {} again after \
             no answer, {} replayed; {} batches, {} sales, {} events, {} passes, doubles {:?}; \
             all in {:.1?}",
            fleet.answered.load(SeqCst),
            log.writes.len(),
            fleet.lost.load(SeqCst),
            log.replayed,
            log.batches.len(),
            rows.len(),
            events.len(),
            poller.passes,
            doubles(),
            began.elapsed(),
        );
    }
    drop((clients, poller));
    let fleet = Arc::into_inner(fleet).expect("nobody else has it");
    fleet.stop().await;
}

/// The workers of one more server, to which the leases of those that were killed are over.
struct Successor {
    webhooks: connect_core::WebhookWorker,
    images: connect_core::ImageWorker,
}

impl Successor {
    async fn of(storage: &str, folder: &std::path::Path) -> Self {
        let connect = ahead(storage, LEASE).await;
        let guard = AddressGuard::allowing(Networks::loopback());
        let sender = WebhookClient::new(guard).unwrap();
        let copies = Copies::in_folder(&folder.join("images")).unwrap();
        let public = "http://127.0.0.1:1".parse().unwrap();
        let images = ImageService::new(copies, public, Networks::loopback(), DEFAULT_DEADLINE);
        Self {
            webhooks: connect.webhook_worker(Arc::new(sender), None),
            images: connect.image_worker(Arc::new(images.unwrap())),
        }
    }
}

/// Waits until every picture was taken over; the products. Every server has the copies.
async fn pictures_are_taken_over(
    clients: &Clients,
    patience: Duration,
    successor: &Successor,
) -> Vec<Value> {
    let began = Instant::now();
    while all(clients, "image-jobs")
        .await
        .iter()
        .any(|job| job["status"] == "pending")
    {
        if began.elapsed() > patience {
            successor.images.tick().await.unwrap();
        }
        sleep(Duration::from_millis(200)).await;
        assert!(began.elapsed() < LEASE * 2, "pictures are left");
    }
    let products = all(clients, "products").await;
    let shown: Vec<_> = products.iter().filter(|it| it["name"] == "Shown").collect();
    assert!(!shown.is_empty() && shown.len() <= PICTURES);
    assert_eq!(clients.endpoint.pictures(), shown.len());
    for product in shown {
        assert_eq!(product["imageStatus"], "done", "{product}");
        let link = text("imageUrl")(product);
        let path = link.strip_prefix("http://127.0.0.1:1").expect(&link);
        for server in 0..SERVERS {
            let address = clients.fleet.address(server, path).unwrap();
            send(address, Request::get(path)).await.unwrap().expect(200);
        }
    }
    products
}

/// Waits until every webhook has got every event, and no other.
async fn deliveries_arrive(
    clients: &Clients,
    events: &[Value],
    patience: Duration,
    successor: &Successor,
) {
    let all: HashSet<_> = events.iter().map(text("id")).collect();
    let began = Instant::now();
    for webhook in 0..WEBHOOKS {
        while clients.endpoint.arrived(webhook) != all {
            if began.elapsed() > patience {
                successor.webhooks.tick().await.unwrap();
            }
            sleep(Duration::from_millis(100)).await;
            let arrived = clients.endpoint.arrived(webhook).len();
            assert!(
                began.elapsed() < LEASE * 2,
                "{arrived} of {} events at webhook {webhook}",
                all.len()
            );
        }
    }
}
