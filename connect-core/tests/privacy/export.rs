//! The export of an account: all of it, nothing of others, and no secret.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use connect_core::{
    Author, Connect, Error, Origin,
    environment::ImageCopies,
    wire::{Field, Id, ProductInput, Timestamp},
};
use serde_json::Value;
use uuid::Uuid;

use super::{Tenant, all, holds};
use crate::properties::shop::{Backend, Shop};

/// Copies of images, each with its name as its bytes.
#[derive(Default)]
struct Copies {
    removed: Mutex<BTreeSet<String>>,
}

#[async_trait]
impl ImageCopies for Copies {
    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(Some(name.as_bytes().to_vec()))
    }

    async fn remove(&self, name: &str, _: Timestamp) -> Result<bool, String> {
        self.removed.lock().unwrap().insert(name.to_owned());
        Ok(true)
    }
}

async fn exported(
    connect: &Connect,
    account: Id<connect_core::Account>,
    mut between: impl AsyncFnMut(usize),
) -> String {
    let (mut lines, mut from, mut pieces) = (String::new(), None, 0);
    loop {
        let piece = connect
            .export_account(account, from.as_deref())
            .await
            .unwrap();
        lines += &piece.lines;
        pieces += 1;
        between(pieces).await;
        match piece.next {
            Some(next) => from = Some(next),
            None => return lines,
        }
    }
}

fn kinds(lines: &str) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        *kinds
            .entry(line["kind"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    kinds
}

on_each_store!(an_export_has_all_of_an_account_and_nothing_of_others);

async fn an_export_has_all_of_an_account_and_nothing_of_others(shop: Shop) {
    let copies = Arc::new(Copies::default());
    let connect = Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .image_copies(copies)
        .build();
    let (one, other) = (
        Tenant::open(&connect, "Korenbloem").await,
        Tenant::open(&connect, "Zonnehof").await,
    );
    for tenant in [&one, &other] {
        tenant.trade(&connect).await;
    }
    let token = connect
        .create_full_token(one.account, "Sync")
        .await
        .unwrap();
    let lines = exported(&connect, one.account, async |_| ()).await;
    assert!(!lines.to_lowercase().contains("zonnehof"));
    for id in other.ids(&connect).await {
        assert!(!lines.contains(&id.to_string()));
    }
    for secret in [
        token.secret.expose(),
        "argon2",
        "digest",
        "rye and spelt",
        "\"secret\"",
    ] {
        assert!(!lines.contains(secret), "{secret}");
    }
    // As many as there are rows of each family.
    let ids = one.ids(&connect).await;
    let mut rows: BTreeMap<u8, usize> = BTreeMap::new();
    for (key, _) in all(&*shop.storage).await {
        let owner = Uuid::from_slice(&key[..16]).unwrap();
        if ids.contains(&owner) {
            *rows.entry(key[16]).or_default() += 1;
        }
    }
    let kinds = kinds(&lines);
    for (family, kind) in [
        (0x10, "account"),
        (0x11, "token"),
        (0x18, "screenKey"),
        (0x19, "signIn"),
        (0x1B, "invitation"),
        (0x1C, "session"),
        (0x20, "category"),
        (0x30, "product"),
        (0x30, "image"),
        (0x32, "deletedProduct"),
        (0x40, "imageJob"),
        (0x70, "optionGroup"),
        (0x80, "transaction"),
        (0x82, "dailySummary"),
        (0x86, "zReport"),
        (0xA0, "order"),
        (0x50, "event"),
        (0x90, "stockLevel"),
        (0x93, "stockMovement"),
        (0xB6, "delivery"),
        (0xC0, "trail"),
    ] {
        assert_eq!(kinds.get(kind), rows.get(&family), "{kind}");
        assert!(kinds[kind] > 0, "{kind}");
    }
    assert_eq!((kinds["export"], kinds["webhook"]), (1, 3));
}

#[tokio::test]
async fn an_export_goes_on_beside_writers() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let account = shop.at.account().id;
    let products = connect.location(&shop.at).products();
    let mut made = BTreeSet::new();
    for number in 0..1200 {
        let product = ProductInput {
            description: Field::Value("x".repeat(2000)),
            ..ProductInput::named(format!("P{number}"))
        };
        made.insert(products.create(product).await.unwrap().id.to_string());
    }
    let mut most = 0;
    let lines = exported(connect, account, async |pieces| {
        most = pieces;
        let name = format!("during {pieces}");
        products.create(ProductInput::named(name)).await.unwrap();
    })
    .await;
    assert!(most > 2);
    let mut found = BTreeMap::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["kind"] == "product" {
            *found
                .entry(line["data"]["id"].as_str().unwrap().to_owned())
                .or_insert(0) += 1;
        }
    }
    assert!(made.iter().all(|id| found.get(id) == Some(&1)));
    // No other caller's place, and no other caller.
    for place in ["x", "00", &"ab".repeat(17)] {
        let refused = connect.export_account(account, Some(place)).await;
        assert!(matches!(refused, Err(Error::Malformed(_))), "{refused:?}");
    }
    let stranger = connect.by(
        Author::User {
            id: Uuid::from_u128(7).into(),
        },
        Origin::default(),
    );
    let refused = stranger.export_account(account, None).await;
    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
}

#[tokio::test]
async fn only_images_of_no_other_product_are_removed() {
    let shop = Shop::open(Backend::Memory).await;
    let copies = Arc::new(Copies::default());
    let connect = Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .image_copies(copies.clone())
        .build();
    let (one, other) = (
        Tenant::open(&connect, "Korenbloem").await,
        Tenant::open(&connect, "Zonnehof").await,
    );
    for (tenant, names) in [
        (&one, ["own.png", "common.png"]),
        (&other, ["other.png", "common.png"]),
    ] {
        let products = connect.location(&tenant.at[0]).products();
        for name in names {
            let product = ProductInput {
                image_url: Field::Value(format!("https://images.example/images/{name}")),
                ..ProductInput::named(name)
            };
            products.create(product).await.unwrap();
        }
    }
    connect.plan_erasure(one.account, None).await.unwrap();
    for seconds in [30 * 24 * 3600, 60, 3600, 60] {
        shop.clock.advance(seconds);
        connect.maintain().await.unwrap();
    }
    assert_eq!(
        *copies.removed.lock().unwrap(),
        BTreeSet::from(["own.png".to_owned()])
    );
    let rows = all(&*shop.storage).await;
    assert!(
        !rows
            .iter()
            .any(|(key, _)| holds(key, b"own.png") || holds(key, b"common.png"))
    );
}
