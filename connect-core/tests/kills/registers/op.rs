//! The writes of the process that is killed, as plain data: noted before they are sent, and sent
//! again under the same key afterwards. Each leaves its number in what it writes, so that a write
//! that was done twice shows.

use connect_core::{
    Write, Written,
    wire::{
        AdjustmentType, Field, Fulfilment, Id, IdempotencyKey, LineInput, Order, OrderChange,
        OrderInput, OrderStatus, PaymentInput, PaymentMethod, Quantity, StockAdjustment,
        StockCount, Transaction, TransactionInput, TransactionType, VatRate, ZReportInput,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::place::{PRODUCTS, Place, counts};
use crate::shop::START;

/// A write. No two have the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Op {
    pub(super) number: i64,
    pub(super) what: What,
}

/// What is written. The number of the write decides the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum What {
    Sale {
        register: usize,
        order: Option<Id<Order>>,
    },
    Refund {
        register: usize,
        of: Id<Transaction>,
        order: Option<Id<Order>>,
    },
    /// An opening float, cash in or cash out.
    Cash {
        register: usize,
    },
    Close {
        register: usize,
    },
    Order,
    Move {
        order: Id<Order>,
        to: OrderStatus,
    },
    /// Counts one product.
    Count,
    /// Counts all tracked products.
    CountMany,
    Adjust,
}

impl Op {
    /// Sends the write under its key.
    pub(super) async fn send(&self, place: &Place) -> Written<Value> {
        let at = |access| place.shop.connect.location(access);
        let stock = at(&place.shop.at).stock();
        match &self.what {
            What::Sale { register, .. }
            | What::Refund { register, .. }
            | What::Cash { register } => {
                let rows = at(&place.registers[*register]).transactions();
                self.keyed(rows.write(self.row(place))).await
            }
            What::Close { register } => {
                let input = ZReportInput {
                    counted_cents: Field::Value(self.number),
                };
                let reports = at(&place.registers[*register]).z_reports();
                self.keyed(reports.close(input)).await
            }
            What::Order => {
                let input = OrderInput {
                    fulfilment: Field::Value(Fulfilment::Takeaway),
                    lines: Field::Value(self.lines(place, 1)),
                    note: Field::Value(self.number.to_string()),
                    ..OrderInput::default()
                };
                self.keyed(at(&place.kiosk).orders().create(input)).await
            }
            What::Move { order, to } => {
                let change = OrderChange {
                    status: Field::Value(to.clone()),
                    ..OrderChange::default()
                };
                let orders = at(&place.kiosk).orders();
                self.keyed(orders.update(*order, change)).await
            }
            What::Count => {
                let count = StockCount {
                    note: Field::Value(self.number.to_string()),
                    ..StockCount::of(thousandths(self.number % 90_000))
                };
                self.keyed(stock.count(self.tracked(place), count)).await
            }
            What::CountMany => {
                let mut counts = counts(|product| (self.number + product as i64) % 50_000);
                counts.note = Some(self.number.to_string());
                self.keyed(stock.count_many(counts)).await
            }
            What::Adjust => {
                let change = thousandths(1 + self.number % 2_500 - 1_200);
                let adjustment = StockAdjustment {
                    product_id: Field::Value(self.tracked(place)),
                    quantity_change: Field::Value(change),
                    kind: Field::Value(AdjustmentType::Correction),
                    note: Field::Value(self.number.to_string()),
                    ..StockAdjustment::default()
                };
                self.keyed(stock.adjust(adjustment)).await
            }
        }
    }

    async fn keyed<T>(&self, write: Write<T>) -> Written<Value>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let key = IdempotencyKey::new(self.number.to_string()).unwrap();
        let written = write.idempotency_key(key).send().await;
        let written = written.unwrap_or_else(|error| panic!("{self:?}: {error}"));
        Written {
            data: json!(written.data),
            replayed: written.replayed,
        }
    }

    fn row(&self, place: &Place) -> TransactionInput {
        let (kind, sign) = match self.what {
            What::Refund { .. } => (TransactionType::Refund, -1),
            What::Cash { .. } => match self.number % 3 {
                0 => (TransactionType::OpeningFloat, 0),
                1 => (TransactionType::CashIn, 0),
                _ => (TransactionType::CashOut, 0),
            },
            _ => (TransactionType::Sale, 1),
        };
        let lines = self.lines(place, sign);
        let total = match kind {
            TransactionType::OpeningFloat | TransactionType::CashIn => 2_000,
            TransactionType::CashOut => -500,
            _ => lines
                .iter()
                .filter_map(|line| line.total_cents.value())
                .sum(),
        };
        let mut payments = vec![PaymentInput::of(PaymentMethod::Cash, total)];
        if sign != 0 && self.number % 2 == 0 {
            let card = total - total / 3;
            payments = vec![
                PaymentInput::of(PaymentMethod::Cash, total / 3),
                PaymentInput::of(PaymentMethod::Card, card),
            ];
        }
        let order = match self.what {
            What::Sale { order, .. } | What::Refund { order, .. } => order,
            _ => None,
        };
        let refunded = match self.what {
            What::Refund { of, .. } => Some(of),
            _ => None,
        };
        let or_absent = |lines: Vec<LineInput>| match lines.is_empty() {
            true => Field::Absent,
            false => Field::Value(lines),
        };
        // Over three days, in no order.
        let time = START.plus_seconds(-(self.number * 7919 % (3 * 86_400)));
        TransactionInput {
            kind: Field::Value(kind),
            total_cents: Field::Value(total),
            lines: or_absent(lines),
            payments: Field::Value(payments),
            refund_of: refunded.map_or(Field::Absent, Field::Value),
            order_id: order.map_or(Field::Absent, Field::Value),
            note: Field::Value(self.number.to_string()),
            created_at: Field::Value(time),
            ..TransactionInput::default()
        }
    }

    /// Three lines, of which two may be of one product; none for a sign of 0.
    fn lines(&self, place: &Place, sign: i64) -> Vec<LineInput> {
        let line = |place_of_line: i64| {
            let number = self.number + place_of_line * 3;
            let product = number as usize % PRODUCTS;
            let quantity = [1000, 2000, 350, 500][number as usize % 4];
            let price = 100 * (1 + number % 9);
            LineInput {
                product_id: Field::Value(place.products[product]),
                name: Field::Value(format!("Product {product}")),
                quantity: Field::Value(thousandths(sign * quantity)),
                unit_price_cents: Field::Value(price),
                total_cents: Field::Value(sign * price * quantity / 1000),
                vat_rate: Field::Value(VatRate::percent(if number % 2 == 0 { 9 } else { 21 })),
                ..LineInput::default()
            }
        };
        match sign {
            0 => Vec::new(),
            _ => [0, 1, 8].map(line).into(),
        }
    }

    /// One of the tracked products.
    fn tracked(&self, place: &Place) -> Id<connect_core::wire::Product> {
        place.products[1 + self.number as usize % (PRODUCTS - 1)]
    }
}

fn thousandths(thousandths: i64) -> Quantity {
    Quantity::from_thousandths(thousandths).unwrap()
}
