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

use super::{Tenant, all, put};
use crate::{
    properties::shop::{Backend, Shop},
    stored::family::TRAIL,
};

/// Copies of images, each with its name as its bytes.
#[derive(Default)]
pub(super) struct Copies {
    removed: Mutex<BTreeSet<String>>,
}

#[async_trait]
impl ImageCopies for Copies {
    fn is_name(&self, name: &str) -> bool {
        name.ends_with(".png")
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        // A copy of megabytes ends its piece.
        Ok(Some(match name {
            "large.png" => vec![0; 2 << 20],
            _ => name.as_bytes().to_vec(),
        }))
    }

    async fn remove(&self, name: &str, _: Timestamp) -> Result<bool, String> {
        self.removed.lock().unwrap().insert(name.to_owned());
        Ok(true)
    }
}

/// The beginning of the keys of erased images.
const ERASED_IMAGE: [u8; 17] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0A];

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
        (0x96, "stockMinimum"),
        (0xB6, "delivery"),
        (TRAIL, "trail"),
    ] {
        assert_eq!(kinds.get(kind), rows.get(&family), "{kind}");
        assert!(kinds[kind] > 0, "{kind}");
    }
    assert_eq!((kinds["export"], kinds["webhook"]), (1, 3));
}

#[tokio::test]
async fn a_row_that_cannot_be_parsed_is_a_line_of_its_own() {
    let shop = Shop::open(Backend::Memory).await;
    let connect = &shop.connect;
    let tenant = Tenant::open(connect, "Korenbloem").await;
    tenant.trade(connect).await;
    let mut expected = kinds(&exported(connect, tenant.account, async |_| ()).await);
    let ids = tenant.ids(connect).await;
    let rows = all(&*shop.storage).await;
    let spoilt = [
        (0x11, "token"),
        (0x18, "screenKey"),
        (0x19, "signIn"),
        (0x1B, "invitation"),
        (0x1C, "session"),
        (0x20, "category"),
        (0x30, "product"),
        (0x50, "event"),
        (0x80, "transaction"),
        (0x86, "zReport"),
        (0xA0, "order"),
        (0xB6, "delivery"),
        (TRAIL, "trail"),
    ];
    for (family, kind) in spoilt {
        let is_it =
            |key: &[u8]| key[16] == family && ids.iter().any(|id| key.starts_with(id.as_bytes()));
        let (key, _) = rows.iter().find(|(key, _)| is_it(key)).unwrap();
        put(&*shop.storage, key, b"{").await;
        *expected.get_mut(kind).unwrap() -= 1;
        *expected.entry("unreadable".to_owned()).or_default() += 1;
    }
    expected.retain(|_, count| *count > 0);
    let found = kinds(&exported(connect, tenant.account, async |_| ()).await);
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_kept_journal_is_exported_once_it_has_no_names() {
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
    shop.clock.advance(30 * 24 * 3600);
    connect.maintain().await.unwrap();
    // A row of another family that came late, and a row about some other erasure.
    let location = tenant.at[0].location().id.uuid();
    put(
        &*shop.storage,
        &[location.as_bytes(), &[0x20][..], b"x"].concat(),
        b"{}",
    )
    .await;
    put(
        &*shop.storage,
        &[&[0; 16], &[0x09][..], &[7; 16]].concat(),
        b"{",
    )
    .await;
    let lines = exported(connect, tenant.account, async |_| ()).await;
    let expected = [
        ("export", 1),
        ("transaction", 2),
        ("dailySummary", 2),
        ("zReport", 2),
    ];
    let expected = expected.map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(kinds(&lines), BTreeMap::from(expected));
    assert!(!lines.contains("Noor"));
    // The broken row is reported, and stops nothing.
    for seconds in [3600, 100 * 24 * 3600, 60] {
        shop.clock.advance(seconds);
        assert_eq!(connect.maintain().await.unwrap().failed, 1);
    }
    let gone = connect.export_account(tenant.account, None).await;
    assert!(matches!(gone, Err(Error::NotFound(_))), "{gone:?}");
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
async fn a_piece_ends_behind_a_large_image() {
    let shop = Shop::open(Backend::Memory).await;
    let builder = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let connect = builder.image_copies(Arc::new(Copies::default())).build();
    let products = connect.location(&shop.at).products();
    for number in 0..10 {
        let product = ProductInput {
            image_url: Field::Value("https://images.example/images/large.png".to_owned()),
            ..ProductInput::named(format!("P{number}"))
        };
        products.create(product).await.unwrap();
    }
    let (mut lines, mut from) = (String::new(), None);
    loop {
        let piece = connect.export_account(shop.at.account().id, from.as_deref());
        let piece = piece.await.unwrap();
        assert!(piece.lines.len() < 4 << 20);
        lines += &piece.lines;
        from = piece.next;
        if from.is_none() {
            break;
        }
    }
    let kinds = kinds(&lines);
    assert_eq!((kinds["product"], kinds["image"]), (10, 10));
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
        for name in names.into_iter().chain(["elsewhere.jpg"]) {
            let product = ProductInput {
                image_url: Field::Value(format!("https://images.example/images/{name}")),
                ..ProductInput::named(name)
            };
            products.create(product).await.unwrap();
        }
    }
    connect.plan_erasure(one.account, None).await.unwrap();
    let has_images = async || {
        let rows = all(&*shop.storage).await;
        rows.iter().any(|(key, _)| key.starts_with(&ERASED_IMAGE))
    };
    // A process without the copies leaves them to the others.
    for seconds in [30 * 24 * 3600, 60, 3600, 60] {
        shop.clock.advance(seconds);
        shop.connect.maintain().await.unwrap();
    }
    assert!(copies.removed.lock().unwrap().is_empty());
    assert!(has_images().await);
    connect.maintain().await.unwrap();
    assert_eq!(
        *copies.removed.lock().unwrap(),
        BTreeSet::from(["own.png".to_owned()])
    );
    assert!(!has_images().await);
}
