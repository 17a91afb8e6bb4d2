//! Journal rows of three lines, written by the registers of one location at once. The products on
//! the lines are there, and not tracked.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use connect_core::{
    Access, Request,
    storage::memory::MemoryStorage,
    wire::{
        AnyEvent, Cash, DailySummary, EventType, Id, Line, Payment, Product, Timestamp, Totals,
        Transaction, TransactionType, VatAmount, VatRate, query::DailySummaryQuery,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::{
    measure::{self, Reach},
    raw::{Raw, Shared, Writes, key},
    shop::{self, Shop},
};

const REGISTERS: usize = 8;
const PRODUCTS: usize = 100;

/// A shop whose registers sell.
pub struct Counter {
    pub shop: Shop,
    registers: Vec<Access>,
    products: Vec<Id<Product>>,
}

impl Counter {
    /// Gives a shop registers, and products that nobody counts.
    pub async fn open(shop: Shop, products: usize) -> Self {
        let mut registers = Vec::new();
        for number in 0..REGISTERS {
            registers.push(shop::register(&shop, &format!("Till {number}")).await);
        }
        let at = &shop.locations[0];
        shop::fill(&shop.connect, at, products).await;
        let page = shop.connect.location(at).products();
        let page = page.list(&Default::default()).await.unwrap();
        Self {
            registers,
            products: page.data.iter().map(|product| product.id).collect(),
            shop,
        }
    }

    /// The access of a register.
    pub fn register(&self, number: usize) -> &Access {
        &self.registers[number]
    }

    /// The body of a sale of three lines.
    pub fn sale(&self, number: usize, created_at: Option<Timestamp>) -> Vec<u8> {
        let line = |place: usize| {
            let price = 100 + (number + place) % 900;
            let product = self.products[(number * 3 + place) % self.products.len()];
            format!(
                r#"{{"productId":"{product}","externalId":"ART-{place:08}","name":"Product number {place}","quantity":2,"unitPriceCents":{price},"totalCents":{},"vatRate":{},"options":[]}}"#,
                2 * price,
                if place == 0 { 21 } else { 9 },
            )
        };
        let total: usize = (0..3).map(|place| 2 * (100 + (number + place) % 900)).sum();
        let lines: Vec<String> = (0..3).map(line).collect();
        let time = created_at.map_or(String::new(), |time| format!(r#","createdAt":"{time}""#));
        format!(
            r#"{{"type":"sale","employee":"Anna","totalCents":{total},"lines":[{}],"payments":[{{"method":"cash","amountCents":100}},{{"method":"card","amountCents":{}}}]{time}}}"#,
            lines.join(","),
            total - 100,
        )
        .into_bytes()
    }

    /// Writes these rows, each register its share, one after another.
    pub fn write(&self, runtime: &Runtime, bodies: Vec<Vec<u8>>) {
        let share = bodies.len().div_ceil(REGISTERS);
        let mut bodies = bodies.into_iter();
        let write = |register: &Access| {
            let rows = self.shop.connect.location(register).transactions();
            let bodies: Vec<_> = bodies.by_ref().take(share).collect();
            runtime.spawn(async move {
                for body in bodies {
                    rows.write_json(Request::json(body)).await.unwrap();
                }
            })
        };
        shop::finish(runtime, self.registers.iter().map(write).collect());
    }
}

/// Rows in the memory store.
pub fn in_memory(runtime: &Runtime) {
    const ROWS: usize = 4000;
    let shop = runtime.block_on(shop::open(Arc::new(MemoryStorage::new()), 1));
    let counter = runtime.block_on(Counter::open(shop, PRODUCTS));
    let floor = RefCell::new(Floor::default());
    measure::compare(
        "journal rows of 3 lines by 8 registers, memory",
        Reach::Wall(0.4),
        15,
        || {
            let bodies: Vec<_> = (0..ROWS).map(|row| counter.sale(row, None)).collect();
            measure::timed(ROWS, || {
                let mut floor = floor.borrow_mut();
                bodies.iter().for_each(|body| floor.write(body));
            })
        },
        || {
            let bodies = (0..ROWS).map(|row| counter.sale(row, None)).collect();
            measure::timed(ROWS, || counter.write(runtime, bodies))
        },
    );
}

/// Rows on the disk.
pub fn on_disk(runtime: &Runtime, engine: &str) {
    const ROWS: usize = 3200;
    let (ours, floor) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = shop::storage(engine, &ours.path().join("store"));
    let shop = runtime.block_on(shop::open(storage, 1));
    let counter = runtime.block_on(Counter::open(shop, PRODUCTS));
    counter.write(runtime, vec![counter.sale(0, None)]);
    let sizes = runtime.block_on(Sizes::of(&counter));
    let raw = Shared::start(Raw::open(engine, floor.path()));
    let written = Cell::new(0);
    measure::compare(
        &format!("journal rows of 3 lines by 8 registers, {engine}"),
        Reach::Wall(0.4),
        9,
        || {
            let each = ROWS / REGISTERS;
            let ready = |register| -> Vec<Writes> {
                let first = written.replace(written.get() + each);
                let numbers = first..first + each;
                numbers.map(|row| sizes.writes(row, register)).collect()
            };
            let all: Vec<_> = (0..REGISTERS).map(ready).collect();
            measure::timed(ROWS, || {
                let write = |writes: Vec<Writes>| {
                    let raw = raw.clone();
                    runtime.spawn(async move {
                        for writes in writes {
                            raw.commit(writes).await;
                        }
                    })
                };
                shop::finish(runtime, all.into_iter().map(write).collect());
            })
        },
        || {
            let bodies = (0..ROWS).map(|row| counter.sale(row, None)).collect();
            measure::timed(ROWS, || counter.write(runtime, bodies))
        },
    );
}

/// The lengths of the rows that are stored for a sale.
struct Sizes {
    row: usize,
    day: usize,
    period: usize,
}

impl Sizes {
    async fn of(counter: &Counter) -> Self {
        let at = &counter.shop.locations[0];
        let here = counter.shop.connect.location(at);
        let rows = here.transactions().list(&Default::default()).await.unwrap();
        let day = here.daily_summary(&DailySummaryQuery::default()).await;
        let day = day.unwrap();
        let period = Period {
            totals: day.totals.clone(),
            ..Period::default()
        };
        let length = |row| serde_json::to_vec(row).unwrap().len();
        Self {
            row: length(&rows.data[0]),
            day: serde_json::to_vec(&day).unwrap().len(),
            period: serde_json::to_vec(&period).unwrap().len(),
        }
    }

    /// The writes of a sale: its row and the entry of its id, its day, the sums of its register,
    /// its event, and the clock.
    fn writes(&self, number: usize, register: usize) -> Writes {
        let receipt = (number as u64).to_be_bytes();
        let filled = |length| Some(vec![b'x'; length]);
        let id = Uuid::now_v7();
        vec![
            (key(0x80, &[&receipt]), filled(self.row)),
            (key(0x81, &[id.as_bytes()]), Some(receipt.to_vec())),
            (key(0x82, &[&[0; 8]]), filled(self.day)),
            (key(0x85, &[&[register as u8; 16]]), filled(self.period)),
            (key(0x50, &[&receipt]), filled(self.row + 190)),
            (key(0x01, &[]), filled(68)),
        ]
    }
}

/// The floor in memory: what the job cannot do without. Each row is parsed, its day and its register
/// are looked up, parsed and printed with it, and the row and its event are printed and put in their
/// places.
#[derive(Default)]
struct Floor {
    rows: HashMap<Vec<u8>, Box<[u8]>>,
    receipts: u64,
    blank: Blank,
}

/// Records to fill in, as only the core makes new ones.
struct Blank {
    summary: DailySummary,
    row: Transaction,
    line: Line,
    vat: VatAmount,
}

/// A row as plain serde reads it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainRow {
    #[serde(rename = "type")]
    kind: TransactionType,
    employee: Option<String>,
    total_cents: i64,
    lines: Vec<PlainLine>,
    payments: Vec<Payment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainLine {
    product_id: Option<Id<Product>>,
    external_id: Option<String>,
    name: String,
    quantity: connect_core::wire::Quantity,
    unit_price_cents: i64,
    total_cents: i64,
    vat_rate: VatRate,
}

/// The sums of a register.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Period {
    last_z_report: u64,
    opened_at: Option<Timestamp>,
    first_receipt_number: Option<u64>,
    last_receipt_number: Option<u64>,
    totals: Totals,
    cash: Cash,
}

impl Floor {
    fn write(&mut self, body: &[u8]) {
        let row: PlainRow = serde_json::from_slice(body).unwrap();
        self.receipts += 1;
        let number = self.receipts;
        let row = self.blank.transaction(row, number);
        let (day, register) = (vec![0x82], vec![0x85, (number % 8) as u8]);
        let mut summary = self
            .rows
            .get(&day)
            .map_or_else(|| self.blank.summary.clone(), |held| parsed(held));
        summary.totals.add(&row);
        summary.last_receipt_number = Some(number);
        let held = self.rows.get(&register);
        let mut period: Period = held.map_or_else(Period::default, |held| parsed(held));
        period.opened_at = period.opened_at.or(Some(row.created_at));
        period.last_receipt_number = Some(number);
        period.totals.add(&row);
        period.cash.add(&row);
        let event = Event {
            id: row.id.uuid().into(),
            kind: EventType::TransactionCreated,
            created_at: row.created_at,
            sequence: number,
            data: &row,
        };
        let numbered = |family: u8| [&[family][..], &number.to_be_bytes()].concat();
        self.put(numbered(0x50), &event);
        self.put(numbered(0x80), &row);
        self.put([&[0x81], &row.id.uuid().as_bytes()[..]].concat(), &number);
        self.put(day, &summary);
        self.put(register, &period);
        self.put(vec![0x01], &number);
    }

    fn put(&mut self, key: Vec<u8>, row: &impl Serialize) {
        let row = serde_json::to_vec(row).unwrap();
        self.rows.insert(key, row.into_boxed_slice());
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'r> {
    id: Id<AnyEvent>,
    #[serde(rename = "type")]
    kind: EventType,
    created_at: Timestamp,
    sequence: u64,
    data: &'r Transaction,
}

fn parsed<'r, R: Deserialize<'r>>(row: &'r [u8]) -> R {
    serde_json::from_slice(row).unwrap()
}

impl Default for Blank {
    fn default() -> Self {
        let id = Uuid::nil();
        let none = json!({ "count": 0, "totalCents": 0 });
        let summary = json!({
            "date": "2026-11-21", "timeZone": "Europe/Amsterdam", "currency": "EUR",
            "sales": none, "refunds": none, "discountCents": 0, "netCents": 0, "vat": [],
            "payments": [], "lastReceiptNumber": null,
        });
        let row = json!({
            "id": id, "receiptNumber": 0, "type": "sale", "register": { "id": id, "name": "Till" },
            "employee": null, "currency": "EUR", "totalCents": 0, "discountCents": 0, "lines": [],
            "payments": [], "vat": [], "refundOf": null, "orderId": null, "note": null,
            "createdAt": "2026-11-21T09:00:00Z",
        });
        let line = json!({
            "productId": null, "externalId": null, "name": "", "quantity": 0, "unitPriceCents": 0,
            "discountCents": 0, "totalCents": 0, "vatRate": 0, "options": [],
        });
        let vat = json!({ "vatRate": 0, "netCents": 0, "vatCents": 0, "grossCents": 0 });
        Self {
            summary: serde_json::from_value(summary).unwrap(),
            row: serde_json::from_value(row).unwrap(),
            line: serde_json::from_value(line).unwrap(),
            vat: serde_json::from_value(vat).unwrap(),
        }
    }
}

impl Blank {
    fn transaction(&self, sent: PlainRow, number: u64) -> Transaction {
        let mut row = self.row.clone();
        for line in &sent.lines {
            let (rate, cents) = (line.vat_rate, line.total_cents);
            match row.vat.iter_mut().find(|sum| sum.vat_rate == rate) {
                Some(sum) => sum.gross_cents += cents,
                None => {
                    let mut sum = self.vat;
                    (sum.vat_rate, sum.gross_cents) = (rate, cents);
                    row.vat.push(sum);
                }
            }
        }
        for sum in &mut row.vat {
            let rate = i64::from(sum.vat_rate.hundredths());
            sum.vat_cents = (sum.gross_cents * rate + (10_000 + rate) / 2) / (10_000 + rate);
            sum.net_cents = sum.gross_cents - sum.vat_cents;
        }
        row.vat.sort_unstable_by_key(|sum| sum.vat_rate);
        row.id = Uuid::now_v7().into();
        row.receipt_number = number;
        row.kind = sent.kind;
        row.register.id = Uuid::from_u128(u128::from(number % 8)).into();
        row.employee = sent.employee;
        row.total_cents = sent.total_cents;
        row.lines = sent.lines.into_iter().map(|line| self.line(line)).collect();
        row.payments = sent.payments;
        row.created_at = Timestamp::from_micros(1_800_000_000_000_000 + number as i64);
        row
    }

    fn line(&self, sent: PlainLine) -> Line {
        let mut line = self.line.clone();
        line.product_id = sent.product_id;
        line.external_id = sent.external_id;
        line.name = sent.name;
        line.quantity = sent.quantity;
        line.unit_price_cents = sent.unit_price_cents;
        line.total_cents = sent.total_cents;
        line.vat_rate = sent.vat_rate;
        line
    }
}
