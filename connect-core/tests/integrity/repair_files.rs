//! Shops whose file is damaged, and that have no copy of it.

use std::{ffi::OsString, fs, path::Path, sync::Arc};

use connect_core::{
    ScreenType,
    storage::{
        disk::Health,
        redb::{RedbOptions, RedbStorage},
    },
    wire::{
        Field, OptionGroupInput, OptionInput, OrderInput, ProductBatch, ProductInput, StockCount,
        TransactionInput, ZReportInput, query::ProductQuery,
    },
};

use super::repair::{Copies, LOST_FOR_GOOD, goes_on, only_lost, read_all, repair};
use crate::shop::{self, Shop};

/// Fills a shop. Returns the copies of integrators.
async fn fill(shop: &shop::Shop) -> Copies {
    let at = shop.connect.location(&shop.at);
    let group = OptionGroupInput::named("Sauce", vec![OptionInput::named("Ketchup")]);
    let group = at.option_groups().create(group).await.unwrap().id;
    let items = (0..120).map(|number| ProductInput {
        external_id: Field::Value(format!("P-{number}")),
        barcode: Field::Value(format!("871{}", number / 3)),
        category_name: Field::Value(format!("Category {}", number % 20)),
        option_group_ids: Field::Value(vec![group]),
        ..ProductInput::named("Rye")
    });
    let batch = ProductBatch::new(items.collect());
    at.products().batch(batch).await.unwrap();
    let screen = async |kind| shop.connect.location(&shop.screen(kind, "Screen").await);
    let (kiosk, till) = (
        screen(ScreenType::OrderKiosk).await,
        screen(ScreenType::Pos).await,
    );
    for number in 0..20 {
        let line = r#""lines": [{ "name": "Rye", "quantity": 1, "unitPriceCents": 250,
                                  "totalCents": 250, "vatRate": 9 }]"#;
        let order = format!(r#"{{ "fulfilment": "takeaway", {line} }}"#);
        let order = OrderInput::from_json(order.as_bytes()).unwrap();
        let order = kiosk.orders().create(order).await.unwrap().id;
        let sale = format!(
            r#"{{ "type": "sale", "totalCents": 250, "orderId": "{order}", {line},
                  "payments": [{{ "method": "card", "amountCents": 250 }}] }}"#
        );
        let sale = TransactionInput::from_json(sale.as_bytes()).unwrap();
        till.transactions().write(sale).await.unwrap();
        let product = format!("P-{number}");
        let products = ProductQuery {
            external_id: Some(product),
            ..ProductQuery::default()
        };
        let product = at.products().list(&products).await.unwrap().data.remove(0);
        let count: StockCount = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
        at.stock().count(product.id, count).await.unwrap();
    }
    till.z_reports()
        .close(ZReportInput::default())
        .await
        .unwrap();
    let mut copies = Copies::default();
    copies.follow(&at).await.unwrap();
    copies
}

/// A shop without a copy goes on with what its file has left.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_repaired() {
    let open = |folder: &Path| RedbStorage::open(folder, RedbOptions::default());
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::on(Arc::new(open(folder.path()).unwrap())).await;
    let copies = fill(&shop).await;
    let (account, location) = (shop.account, shop.at.location().id);
    let clock = shop.clock.clone();
    drop(shop);
    let file = folder.path().join("store.redb");
    let whole: Vec<_> = files(folder.path());
    let pages = usize::try_from(fs::metadata(&file).unwrap().len()).unwrap() / 4096;
    let (mut damaged, mut refused) = (0, 0);
    // Few pages, of all families.
    for page in (1..pages).step_by(pages / 30) {
        for (name, bytes) in &whole {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut bytes = fs::read(&file).unwrap();
        bytes[page * 4096..(page + 1) * 4096].fill(0);
        fs::write(&file, bytes).unwrap();
        let case = format!("page {page} of {pages}");
        let Ok(storage) = open(folder.path()) else {
            continue;
        };
        if storage.health().health() == Health::Working {
            // Nothing is on it.
            continue;
        }
        damaged += 1;
        drop(storage);
        fs::write(folder.path().join("connect.accept-loss"), "").unwrap();
        let connect = shop::connect(Arc::new(open(folder.path()).unwrap()), &clock);
        let access = connect.authorize_owner(account, location, account).await;
        if let Ok(access) = &access {
            let at = connect.location(access);
            let answers =
                Copies::default().follow(&at).await.is_ok() && read_all(&at).await.is_ok();
            refused += u32::from(!answers);
        }
        let (left, _) = repair(&connect).await;
        only_lost(&LOST_FOR_GOOD, &left, &case);
        if let Ok(access) = access {
            goes_on(&connect, &access, &copies, &LOST_FOR_GOOD, &case).await;
        }
    }
    assert!(damaged > 8 && refused > 1, "{refused} of {damaged}");
}

/// The files of a folder.
fn files(folder: &Path) -> Vec<(OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: fs::DirEntry| (entry.file_name(), fs::read(entry.path()).unwrap());
    entries.map(read).collect()
}
