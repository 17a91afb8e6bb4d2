//! The made-up records of test events: a cappuccino, its stock, an order and its sale.

use uuid::Uuid;

use crate::wire::{
    Cash, Category, Fulfilment, GroupOption, Id, Line, LineOption, OptionGroup, Order, OrderSource,
    OrderStatus, Payment, PaymentMethod, PaymentStatus, Product, Quantity, RecordsWritten,
    Register, StockBatchChanged, StockChange, StockLevel, Timestamp, Totals, Transaction,
    TransactionType, VatAmount, VatRate, WireRecord as _, ZReport,
};

const CURRENCY: &str = "EUR";
const VAT: VatRate = VatRate::percent(9);

/// The price of two cappuccinos with oat milk, in cents.
const TOTAL: i64 = 800;

/// The numbers of the made-up ids.
const PRODUCT: u128 = 1;
const CATEGORY: u128 = 2;
const OPTION_GROUP: u128 = 3;
const OPTION: u128 = 4;
const REGISTER: u128 = 5;
const SALE: u128 = 6;
const Z_REPORT: u128 = 7;
const ORDER: u128 = 8;

/// The id with this number. No shop has it.
fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(0x019a_8c52_8e20_7000_8000_0000_0000_0000 | number)
}

fn id<T>(number: u128) -> Id<T> {
    uuid(number).into()
}

fn pieces(count: i64) -> Quantity {
    Quantity::from_thousandths(count * 1000).unwrap_or_default()
}

pub(super) fn product(at: Timestamp) -> Product {
    let mut product = Product::new(uuid(PRODUCT), at);
    product.external_id = Some("CAPPUCCINO".to_owned());
    product.name = "Cappuccino".to_owned();
    product.description = Some("With milk of your choice".to_owned());
    product.price_cents = 350;
    product.currency = CURRENCY.to_owned();
    product.vat_rate = VAT;
    product.category_id = Some(id(CATEGORY));
    product.option_group_ids = vec![id(OPTION_GROUP)];
    product.stock_quantity = Some(pieces(24));
    product
}

pub(super) fn products_changed() -> RecordsWritten {
    RecordsWritten {
        ids: vec![uuid(PRODUCT)],
        created: 0,
        updated: 1,
    }
}

pub(super) fn category(at: Timestamp) -> Category {
    let mut category = Category::new(uuid(CATEGORY), at);
    category.name = "Coffee".to_owned();
    category
}

pub(super) fn option_group(at: Timestamp) -> OptionGroup {
    let mut group = OptionGroup::new(uuid(OPTION_GROUP), at);
    group.name = "Milk".to_owned();
    group.max_select = 1;
    group.currency = CURRENCY.to_owned();
    group.options = vec![GroupOption {
        id: id(OPTION),
        external_id: None,
        name: "Oat milk".to_owned(),
        price_cents: 50,
        is_available: true,
    }];
    group
}

pub(super) fn stock_level(at: Timestamp) -> StockLevel {
    StockLevel {
        product_id: id(PRODUCT),
        external_id: Some("CAPPUCCINO".to_owned()),
        quantity: pieces(24),
        updated_at: at,
    }
}

pub(super) fn stock_batch() -> StockBatchChanged {
    StockBatchChanged {
        reason: "count".to_owned(),
        items: vec![StockChange {
            product_id: id(PRODUCT),
            quantity: pieces(24),
        }],
    }
}

fn line() -> Line {
    Line {
        product_id: Some(id(PRODUCT)),
        external_id: Some("CAPPUCCINO".to_owned()),
        name: "Cappuccino".to_owned(),
        quantity: pieces(2),
        unit_price_cents: 350,
        discount_cents: 0,
        total_cents: TOTAL,
        vat_rate: VAT,
        options: vec![LineOption {
            option_id: Some(id(OPTION)),
            name: "Oat milk".to_owned(),
            price_cents: 50,
        }],
    }
}

pub(super) fn new_order(at: Timestamp) -> Order {
    Order {
        id: id(ORDER),
        number: 87,
        source: OrderSource::Kiosk,
        status: OrderStatus::New,
        payment_status: PaymentStatus::Paid,
        fulfilment: Fulfilment::Takeaway,
        table_label: None,
        customer_name: Some("Robin".to_owned()),
        note: None,
        currency: CURRENCY.to_owned(),
        total_cents: TOTAL,
        lines: vec![line()],
        transaction_id: Some(id(SALE)),
        created_at: at,
        updated_at: at,
    }
}

pub(super) fn accepted_order(at: Timestamp) -> Order {
    Order {
        status: OrderStatus::Accepted,
        created_at: at.plus_seconds(-60),
        ..new_order(at)
    }
}

pub(super) fn sale(at: Timestamp) -> Transaction {
    Transaction {
        id: id(SALE),
        receipt_number: 4711,
        kind: TransactionType::Sale,
        register: register(),
        employee: Some("Sam".to_owned()),
        currency: CURRENCY.to_owned(),
        total_cents: TOTAL,
        discount_cents: 0,
        lines: vec![line()],
        payments: vec![Payment {
            method: PaymentMethod::Card,
            amount_cents: TOTAL,
        }],
        vat: vec![VatAmount {
            vat_rate: VAT,
            net_cents: 734,
            vat_cents: 66,
            gross_cents: TOTAL,
        }],
        refund_of: None,
        order_id: Some(id(ORDER)),
        note: None,
        created_at: at,
    }
}

pub(super) fn z_report(at: Timestamp) -> ZReport {
    let sale = sale(at.plus_seconds(-60));
    let mut totals = Totals::default();
    totals.add(&sale);
    let float = 15_000;
    let mut cash = Cash {
        opening_float_cents: float,
        expected_cents: float,
        counted_cents: Some(float),
        difference_cents: Some(0),
        ..Cash::default()
    };
    cash.add(&sale);
    ZReport {
        id: id(Z_REPORT),
        number: 12,
        register: register(),
        currency: CURRENCY.to_owned(),
        opened_at: sale.created_at,
        closed_at: at,
        first_receipt_number: Some(sale.receipt_number),
        last_receipt_number: Some(sale.receipt_number),
        totals,
        cash,
    }
}

fn register() -> Register {
    Register {
        id: id(REGISTER),
        name: "Till 1".to_owned(),
    }
}
