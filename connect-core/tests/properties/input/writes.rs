//! Writes of all kinds, and groups of writes arriving together.

use proptest::{collection::vec, option::weighted, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    fields::{self, code, object, pick},
    receipts::register_writes,
};
use crate::properties::model::{Kind, decimal};

/// The kind of a write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Deed {
    Create(Kind),
    Update(Kind),
    Delete(Kind),
    Batch(Kind),
    UpdateOption,
    Link,
    Count,
    CountMany,
    Adjust,
    Row,
    Close,
    /// One of the writes under a key that were sent before, once more.
    Again(u8),
}

/// A write, some under an idempotency key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Write {
    pub(crate) deed: Deed,
    /// The record of the write; for an option, its group and itself.
    pub(crate) of: Vec<Value>,
    pub(crate) body: Value,
    /// The writer: 0 for the owner, or the number of a register.
    pub(crate) by: usize,
    pub(crate) key: Option<&'static str>,
}

/// Writes arriving together.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    /// The process to send them to.
    pub(crate) process: usize,
    /// By how much its clock moves first.
    pub(crate) micros: i64,
    /// Whether maintenance runs, or the service is stopped and started again, before.
    pub(crate) is_maintained: bool,
    pub(crate) is_reopened: bool,
    pub(crate) writes: Vec<Write>,
}

/// How often writes of each chapter are among all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    pub(crate) categories: u32,
    pub(crate) products: u32,
    pub(crate) groups: u32,
    pub(crate) stock: u32,
    pub(crate) journal: u32,
    /// How often of 100 a product says its option groups.
    pub(crate) linked: u32,
    /// How often a write has a key.
    pub(crate) keys: f64,
}

impl Mix {
    /// Products in their categories.
    pub(crate) const CATALOG: Self = Self {
        categories: 7,
        products: 18,
        groups: 0,
        stock: 0,
        journal: 0,
        linked: 1,
        keys: 0.3,
    };
    /// Option groups and products with them.
    pub(crate) const GROUPS: Self = Self {
        categories: 0,
        products: 8,
        groups: 20,
        linked: 80,
        keys: 0.05,
        ..Self::CATALOG
    };
    /// Products with counted stock, and their sales.
    pub(crate) const STOCK: Self = Self {
        categories: 0,
        products: 7,
        stock: 14,
        journal: 4,
        keys: 0.05,
        ..Self::CATALOG
    };
    /// Registers.
    pub(crate) const JOURNAL: Self = Self {
        categories: 0,
        products: 1,
        stock: 1,
        journal: 16,
        ..Self::CATALOG
    };
    /// Everything.
    pub(crate) const ALL: Self = Self {
        groups: 8,
        stock: 8,
        journal: 6,
        linked: 20,
        ..Self::CATALOG
    };
}

impl Write {
    /// A write of the owner without a key.
    pub(crate) fn new(deed: Deed, of: Vec<Value>, body: Value) -> Self {
        Self {
            deed,
            of,
            body,
            by: 0,
            key: None,
        }
    }
}

/// A write of the owner.
fn write(
    deed: Deed,
    of: Vec<BoxedStrategy<Value>>,
    body: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Write> {
    (of, body)
        .prop_map(move |(of, body)| Write::new(deed, of, body))
        .boxed()
}

/// A batch of items, naming records by one of the fields `signs`; one in thirty has none.
fn batch_of(
    kind: Kind,
    signs: [&str; 3],
    item: BoxedStrategy<Value>,
    most: usize,
) -> BoxedStrategy<Write> {
    let items = prop_oneof![
        29 => vec(item, 1..=most).prop_map(Value::from),
        1 => Just(json!([])),
    ];
    let settings = json!({
        "matchBy": [70, signs[0], signs[1], signs[2]],
        "createMissing": [40, true, false],
        "dryRun": [30, true, false],
    });
    let items = vec![("items", 100, items.boxed())];
    let body = object(settings, items, json!({}), 0);
    write(Deed::Batch(kind), Vec::new(), body)
}

/// A batch of products, with option groups so often of 100.
pub(crate) fn batch(linked: u32, most: usize) -> BoxedStrategy<Write> {
    let signs = ["externalId", "barcode", "id"];
    batch_of(Kind::Product, signs, fields::product(linked), most)
}

fn create_update_delete(
    kind: Kind,
    name: &'static str,
    weights: [u32; 3],
    body: BoxedStrategy<Value>,
) -> BoxedStrategy<Write> {
    prop_oneof![
        weights[0] => write(Deed::Create(kind), Vec::new(), body.clone()),
        weights[1] => write(Deed::Update(kind), vec![pick(name)], body),
        weights[2] => write(Deed::Delete(kind), vec![pick(name)], Just(Value::Null)),
    ]
    .boxed()
}

fn group_writes() -> BoxedStrategy<Write> {
    let named = prop_oneof![
        pick("group").prop_map(|id| json!({ "id": id })),
        code().prop_map(|code| json!({ "externalId": code })),
    ];
    let list = |of: BoxedStrategy<Value>, least| vec(of, least..4).prop_map(Value::from).boxed();
    let link = vec![
        ("productIds", 100, list(pick("product"), 0)),
        ("productExternalIds", 100, list(code(), 1)),
        ("add", 100, list(named.clone().boxed(), 0)),
        ("remove", 100, list(named.boxed(), 1)),
    ];
    let option = vec![pick("group"), pick("option")];
    let signs = ["externalId", "externalId", "id"];
    prop_oneof![
        10 => create_update_delete(Kind::Group, "group", [5, 4, 1], fields::group()),
        3 => write(Deed::UpdateOption, option, fields::option(false)),
        4 => batch_of(Kind::Group, signs, fields::group(), 5),
        5 => write(Deed::Link, Vec::new(), object(json!({}), link, json!({}), 0)),
    ]
    .boxed()
}

/// A quantity, sometimes the largest.
fn quantity() -> BoxedStrategy<Value> {
    let thousandths = prop_oneof![
        6 => select(vec![0_i64, 1, 125, 500, 1000, 2500]),
        1 => Just(1_000_000_000_000),
    ];
    thousandths.prop_map(|count| decimal(count, 1000)).boxed()
}

fn stock_writes() -> BoxedStrategy<Write> {
    let count = || {
        let expected = ("expectedQuantity", 20, quantity());
        let fields = vec![("quantity", 100, quantity()), expected];
        object(json!({}), fields, json!({ "quantity": ["one", -1] }), 5)
    };
    let named = prop_oneof![
        pick("product").prop_map(|id| ("productId", id)),
        code().prop_map(|code| ("externalId", code)),
    ];
    let naming = |(mut body, (sign, name)): (Value, (&str, Value))| {
        body[sign] = name;
        body
    };
    let item = (count(), named.clone()).prop_map(naming);
    let many = (vec(item, 1..6), prop::bool::weighted(0.3))
        .prop_map(|(items, is_dry)| json!({ "items": items, "dryRun": is_dry }));
    let change = (quantity(), any::<bool>()).prop_map(|(quantity, is_less)| match is_less {
        true => super::receipts::negated(&quantity),
        false => quantity,
    });
    let kinds = json!({ "type": [70, "delivery", "correction"] });
    let change = vec![("quantityChange", 100, change.boxed())];
    let adjust = object(kinds, change, json!({ "quantityChange": [0] }), 5);
    prop_oneof![
        4 => write(Deed::Count, vec![pick("product")], count()),
        3 => write(Deed::CountMany, Vec::new(), many),
        4 => write(Deed::Adjust, Vec::new(), (adjust, named).prop_map(naming)),
    ]
    .boxed()
}

/// A write without a key.
pub(crate) fn writes(mix: Mix) -> BoxedStrategy<Write> {
    let product = fields::product(mix.linked);
    let products = prop_oneof![
        10 => create_update_delete(Kind::Product, "product", [4, 4, 2], product),
        8 => batch(mix.linked, 8),
    ];
    let chapters = [
        (
            mix.categories,
            create_update_delete(Kind::Category, "category", [3, 2, 2], fields::category()),
        ),
        (mix.products, products.boxed()),
        (mix.groups, group_writes()),
        (mix.stock, stock_writes()),
        (mix.journal, register_writes()),
    ];
    let chapters = chapters.into_iter().filter(|(weight, _)| *weight > 0);
    proptest::strategy::Union::new_weighted(chapters.collect()).boxed()
}

/// Writes of products with little but one of two barcodes.
pub(crate) fn shared_barcodes() -> BoxedStrategy<Write> {
    let known = json!({ "barcode": [100, "111", "222"], "name": [100, "Bread", "Tea"] });
    let item = object(known, Vec::new(), json!({}), 0);
    let batch =
        vec(item.clone(), 1..4).prop_map(|items| json!({ "matchBy": "barcode", "items": items }));
    prop_oneof![
        7 => create_update_delete(Kind::Product, "product", [3, 2, 2], item),
        3 => write(Deed::Batch(Kind::Product), Vec::new(), batch),
    ]
    .boxed()
}

/// Writes of all kinds, alone and together. The clock mostly stands still; it also goes backwards,
/// and past the life of an idempotency key.
pub(crate) fn bursts(mix: Mix, most: usize) -> BoxedStrategy<Vec<Burst>> {
    let keyed = (
        writes(mix),
        weighted(mix.keys, select(vec!["k1", "k2", "k3"])),
    )
        .prop_map(|(write, key)| Write { key, ..write });
    let again =
        any::<u8>().prop_map(|which| Write::new(Deed::Again(which), Vec::new(), Value::Null));
    let micros = prop_oneof![
        12 => Just(0),
        2 => -3_i64..=3,
        4 => Just(1_000_000),
        2 => Just(-5_000_000),
        2 => Just(-90_000_000_000),
        2 => Just(86_400_000_000),
        1 => Just(86_399_000_000),
        1 => Just(6 * 86_400_000_000),
    ];
    let is = |often| prop::bool::weighted(often);
    let writes = vec(prop_oneof![10 => keyed, 1 => again], 1..=4);
    let burst = (0..2_usize, micros, is(0.1), is(0.05), writes).prop_map(
        |(process, micros, is_maintained, is_reopened, writes)| Burst {
            process,
            micros,
            is_maintained,
            is_reopened,
            writes,
        },
    );
    vec(burst, 1..=most).boxed()
}

/// Writes arriving together under a still clock.
pub(crate) fn at_once(writes: Vec<Write>) -> Burst {
    Burst {
        process: 0,
        micros: 0,
        is_maintained: false,
        is_reopened: false,
        writes,
    }
}
