//! The chains: faults, retention, writers at once, and commits without an answer.

use std::sync::Arc;

use connect_core::{
    Connect, TrailFilter,
    storage::{Commit, Entry, Storage, Write, memory::MemoryStorage},
    wire::ProductInput,
};
use futures_util::future::join_all;
use uuid::Uuid;

use super::{entries, verify};
use crate::{
    faulty::{Fate, rows},
    properties::shop::{Backend, Shop},
    stored::family::TRAIL,
};

/// The entries of a partition's chain, as stored.
async fn chain(storage: &dyn Storage, partition: Uuid) -> Vec<Entry> {
    let mut rows = rows(storage).await;
    rows.retain(|(key, _)| key.starts_with(partition.as_bytes()) && key[16] == TRAIL);
    rows
}

async fn write(storage: &dyn Storage, writes: Vec<(Box<[u8]>, Write)>) {
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
}

/// The faults of the trail: the chain and the number.
async fn faults(connect: &Connect) -> Vec<(Uuid, u64)> {
    let report = connect
        .verify_trail(None, u64::MAX, &mut |_| {})
        .await
        .unwrap();
    let faults = report.faults.iter();
    faults.map(|fault| (fault.chain, fault.number)).collect()
}

/// Changes the price of a product ten times.
async fn change_prices(shop: &Shop) {
    let products = shop.connect.location(&shop.at).products();
    let rye = products.create(ProductInput::named("Rye")).await.unwrap();
    for price in 1..10 {
        let change = ProductInput::default().price_cents(price);
        products.update(rye.id, change).await.unwrap();
    }
}

#[tokio::test]
async fn the_first_wrong_entry_is_named() {
    let shop = Shop::open(Backend::Memory).await;
    change_prices(&shop).await;
    let (storage, here) = (&*shop.storage, shop.at.location().id.uuid());
    let entries = chain(storage, here).await;
    assert_eq!(entries.len(), 10);
    let price = |row: &[u8]| {
        let row = String::from_utf8(row.to_vec()).unwrap();
        row.replace("\"priceCents\":4", "\"priceCents\":1")
            .into_bytes()
    };
    let put = |at: usize, row: &[u8]| (entries[at].0.clone(), Write::Put(row.into()));
    let remove = |at: usize| (entries[at].0.clone(), Write::Remove);
    let behind = |number: u8| {
        let mut key = entries[9].0.clone();
        *key.last_mut().unwrap() = number;
        (key, Write::Put(entries[9].1.clone()))
    };
    let swapped = vec![put(3, &entries[4].1), put(4, &entries[3].1)];
    let last = String::from_utf8(entries[9].1.to_vec()).unwrap();
    let last = last.replace("\"service\"", "\"operator\"");
    for (what, writes, number) in [
        ("altered", vec![put(4, &price(&entries[4].1))], 5),
        ("the last altered", vec![put(9, last.as_bytes())], 10),
        ("the first removed", vec![remove(0)], 1),
        ("one removed", vec![remove(6)], 7),
        ("the last removed", vec![remove(9)], 10),
        ("all removed", (0..10).map(remove).collect(), 1),
        ("two in another order", swapped, 4),
        ("one added", vec![behind(11)], 11),
        ("one of no number", vec![behind(0)], 0),
    ] {
        assert_eq!(faults(&shop.connect).await, []);
        write(storage, writes).await;
        assert_eq!(faults(&shop.connect).await, [(here, number)], "{what}");
        let undo = entries
            .iter()
            .map(|(key, row)| (key.clone(), Write::Put(row.clone())));
        let added = [behind(11).0, behind(0).0].map(|key| (key, Write::Remove));
        write(storage, undo.chain(added).collect()).await;
    }
}

#[tokio::test]
async fn a_chain_goes_on_behind_its_removed_entries() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = || Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    change_prices(&shop).await;
    let all = TrailFilter::default();
    let before = entries(&shop, &all).await;
    shop.connect.maintain().await.unwrap();
    let hours = |days: i64| days * 24;
    for _ in 0..hours(6) {
        // Maintenance trusts a clock that it has followed.
        shop.clock.advance(3600);
        shop.connect.maintain().await.unwrap();
    }
    change_prices(&shop).await;
    let short = connect().trail_days(5).build();
    let purged = short.maintain().await.unwrap();
    assert_eq!((purged.trail_entries, purged.failed), (before.len(), 0));
    let left = entries(&shop, &all).await;
    assert_eq!((left.len(), left[9].number), (10, 11));
    verify(&shop.connect).await;
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);

    // The note about the removed ones hides no wrong entry.
    let here = shop.at.location().id.uuid();
    let first = chain(&*shop.storage, here).await.remove(0);
    write(&*shop.storage, vec![(first.0.clone(), Write::Remove)]).await;
    for _ in 0..hours(6) {
        shop.clock.advance(3600);
        shop.connect.maintain().await.unwrap();
    }
    let purged = short.maintain().await.unwrap();
    assert_eq!((purged.trail_entries, purged.failed), (0, 1));
    assert_eq!(faults(&shop.connect).await, [(here, 11)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_at_once_share_a_chain() {
    let shop = Shop::open(Backend::Memory).await;
    let connects: Vec<Connect> = (0..4).map(|_| shop.beside(shop.clock.clone())).collect();
    let writes = (0..40).map(|number| {
        let products = connects[number % 4].location(&shop.at).products();
        async move {
            products
                .create(ProductInput::named(format!("P{number}")))
                .await
        }
    });
    for written in join_all(writes).await {
        written.unwrap();
    }
    let products = TrailFilter {
        kind: Some("product".into()),
        ..TrailFilter::default()
    };
    assert_eq!(entries(&shop, &products).await.len(), 40);
    verify(&shop.connect).await;
}

/// A change and its entry are one commit, so an answer that is lost leaves both or neither.
#[tokio::test]
async fn a_commit_leaves_the_change_with_its_entry() {
    let shop = crate::shop::Shop::on(Arc::new(MemoryStorage::new())).await;
    let here = shop.at.location().id.uuid();
    for (fate, is_there) in [
        (Fate::Refused, false),
        (Fate::Lost, false),
        (Fate::AppliedWithoutAnswer, true),
        (Fate::AppliedWithPanic, true),
        (Fate::Acknowledged, true),
    ] {
        let (products, entries) = (shop.products(), chain(&*shop.storage, here).await.len());
        let before = products.list(&Default::default()).await.unwrap().data.len();
        shop.storage.decide([fate]);
        let _ = products.create(ProductInput::named("Rye")).await;
        let after = products.list(&Default::default()).await.unwrap().data.len();
        let made = usize::from(is_there);
        assert_eq!(after - before, made, "{fate:?}");
        assert_eq!(
            chain(&*shop.storage, here).await.len() - entries,
            made,
            "{fate:?}"
        );
    }
    verify(&shop.connect).await;
}
