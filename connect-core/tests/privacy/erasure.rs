//! What an erasure leaves: nothing of the erased, and everything of the others.

use std::sync::Arc;

use connect_core::{Author, Connect, Error, Origin, TrailFilter, TrailScope, storage::Entry};
use uuid::Uuid;

use super::{Tenant, all, export::Copies, holds, is_of, is_of_store, put};
use crate::{
    mails::Mails,
    properties::shop::{Backend, Shop},
    stored::family::TRAIL,
};

const DAY: i64 = 24 * 3600;

on_each_store!(an_erased_account_leaves_nothing);

async fn an_erased_account_leaves_nothing(
    #[cfg_attr(not(all(feature = "redb", feature = "sled")), expect(unused_mut))] mut shop: Shop,
) {
    // All mail waits in its queue.
    let builder = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let builder = builder.image_copies(Arc::<Copies>::default());
    let connect = builder.queue_mail().build();
    let (one, other) = (
        Tenant::open(&connect, "Korenbloem").await,
        Tenant::open(&connect, "Zonnehof").await,
    );
    for tenant in [&one, &other] {
        tenant.trade(&connect).await;
    }
    shop.clock.advance(2 * DAY);
    let planned = connect.plan_erasure(one.account, None).await.unwrap();
    assert_eq!(planned.erase_at, connect.now().plus_seconds(30 * DAY));
    // A second order changes nothing, and everything goes on.
    assert_eq!(
        connect.plan_erasure(one.account, None).await.unwrap(),
        planned
    );
    shop.clock.advance(30 * DAY - 3600);
    connect.maintain().await.unwrap();
    for tenant in [&one, &other] {
        tenant.trade(&connect).await;
    }
    connect.maintain().await.unwrap();
    let ids = one.ids(&connect).await;
    let before = all(&*shop.storage).await;
    assert!(
        before
            .iter()
            .filter(|row| is_of(row, &ids, &one.mark))
            .count()
            > 100
    );

    // The first walk at once, the second after an hour.
    for seconds in [3600, 60, 3600, 60] {
        shop.clock.advance(seconds);
        let done = connect.maintain().await.unwrap();
        assert_eq!(done.failed, 0, "{done:?}");
        let report = connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }
    let after = all(&*shop.storage).await;
    let left: Vec<_> = after
        .iter()
        .filter(|row| is_of(row, &ids, &one.mark))
        .collect();
    // The one entry in the trail of the store.
    let is_entry = |row: &Entry| is_of_store(row) && row.0[16] == TRAIL;
    assert!(left.len() == 1 && is_entry(left[0]), "{left:?}");
    let others = |rows: &[_]| -> Vec<_> {
        let rows = rows
            .iter()
            .filter(|row| !is_of(row, &ids, &one.mark) && !is_of_store(row));
        rows.cloned().collect()
    };
    assert_eq!(others(&after), others(&before));
    let none = connect.account(one.account).await;
    assert!(matches!(none, Err(Error::NotFound(_))));

    // The trail of the store names it once, with the number of its rows and nothing else.
    let any = TrailFilter::default();
    let page = connect.trail(TrailScope::Store, &any, None, 50);
    let entries = page.await.unwrap().entries;
    let about = |id: Uuid| {
        entries
            .iter()
            .filter(move |entry| entry.changes[0].id == id)
    };
    let [entry] = about(one.account.uuid()).collect::<Vec<_>>()[..] else {
        panic!("{entries:?}");
    };
    let change = &entry.changes[0];
    assert_eq!((&*change.object, &*change.action), ("account", "erase"));
    assert!(change.after["rows"].as_u64().unwrap() > 100, "{change:?}");
    assert!(
        connect
            .verify_trail(None, u64::MAX, &mut |_| {})
            .await
            .unwrap()
            .faults
            .is_empty()
    );

    // A copy of the rows has none of the bytes.
    #[cfg(all(feature = "redb", feature = "sled"))]
    if let (on, Some(_)) = (shop.on, shop.folder()) {
        drop(connect);
        shop.move_to(on).await;
        let folder = shop.folder().unwrap();
        let (mut bytes, mut folders) = (Vec::new(), vec![folder]);
        while let Some(folder) = folders.pop() {
            for file in std::fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => bytes.extend(std::fs::read(path).unwrap()),
                }
            }
        }
        // The name, the end of e-mail addresses, and ids in both forms. The trail of the store has that of the account.
        let texts = |of: &Tenant| [of.mark.clone().into_bytes(), of.mark.to_lowercase().into()];
        let ids = ids.iter().filter(|id| **id != one.account.uuid());
        let ids = ids.flat_map(|id| [id.as_bytes().to_vec(), id.to_string().into()]);
        for part in texts(&one).into_iter().chain(ids) {
            assert!(!holds(&bytes, &part), "{}", String::from_utf8_lossy(&part));
        }
        assert!(texts(&other).iter().all(|part| holds(&bytes, part)));
    }
}

on_each_store!(an_erased_location_leaves_its_account);

async fn an_erased_location_leaves_its_account(shop: Shop) {
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    tenant.trade(connect).await;
    let location = tenant.at[0].location().id;
    connect
        .plan_erasure(tenant.account, Some(location))
        .await
        .unwrap();
    let account = connect.account(tenant.account).await.unwrap();
    let screens = account
        .screens
        .iter()
        .filter(|of| of.location_id == location);
    let mut ids: Vec<_> = screens.map(|of| of.id.uuid()).collect();
    ids.push(location.uuid());
    let webhooks = connect.webhooks(tenant.account).await.unwrap();
    let only = |of: &&(connect_core::Webhook, _)| of.0.location_ids == [location];
    ids.extend(webhooks.iter().filter(only).map(|(of, _)| of.id.uuid()));
    let ids = ids.into_iter().collect();
    // Stored answers of a token name no location, and end after a day.
    for seconds in [30 * DAY, 60, 3600, DAY] {
        shop.clock.advance(seconds);
        assert_eq!(connect.maintain().await.unwrap().failed, 0);
        let report = connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, []);
    }
    let rows = all(&*shop.storage).await;
    let left = rows
        .iter()
        .filter(|row| is_of(row, &ids, "Korenbloem market"));
    // The account's trail says what was made, and the store's that it is gone.
    let left: Vec<_> = left.filter(|(key, _)| key[16] != TRAIL).collect();
    assert!(left.is_empty(), "{left:?}");
    let account = connect.account(tenant.account).await.unwrap();
    assert_eq!((account.locations.len(), account.screens.len()), (1, 2));
    assert_eq!(account.erasures, []);
    let webhooks = connect.webhooks(tenant.account).await.unwrap();
    assert_eq!(webhooks.len(), 2);
    for (token, _) in connect.tokens(tenant.account).await.unwrap() {
        assert_eq!(token.grants.len(), 1);
    }
}

on_each_store!(a_kept_journal_has_no_names);

async fn a_kept_journal_has_no_names(shop: Shop) {
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    tenant.trade(connect).await;
    let kept = connect_core::Retention {
        journal_days: Some(100),
        ..Default::default()
    };
    connect.set_retention(tenant.account, kept).await.unwrap();
    connect.plan_erasure(tenant.account, None).await.unwrap();
    let location = tenant.at[0].location().id.uuid();
    let of_location = async || {
        let rows = all(&*shop.storage).await;
        let mut own = rows
            .into_iter()
            .filter(|(key, _)| key.starts_with(location.as_bytes()));
        let families: Vec<u8> = own.clone().map(|(key, _)| key[16]).collect();
        let persons = own.any(|(_, row)| holds(&row, b"Noor") || holds(&row, b"Ada"));
        (families, persons)
    };
    assert!(of_location().await.1);
    for seconds in [30 * DAY, 60, 3600] {
        shop.clock.advance(seconds);
        assert_eq!(connect.maintain().await.unwrap().failed, 0);
        assert_eq!(connect.check(&mut |_| {}).await.unwrap().problems, []);
    }
    let (families, has_persons) = of_location().await;
    assert_eq!(
        families,
        [0x01, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87]
    );
    assert!(!has_persons);
    for seconds in [100 * DAY, 60] {
        shop.clock.advance(seconds);
        connect.maintain().await.unwrap();
    }
    assert!(of_location().await.0.is_empty());
}

#[tokio::test]
async fn a_receipt_that_cannot_be_read_keeps_no_name_unnoticed() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    tenant.trade(connect).await;
    let kept = connect_core::Retention {
        journal_days: Some(100),
        ..Default::default()
    };
    connect.set_retention(tenant.account, kept).await.unwrap();
    connect.plan_erasure(tenant.account, None).await.unwrap();
    let rows = all(&*shop.storage).await;
    let receipts: Vec<_> = rows.iter().filter(|(key, _)| key[16] == 0x80).collect();
    let [(partial, _), (broken, _)] = receipts[..] else {
        panic!("{receipts:?}");
    };
    put(&*shop.storage, partial, br#"{"employee":"Noor","later":1}"#).await;
    put(&*shop.storage, broken, b"Noor {").await;
    let found = async || {
        let rows = all(&*shop.storage).await.into_iter();
        let rows = rows.filter(|(key, _)| [partial, broken].contains(&key));
        rows.map(|(_, row)| String::from_utf8(row.to_vec()).unwrap())
            .collect::<Vec<_>>()
    };
    for seconds in [30 * DAY, 60, 3600] {
        shop.clock.advance(seconds);
        assert_eq!(connect.maintain().await.unwrap().failed, 1);
        let rows = found().await;
        assert!(rows.contains(&"Noor {".to_owned()), "{rows:?}");
        let blanked = r#"{"employee":null,"later":1}"#.to_owned();
        assert!(rows.contains(&blanked), "{rows:?}");
    }
    put(&*shop.storage, broken, b"{}").await;
    for seconds in [60, 60, 100 * DAY, 60] {
        shop.clock.advance(seconds);
        assert_eq!(connect.maintain().await.unwrap().failed, 0);
    }
    assert_eq!(found().await, Vec::<String>::new());
}

#[tokio::test]
async fn unreadable_tokens_and_webhooks_stop_no_erasure() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    tenant.trade(connect).await;
    let location = tenant.at[0].location().id;
    let planned = connect.plan_erasure(tenant.account, Some(location));
    planned.await.unwrap();
    for (key, _) in all(&*shop.storage).await {
        // Rows of tokens, and of webhooks.
        if matches!(key[16], 0x12 | 0xB0) {
            put(&*shop.storage, &key, b"{").await;
        }
    }
    shop.clock.advance(30 * DAY);
    assert!(connect.maintain().await.unwrap().failed >= 3);
    let account = connect.account(tenant.account).await.unwrap();
    assert_eq!(account.locations.len(), 1);
    for seconds in [3600, 60] {
        shop.clock.advance(seconds);
        connect.maintain().await.unwrap();
    }
    let rows = all(&*shop.storage).await;
    let mut left = rows.iter();
    assert!(!left.any(|(key, _)| key.starts_with(location.uuid().as_bytes())));
}

#[tokio::test]
async fn an_erasure_is_planned_and_taken_back_by_owners_in_time() {
    let shop = Shop::open(Backend::Memory).await;
    let (connect, account) = (&shop.connect, shop.at.account().id);
    let location = Some(shop.at.location().id);
    let manager = connect_core::NewUser {
        name: "Ada".into(),
        email: "ada@bakery.example".into(),
        language: connect_core::Language::En,
        roles: vec![connect_core::UserRole {
            location_id: None,
            role: connect_core::Role::Manager,
        }],
    };
    let manager = connect.create_user(account, manager).await.unwrap().id;
    let manager = connect.by(Author::User { id: manager }, Origin::default());
    let post = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let (post, mails) = (post.queue_mail().build(), Arc::<Mails>::default());
    let worker = post.mail_worker(mails.clone(), "https://shop.example/dashboard");
    for of in [None, location] {
        let refused = connect.cancel_erasure(account, of).await.unwrap_err();
        assert!(refused.to_string().contains("no erasure"), "{refused}");
        for refused in [
            manager.plan_erasure(account, of).await.map(drop),
            manager.cancel_erasure(account, of).await,
        ] {
            assert!(
                matches!(refused, Err(Error::ForbiddenScope(_))),
                "{refused:?}"
            );
        }
        post.plan_erasure(account, of).await.unwrap();
        worker.tick().await.unwrap();
        let told = mails.sent.lock().unwrap().pop().unwrap();
        let what = if of.is_none() { "Bakery" } else { "Here" };
        assert_eq!(told.subject, format!("{what} is going to be erased"));
        connect.cancel_erasure(account, of).await.unwrap();
        assert_eq!(
            connect.account(account).await.unwrap().planned_erasure(of),
            None
        );
        connect.plan_erasure(account, of).await.unwrap();
    }
    let unknown = Some(Uuid::from_u128(9).into());
    assert!(matches!(
        connect.plan_erasure(account, unknown).await,
        Err(Error::NotFound(_))
    ));
    shop.clock.advance(30 * DAY);
    for of in [None, location] {
        let late = connect.cancel_erasure(account, of).await.unwrap_err();
        assert!(late.to_string().contains("grace time is over"), "{late}");
    }
}
