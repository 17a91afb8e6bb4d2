//! Levels, products, movements and sales agree.

use std::collections::{BTreeMap, HashMap, HashSet};

use connect_core::wire::{
    Id, MovementType, Product, Transaction, TransactionType, query::StockMovementQuery,
};

use super::{place::Place, seen::Seen};

/// Checks the stock of every product.
pub(super) async fn agrees(place: &Place, seen: &Seen) {
    let mut levels = HashMap::new();
    let mut done = HashSet::new();
    for movement in &seen.movements {
        let product = movement.product_id;
        let level = levels.entry(product).or_insert(0);
        *level += movement.quantity_change.thousandths();
        assert_eq!(
            movement.quantity_after.thousandths(),
            *level,
            "{movement:?}"
        );
        if movement.note.is_some() {
            assert!(
                done.insert((product, &movement.note)),
                "done twice: {movement:?}"
            );
        }
    }
    let listed = seen.levels.iter();
    let listed: HashMap<_, _> = listed
        .map(|level| (level.product_id, level.quantity.thousandths()))
        .collect();
    assert_eq!(listed, levels);
    for product in &seen.products {
        let quantity = product
            .stock_quantity
            .map(|quantity| quantity.thousandths());
        assert_eq!(quantity, levels.get(&product.id).copied(), "{product:?}");
    }
    assert_eq!(moved(seen), sold(place, seen));

    // The list of one product leads to the same movements.
    let product = place.products[1];
    let mut query = StockMovementQuery {
        product_id: Some(product),
        ..StockMovementQuery::default()
    };
    query.paging.limit = Some(200);
    let movements = place
        .shop
        .connect
        .location(&place.shop.at)
        .stock()
        .movements();
    let page = movements.list(&query).await.unwrap().data;
    let expected = seen.movements.iter();
    let expected = expected.filter(|movement| movement.product_id == product);
    assert!(page.iter().eq(expected.take(200)));
}

type Moved = BTreeMap<(Id<Transaction>, Id<Product>), i64>;

/// What the movements say that was sold and taken back.
fn moved(seen: &Seen) -> Moved {
    let mut moved = Moved::new();
    for movement in &seen.movements {
        let is_sale = [MovementType::Sale, MovementType::Refund].contains(&movement.kind);
        assert_eq!(movement.transaction_id.is_some(), is_sale, "{movement:?}");
        if let Some(sale) = movement.transaction_id {
            let before = moved.insert(
                (sale, movement.product_id),
                movement.quantity_change.thousandths(),
            );
            assert_eq!(before, None, "moved twice: {movement:?}");
        }
    }
    moved
}

/// What the lines of the journal say of tracked products.
fn sold(place: &Place, seen: &Seen) -> Moved {
    let mut sold = Moved::new();
    let of_goods = [TransactionType::Sale, TransactionType::Refund];
    for row in seen.rows.iter().filter(|row| of_goods.contains(&row.kind)) {
        for line in &row.lines {
            let product = line.product_id.unwrap();
            if product != place.products[0] {
                *sold.entry((row.id, product)).or_default() -= line.quantity.thousandths();
            }
        }
    }
    sold
}
