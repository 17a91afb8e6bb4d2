//! Orders that were damaged on purpose, and their sales.

use connect_core::{
    ProblemKind, ScreenType,
    storage::Write,
    wire::{Id, Order, OrderInput, Transaction, TransactionInput},
};

use super::{Stocked, find};
use crate::stored::family::{
    CLOCK, ORDER, ORDER_BY_CREATION, ORDER_BY_SCREEN, ORDER_BY_UPDATE, TRANSACTION,
    TRANSACTION_BY_ID,
};

/// A shop with two orders, the first of which was paid by the first receipt. The second receipt is
/// of no order, and the third takes the first one back.
pub(super) struct Ordered {
    pub(super) stocked: Stocked,
    sales: Vec<Id<Transaction>>,
    orders: Vec<Id<Order>>,
}

impl Ordered {
    pub(super) async fn open() -> Self {
        let stocked = Stocked::open().await;
        let kiosk = stocked.shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
        let kiosk = stocked.shop.connect.location(&kiosk);
        let mut orders = Vec::new();
        for _ in 0..2 {
            let order = r#"{ "fulfilment": "takeaway",
                             "lines": [{ "name": "Rye", "quantity": 1, "unitPriceCents": 250,
                                         "totalCents": 250, "vatRate": 9 }] }"#;
            let order = OrderInput::from_json(order.as_bytes()).unwrap();
            orders.push(kiosk.orders().create(order).await.unwrap().id);
        }
        let till = stocked.shop.screen(ScreenType::Pos, "Till").await;
        let journal = stocked.shop.connect.location(&till).transactions();
        let mut sales = Vec::<Id<Transaction>>::new();
        for (kind, sign, is_of_order) in
            [("sale", 1, true), ("sale", 1, false), ("refund", -1, true)]
        {
            let total = sign * 250;
            let mut row = serde_json::json!({
                "type": kind, "totalCents": total,
                "payments": [{ "method": "card", "amountCents": total }],
                "lines": [{ "name": "Rye", "quantity": sign, "unitPriceCents": 250,
                            "totalCents": total, "vatRate": 9 }],
            });
            if is_of_order {
                row["orderId"] = orders[0].to_string().into();
            }
            if sign < 0 {
                row["refundOf"] = sales[0].to_string().into();
            }
            let row = TransactionInput::from_json(row.to_string().as_bytes()).unwrap();
            sales.push(journal.write(row).await.unwrap().id);
        }
        Self {
            stocked,
            sales,
            orders,
        }
    }

    fn order_key(&self, order: usize) -> Vec<u8> {
        let (location, id) = (self.stocked.location(), self.orders[order].uuid());
        [location.as_bytes(), &[ORDER][..], id.as_bytes()].concat()
    }

    /// Says of an order that it was paid by another sale, or by none.
    async fn name(&self, order: usize, before: Option<usize>, sale: Option<usize>) {
        let text = |sale: Option<usize>| match sale {
            Some(sale) => format!(r#""transactionId":"{}""#, self.sales[sale]),
            None => r#""transactionId":null"#.to_owned(),
        };
        let rows = self.stocked.rows(ORDER).await;
        let key = self.order_key(order);
        let row = rows.iter().find(|(at, _)| **at == *key).unwrap();
        let (text, other) = (text(before), text(sale));
        self.stocked.replace(row, &text, &other).await;
    }
}

#[tokio::test]
async fn orders_that_are_as_they_were_written_are_clean() {
    let report = Ordered::open().await.stocked.check().await;
    assert_eq!(report.problems, []);
    assert_eq!(
        (report.families["Order"], report.families["Transaction"]),
        (2, 3)
    );
}

#[tokio::test]
async fn a_sale_whose_order_does_not_name_it_is_named() {
    for sale in [None, Some(1)] {
        let ordered = Ordered::open().await;
        ordered.name(0, Some(0), sale).await;
        let (receipt, _) = ordered.stocked.first(TRANSACTION).await;
        let report = ordered.stocked.check().await;
        find(&report, ProblemKind::MissingReference, &receipt);
    }
}

#[tokio::test]
async fn an_order_that_names_the_sale_of_another_is_found() {
    let ordered = Ordered::open().await;
    ordered.name(1, None, Some(1)).await;
    let report = ordered.stocked.check().await;
    let location = ordered.stocked.location();
    let orders = [location.as_bytes(), &[ORDER][..]].concat();
    let problem = find(&report, ProblemKind::Count, &orders);
    assert_eq!(
        problem.message,
        "1 sales name an order, and 2 orders a sale"
    );
    assert_eq!(report.problem_count, 1, "{:#?}", report.problems);
}

#[tokio::test]
async fn an_order_or_a_sale_that_is_gone_is_named() {
    let ordered = Ordered::open().await;
    let key = ordered.order_key(0);
    ordered.stocked.write(&key, Write::Remove).await;
    let report = ordered.stocked.check().await;
    let receipts = ordered.stocked.rows(TRANSACTION).await;
    // The sale, and the refund.
    for receipt in [&receipts[0].0, &receipts[2].0] {
        find(&report, ProblemKind::MissingReference, receipt);
    }

    let ordered = Ordered::open().await;
    let (location, id) = (ordered.stocked.location(), ordered.sales[0].uuid());
    let by_id = [location.as_bytes(), &[TRANSACTION_BY_ID][..], id.as_bytes()].concat();
    ordered.stocked.write(&by_id, Write::Remove).await;
    let report = ordered.stocked.check().await;
    let receipts = ordered.stocked.rows(TRANSACTION).await;
    // The order that it paid, and the refund of it.
    for key in [&ordered.order_key(0)[..], &receipts[2].0] {
        find(&report, ProblemKind::MissingReference, key);
    }
}

#[tokio::test]
async fn entries_are_held_against_their_orders() {
    for family in [ORDER_BY_CREATION, ORDER_BY_UPDATE] {
        let Ordered { stocked, .. } = Ordered::open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        find(&stocked.check().await, ProblemKind::MissingEntry, &key);
    }
    for family in [ORDER_BY_CREATION, ORDER_BY_UPDATE, ORDER_BY_SCREEN] {
        let Ordered { stocked, .. } = Ordered::open().await;
        for (key, _) in stocked.rows(ORDER).await {
            stocked.write(&key, Write::Remove).await;
        }
        let report = stocked.check().await;
        for (entry, _) in stocked.rows(family).await {
            find(&report, ProblemKind::StrayEntry, &entry);
        }
    }
}

#[tokio::test]
async fn a_clock_behind_an_order_is_named() {
    let Ordered { stocked, .. } = Ordered::open().await;
    let order = stocked.first(ORDER).await;
    let (updated, later) = (r#""updatedAt":"20"#, r#""updatedAt":"21"#);
    stocked.replace(&order, updated, later).await;
    let clock = [stocked.location().as_bytes(), &[CLOCK][..]].concat();
    find(&stocked.check().await, ProblemKind::ClockBehind, &clock);
}

#[tokio::test]
async fn rows_that_are_not_theirs_are_named() {
    let Ordered { stocked, .. } = Ordered::open().await;
    let (key, row) = stocked.first(ORDER).await;
    stocked.put(&key, b"x").await;
    let mut other = key.to_vec();
    other[20] ^= 0x40;
    stocked.put(&other, &row).await;
    let report = stocked.check().await;
    find(&report, ProblemKind::BadRow, &key);
    find(&report, ProblemKind::BadRow, &other);
}
