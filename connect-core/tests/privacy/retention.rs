//! How long personal data is kept: by age, and blanked on request.

use connect_core::{
    Author, Error, Origin, Person, ProblemKind, Retention, TrailFilter, TrailScope,
    storage::{Commit, Entry, Write},
    wire::{
        Order, Transaction,
        query::{OrderQuery, SyncQuery, TransactionQuery},
    },
};

use super::{Tenant, all, holds, put};
use crate::properties::shop::{Backend, Shop};

const DAY: i64 = 24 * 3600;

async fn orders(shop: &Shop, tenant: &Tenant) -> Vec<Order> {
    let orders = shop.connect.location(&tenant.kiosks[0]).orders();
    orders.list(&OrderQuery::default()).await.unwrap().data
}

async fn receipts(shop: &Shop, tenant: &Tenant) -> Vec<Transaction> {
    let rows = shop.connect.location(&tenant.tills[0]).transactions();
    rows.list(&TransactionQuery::default()).await.unwrap().data
}

/// The names in orders and receipts, oldest first.
async fn names(shop: &Shop, tenant: &Tenant) -> (Vec<bool>, Vec<bool>) {
    let orders = orders(shop, tenant).await.into_iter();
    let receipts = receipts(shop, tenant).await.into_iter();
    (
        orders.map(|order| order.customer_name.is_some()).collect(),
        receipts.map(|receipt| receipt.employee.is_some()).collect(),
    )
}

async fn clean(shop: &Shop) {
    assert_eq!(shop.connect.maintain().await.unwrap().failed, 0);
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

/// The counts of an action in the trail, newest first.
async fn noted(shop: &Shop, tenant: &Tenant, action: &str) -> Vec<u64> {
    let (scope, any) = (TrailScope::Account(tenant.account), TrailFilter::default());
    let page = shop.connect.trail(scope, &any, None, 200).await.unwrap();
    let changes = page.entries.iter().flat_map(|entry| &entry.changes);
    let of = changes.filter(|change| change.action == action);
    of.map(|change| change.after["rows"].as_u64().unwrap())
        .collect()
}

on_each_store!(old_orders_go_and_old_names_are_blanked);

async fn old_orders_go_and_old_names_are_blanked(shop: Shop) {
    let connect = &shop.connect;
    let (tenant, other) = (
        Tenant::open(connect, "Korenbloem").await,
        Tenant::open(connect, "Zonnehof").await,
    );
    for days in [10, 10, 0] {
        for tenant in [&tenant, &other] {
            tenant.trade(connect).await;
        }
        shop.clock.advance(days * DAY);
    }
    let all_named = (vec![true; 3], vec![true; 3]);
    assert_eq!(names(&shop, &tenant).await, all_named);
    let before = orders(&shop, &tenant).await;
    shop.clock.advance(60);
    let mut retention = Retention {
        person_days: Some(15),
        event_days: Some(7),
        delivery_days: Some(7),
        ..Retention::default()
    };
    connect
        .set_retention(tenant.account, retention)
        .await
        .unwrap();
    for _ in 0..2 {
        clean(&shop).await;
    }
    let named = vec![false, true, true];
    assert_eq!(names(&shop, &tenant).await, (named.clone(), named));
    // Those who keep a copy learn of it by `updatedSince`.
    let changed = OrderQuery {
        sync: SyncQuery {
            updated_since: Some(before[2].updated_at.plus_seconds(1)),
            ..SyncQuery::default()
        },
        ..OrderQuery::default()
    };
    let here = shop.connect.location(&tenant.kiosks[0]).orders();
    let changed = here.list(&changed).await.unwrap().data;
    assert_eq!(
        changed.iter().map(|order| order.id).collect::<Vec<_>>(),
        [before[0].id]
    );
    // Once for each of the two locations.
    assert_eq!(noted(&shop, &tenant, "blank receipts").await, [1, 1]);
    assert_eq!(noted(&shop, &tenant, "blank orders").await, [1, 1]);

    retention.order_days = Some(15);
    connect
        .set_retention(tenant.account, retention)
        .await
        .unwrap();
    for _ in 0..2 {
        clean(&shop).await;
    }
    let left: Vec<_> = orders(&shop, &tenant)
        .await
        .iter()
        .map(|order| order.id)
        .collect();
    assert_eq!(left, [before[1].id, before[2].id]);
    assert_eq!(noted(&shop, &tenant, "purge orders").await, [1, 1]);
    // Numbers go on, sales stay, and nothing else has changed.
    tenant.trade(connect).await;
    assert_eq!(orders(&shop, &tenant).await[2].number, 4);
    assert_eq!(receipts(&shop, &tenant).await.len(), 4);
    assert_eq!(names(&shop, &other).await, all_named);
    shop.clock.advance(100 * DAY);
    clean(&shop).await;
    assert_eq!(orders(&shop, &tenant).await.len(), 0);
    assert!(
        receipts(&shop, &tenant)
            .await
            .iter()
            .all(|row| row.employee.is_none())
    );
    let rows = all(&*shop.storage).await;
    let events = rows.iter().filter(|(key, _)| key[16] == 0x50);
    assert!(!events.clone().any(|(_, row)| holds(row, b"Korenbloem")));
}

#[tokio::test]
async fn an_order_that_cannot_be_read_stops_no_retention() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    let retention = Retention {
        order_days: Some(15),
        person_days: Some(15),
        ..Retention::default()
    };
    connect
        .set_retention(tenant.account, retention)
        .await
        .unwrap();
    // A round before the first row leaves its counts to the first write.
    clean(&shop).await;
    for _ in 0..3 {
        tenant.trade(connect).await;
    }
    let location = tenant.at[0].location().id.uuid();
    let has_counts = |(key, row): &Entry| {
        key[..] == [location.as_bytes(), &[0x01][..]].concat() && holds(row, b"\"usage\"")
    };
    assert!(all(&*shop.storage).await.iter().any(has_counts));
    let of = async |family: u8| {
        let rows = all(&*shop.storage).await.into_iter();
        let prefix = [location.as_bytes(), &[family][..]].concat();
        rows.filter(|(key, _)| key.starts_with(&prefix))
            .map(|(key, _)| key)
            .collect::<Vec<_>>()
    };
    let [unreadable, lost, _] = &of(0xA0).await[..] else {
        panic!();
    };
    put(&*shop.storage, unreadable, b"{").await;
    let commit = Commit {
        writes: vec![(lost.clone(), Write::Remove)],
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
    shop.clock.advance(20 * DAY);
    // Reported once a day, by both parts of the retention.
    for failed in [2, 0, 0] {
        assert_eq!(connect.maintain().await.unwrap().failed, failed);
    }
    for family in [0xA0, 0xA1, 0xA3] {
        assert_eq!(of(family).await.len(), 1, "{family}");
    }
    assert_eq!(receipts(&shop, &tenant).await.len(), 3);
    shop.clock.advance(DAY);
    assert_eq!(connect.maintain().await.unwrap().failed, 1);
}

#[tokio::test]
async fn a_person_is_blanked_by_record_and_by_name() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    for _ in 0..2 {
        tenant.trade(connect).await;
    }
    let location = tenant.at[0].location().id;
    let receipt = receipts(&shop, &tenant).await[0].id.uuid();
    let of_record = Person::OfRecord(receipt);
    let one = connect
        .blank_person(tenant.account, location, &of_record)
        .await
        .unwrap();
    assert_eq!((one.receipts, one.orders, one.events), (1, 0, 1));
    assert_eq!(
        names(&shop, &tenant).await,
        (vec![true, true], vec![false, true])
    );
    let ada = Person::Named("Korenbloem Ada".into());
    let found = connect
        .blank_person(tenant.account, location, &ada)
        .await
        .unwrap();
    assert_eq!((found.receipts, found.orders), (0, 2));
    assert!(found.events >= 2);
    assert_eq!(
        names(&shop, &tenant).await,
        (vec![false, false], vec![false, true])
    );
    assert_eq!(
        connect
            .blank_person(tenant.account, location, &ada)
            .await
            .unwrap(),
        Default::default()
    );
    clean(&shop).await;
    let rows = all(&*shop.storage).await;
    let mut here = rows
        .iter()
        .filter(|(key, _)| key.starts_with(location.uuid().as_bytes()));
    assert!(!here.any(|(_, row)| holds(row, b"Korenbloem Ada")));
    assert_eq!(noted(&shop, &tenant, "blank").await.len(), 4);
    // A change without an event hides no event that gets lost later.
    tenant.trade(connect).await;
    let prefix = [location.uuid().as_bytes(), &[0x50][..]].concat();
    let events = all(&*shop.storage).await.into_iter().map(|(key, _)| key);
    let events = events.filter(|key| key.starts_with(&prefix));
    let commit = Commit {
        writes: events.map(|key| (key, Write::Remove)).collect(),
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
    let problems = connect.check(&mut |_| {}).await.unwrap().problems;
    let mut kinds = problems.iter().map(|problem| problem.kind);
    assert!(kinds.any(|kind| kind == ProblemKind::BrokenEvents));

    let nobody = Person::Named(String::new());
    let refused = connect
        .blank_person(tenant.account, location, &nobody)
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    for days in [0, 6, 36_501] {
        let retention = Retention {
            order_days: Some(days),
            ..Retention::default()
        };
        let refused = connect.set_retention(tenant.account, retention).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    let stranger = connect.by(Author::User { id: receipt.into() }, Origin::default());
    let refused = stranger.blank_person(tenant.account, location, &ada).await;
    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
}
