//! Following a shop: changes, events and the journal.

use std::{collections::HashMap, time::Duration};

use connect_client::{
    Records,
    wire::{
        Changed, Deleted, Entry, EventType, Id, Product, ProductInput, RecordsWritten, Timestamp,
        Transaction,
        query::{EventQuery, ProductQuery, TransactionQuery},
    },
};

use super::{coded, open};
use crate::devices::sale;

/// A copy of the products, as the SDK keeps it.
#[derive(Default)]
struct Copy {
    records: HashMap<Id<Product>, Product>,
    since: Option<Timestamp>,
}

impl Copy {
    /// Takes over the changes; the number of entries.
    async fn pass(&mut self, products: &Records<Product>) -> usize {
        let (entries, since) = products.changes_since(self.since).all().await.unwrap();
        self.since = since;
        let count = entries.len();
        for entry in entries {
            match entry {
                Entry::Live(product) => self.records.insert(product.id, product),
                Entry::Deleted(tombstone) => self.records.remove(&tombstone.id.into()),
            };
        }
        count
    }

    async fn is_like(&self, products: &Records<Product>) {
        let live = products
            .stream(&ProductQuery::default())
            .all()
            .await
            .unwrap();
        let live: HashMap<_, _> = live.into_iter().map(|it| (it.id, it)).collect();
        assert_eq!(self.records, live);
    }
}

#[tokio::test]
async fn changes_are_followed_with_deletions_and_an_idle_follower_is_never_refused() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let (mut copy, mut ids) = (Copy::default(), Vec::new());
    for round in 0..4 {
        ids.push(
            products
                .create(&ProductInput::named(format!("Bun {round}")))
                .await
                .unwrap()
                .id,
        );
        if round % 2 == 1 {
            products.delete(ids.remove(0)).await.unwrap();
        }
        copy.pass(&products).await;
        copy.is_like(&products).await;
    }
    for _ in 0..5 {
        shop.clock.advance(30 * 24 * 3600);
        shop.connect.maintain().await.unwrap();
        assert_eq!(copy.pass(&products).await, 0);
    }
}

/// Writes outrun the pages: changes meanwhile are for the next pass.
#[tokio::test]
async fn a_walk_ends_however_much_is_written_meanwhile() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let others = products.clone();
    let writer = tokio::spawn(async move {
        let mut written = 0;
        while stopped.try_recv().is_err() {
            written += 1;
            let dearer = (0..120).map(|n| coded(&format!("B-{n}"), "Bun").price_cents(written));
            others.upsert_all(dearer).run().await.unwrap();
        }
        written
    });
    let mut copy = Copy::default();
    while copy.records.is_empty() {
        copy.pass(&products).await;
    }
    for _ in 0..4 {
        copy.pass(&products).await;
    }
    stop.send(()).unwrap();
    assert!(writer.await.unwrap() > 0);
    // A last pass in peace brings the rest, and the next one nothing.
    copy.pass(&products).await;
    copy.is_like(&products).await;
    assert_eq!(copy.pass(&products).await, 0);
}

#[tokio::test]
async fn a_watch_yields_what_changes() {
    let (shop, _watch, client) = open().await;
    let products = client.location(shop.here).products();
    let items: Vec<_> = (0..250).map(|n| coded(&format!("B-{n}"), "Bun")).collect();
    products.upsert_all(&items).run().await.unwrap();
    let mut watch = products.watch(None, Duration::from_millis(20));
    for _ in 0..250 {
        assert!(matches!(watch.next().await, Some(Ok(Entry::Live(_)))));
    }
    let bun = products.create(&ProductInput::named("Rye")).await.unwrap();
    assert!(matches!(watch.next().await, Some(Ok(Entry::Live(seen))) if seen.id == bun.id));
    products.delete(bun.id).await.unwrap();
    assert!(matches!(watch.next().await, Some(Ok(Entry::Deleted(gone))) if bun.id == gone.id));
}

#[tokio::test]
async fn a_follower_gets_every_event_once_with_its_data() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (products, feed) = (here.products(), here.events());
    let (mut last, mut seen) = (None, Vec::new());
    for round in 0..3 {
        let bun = products.create(&ProductInput::named("Bun")).await.unwrap();
        let items = ["A", "B"].map(|code| coded(&format!("{code}-{round}"), "Bun"));
        products.upsert_all(&items).run().await.unwrap();
        products.delete(bun.id).await.unwrap();
        let mut events = feed.events_after(last);
        while let Some(event) = events.next().await {
            let event = event.unwrap();
            assert_eq!(events.last(), Some(event.id));
            seen.push(event);
        }
        last = events.last();
    }
    let numbers: Vec<_> = seen.iter().filter_map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
    assert_eq!(
        feed.stream(&EventQuery::default()).all().await.unwrap(),
        seen
    );
    let changed: Changed<Product> = seen[0].data_as().unwrap();
    assert_eq!((&*changed.record.name, changed.deleted), ("Bun", false));
    let batch: RecordsWritten = seen[1].data_as().unwrap();
    assert_eq!(batch.ids.len(), 2);
    let gone: Deleted = seen[2].data_as().unwrap();
    assert_eq!(gone.id, changed.record.id);
}

#[tokio::test]
async fn a_follower_gets_every_row_of_the_journal_once() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let journal = here.transactions();
    let till = shop.register("Till").await;
    let (mut last, mut seen) = (0, Vec::<Transaction>::new());
    for round in 1..=3 {
        for at in ["2026-11-20T09:00:00Z", "2026-11-18T09:00:00Z"] {
            let mut row = sale("Tea", 100 * round);
            row["createdAt"] = at.into();
            till.make("transactions", &row).await;
        }
        let mut rows = journal.after(last);
        while let Some(row) = rows.next().await {
            seen.push(row.unwrap());
            last = seen[seen.len() - 1].receipt_number;
        }
    }
    let numbers: Vec<_> = seen.iter().map(|row| row.receipt_number).collect();
    assert_eq!(numbers, (1..=6).collect::<Vec<_>>());
    let all = journal
        .stream(&TransactionQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(all, seen);
    // Each row is told by an event.
    let told = EventQuery {
        kind: Some(EventType::TransactionCreated),
        ..EventQuery::default()
    };
    for (event, row) in here
        .events()
        .stream(&told)
        .all()
        .await
        .unwrap()
        .iter()
        .zip(seen)
    {
        assert_eq!(event.data_as::<Transaction>().unwrap(), row);
        assert!(event.data_as::<Changed<Transaction>>().is_err());
    }
}
