//! Stock that was damaged on purpose.

use connect_core::{
    ProblemKind, ScreenType,
    storage::{Entry, Write},
    wire::{Field, Product, Quantity, StockAdjustment, StockCount, TransactionInput},
};

use super::{Stocked, family, find, repair::repair};
use crate::stored::family::{
    LEVEL, LEVEL_BY_CHANGE, MINIMUM, MOVEMENT, MOVEMENT_BY_CREATION, MOVEMENT_BY_PRODUCT,
    TRANSACTION_BY_ID,
};

fn pieces(pieces: i64) -> Quantity {
    Quantity::from_thousandths(1000 * pieces).unwrap()
}

/// A shop with a product of which 5 were counted, 2 came and 1 was sold, and a deleted one. Both had a minimum.
pub(super) async fn open() -> Stocked {
    let stocked = Stocked::open().await;
    let here = stocked.shop.connect.location(&stocked.shop.at);
    let products = stocked.rows(family::PRODUCT).await;
    let ids: Vec<_> = products
        .iter()
        .map(|(_, row)| serde_json::from_slice::<Product>(row).unwrap().id)
        .collect();
    for id in &ids[..2] {
        let counted = here.stock().count(*id, StockCount::of(pieces(5))).await;
        counted.unwrap();
        let minimum = here.stock().set_minimum(*id, Some(pieces(8))).await;
        minimum.unwrap();
    }
    let delivery = StockAdjustment {
        product_id: Field::Value(ids[0]),
        quantity_change: Field::Value(pieces(2)),
        ..StockAdjustment::default()
    };
    here.stock().adjust(delivery).await.unwrap();
    let till = stocked.shop.screen(ScreenType::Pos, "Till").await;
    let sale = format!(
        r#"{{ "type": "sale", "totalCents": 250,
              "payments": [{{ "method": "card", "amountCents": 250 }}],
              "lines": [{{ "name": "Rye", "productId": "{}", "quantity": 1,
                           "unitPriceCents": 250, "totalCents": 250, "vatRate": 9 }}] }}"#,
        ids[0]
    );
    let sale = TransactionInput::from_json(sale.as_bytes()).unwrap();
    let till = stocked.shop.connect.location(&till);
    till.transactions().write(sale).await.unwrap();
    here.products().delete(ids[1]).await.unwrap();
    stocked
}

/// The movement of a type.
async fn movement(stocked: &Stocked, kind: &str) -> Entry {
    let mut movements = stocked.rows(MOVEMENT).await;
    let kind = format!(r#""type":"{kind}""#);
    movements.retain(|(_, row)| String::from_utf8_lossy(row).contains(&kind));
    movements.swap_remove(0)
}

#[tokio::test]
async fn stock_that_is_as_it_was_written_is_clean() {
    let report = open().await.check().await;
    assert_eq!(report.problems, []);
    for (family, count) in [
        ("StockLevel", 1),
        ("StockLevelTombstone", 1),
        ("StockMovement", 4),
        ("StockMinimum", 1),
    ] {
        assert_eq!(report.families[family], count, "{family}");
    }
}

#[tokio::test]
async fn a_level_that_is_not_the_sum_of_its_movements_is_named() {
    // One movement says another change, and one is gone with its entries.
    let stocked = open().await;
    let (level, _) = stocked.first(LEVEL).await;
    let sale = movement(&stocked, "sale").await;
    let (text, other) = (r#""quantityChange":-1"#, r#""quantityChange":-2"#);
    stocked.replace(&sale, text, other).await;
    find(&stocked.check().await, ProblemKind::BadRow, &level);

    let stocked = open().await;
    let (level, _) = stocked.first(LEVEL).await;
    let (sale, _) = movement(&stocked, "sale").await;
    let id = sale[17..].to_vec();
    for family in [MOVEMENT, MOVEMENT_BY_CREATION, MOVEMENT_BY_PRODUCT] {
        for (key, _) in stocked.rows(family).await {
            if key.ends_with(&id) {
                stocked.write(&key, Write::Remove).await;
            }
        }
    }
    let report = stocked.check().await;
    let problem = find(&report, ProblemKind::BadRow, &level);
    assert!(problem.message.contains("1000 thousandths"), "{problem:?}");
    assert_eq!(report.problem_count, 1, "{:#?}", report.problems);
}

#[tokio::test]
async fn a_level_that_is_not_its_products_is_named() {
    let stocked = open().await;
    let level = stocked.first(LEVEL).await;
    stocked
        .replace(&level, r#""quantity":6"#, r#""quantity":7"#)
        .await;
    let problems = stocked.check().await.problems;
    // It is neither what the product says nor the sum of its movements.
    let of_level = problems.iter().filter(|it| it.key == hex::encode(&level.0));
    assert_eq!(of_level.count(), 2, "{problems:#?}");
}

#[tokio::test]
async fn what_is_missing_is_named() {
    for family in [LEVEL_BY_CHANGE, MOVEMENT_BY_CREATION, MOVEMENT_BY_PRODUCT] {
        let stocked = open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        find(&stocked.check().await, ProblemKind::MissingEntry, &key);
    }
    let stocked = open().await;
    let (level, _) = stocked.first(LEVEL).await;
    stocked.write(&level, Write::Remove).await;
    let product = [&level[..16], &[family::PRODUCT], &level[17..]].concat();
    find(
        &stocked.check().await,
        ProblemKind::MissingReference,
        &product,
    );
    // The sale that a movement names.
    let stocked = open().await;
    let (by_id, _) = stocked.first(TRANSACTION_BY_ID).await;
    let (sale, _) = movement(&stocked, "sale").await;
    stocked.write(&by_id, Write::Remove).await;
    find(&stocked.check().await, ProblemKind::MissingReference, &sale);
}

#[tokio::test]
async fn entries_without_their_rows_are_named() {
    for (rows, index) in [
        (LEVEL, LEVEL_BY_CHANGE),
        (MOVEMENT, MOVEMENT_BY_CREATION),
        (MOVEMENT, MOVEMENT_BY_PRODUCT),
    ] {
        let stocked = open().await;
        for (key, _) in stocked.rows(rows).await {
            stocked.write(&key, Write::Remove).await;
        }
        let report = stocked.check().await;
        for (entry, _) in stocked.rows(index).await {
            find(&report, ProblemKind::StrayEntry, &entry);
        }
    }
}

#[tokio::test]
async fn rows_that_are_not_theirs_are_named() {
    for family in [LEVEL, MOVEMENT, MINIMUM] {
        let stocked = open().await;
        let (key, row) = stocked.first(family).await;
        stocked.put(&key, b"x").await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
        let mut other = key.to_vec();
        other[20] ^= 0x40;
        stocked.put(&other, &row).await;
        find(&stocked.check().await, ProblemKind::BadRow, &other);
    }
}

#[tokio::test]
async fn a_minimum_without_its_product_is_named_and_removed() {
    let stocked = open().await;
    let (key, row) = stocked.first(MINIMUM).await;
    let row = std::str::from_utf8(&row).unwrap();
    let id = uuid::Uuid::from_slice(&key[17..]).unwrap();
    let other = uuid::Uuid::from_u128(7);
    let stray = [&key[..17], other.as_bytes()].concat();
    let text = row.replace(&id.to_string(), &other.to_string());
    stocked.put(&stray, text.as_bytes()).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::MissingReference, &stray);
    assert_eq!(report.problem_count, 1, "{:#?}", report.problems);
    let (left, _) = repair(&stocked.shop.connect).await;
    assert!(left.is_clean(), "{left:#?}");
    assert_eq!(left.families["StockMinimum"], 1);
}
