//! Writes, and groups of writes that arrive together.

use proptest::{collection::vec, option::weighted, prelude::*, sample::select};

use super::items::{Item, Pick, category_item, pick, product_item};

/// What a write is, before it is known what its references lead to.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    CreateCategory(Item),
    UpdateCategory(Pick, Item),
    DeleteCategory(Pick),
    CreateProduct(Item),
    UpdateProduct(Pick, Item),
    DeleteProduct(Pick),
    Batch {
        match_by: Option<&'static str>,
        create_missing: Option<bool>,
        dry_run: Option<bool>,
        items: Vec<Item>,
    },
    /// One of the writes under a key that were sent before, once more.
    Again(u8),
}

/// A write, some under an idempotency key.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// What it is.
    pub(crate) shape: Shape,
    /// Its key, if it has one.
    pub(crate) key: Option<&'static str>,
}

/// Writes that arrive together, after the clock has moved by so many seconds.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    /// How far the clock moves first.
    pub(crate) clock: i64,
    /// The writes.
    pub(crate) writes: Vec<Write>,
}

/// A batch of products.
pub(crate) fn batch(most: usize) -> impl Strategy<Value = Shape> {
    let match_by = weighted(0.7, select(vec!["externalId", "barcode", "id"]));
    let create_missing = weighted(0.4, any::<bool>());
    let dry_run = weighted(0.3, any::<bool>());
    (
        match_by,
        create_missing,
        dry_run,
        vec(product_item(), 1..=most),
    )
        .prop_map(|(match_by, create_missing, dry_run, items)| Shape::Batch {
            match_by,
            create_missing,
            dry_run,
            items,
        })
}

/// A write without a key.
pub(crate) fn writes() -> impl Strategy<Value = Write> {
    let shape = prop_oneof![
        3 => category_item().prop_map(Shape::CreateCategory),
        2 => (pick(), category_item()).prop_map(|(pick, item)| Shape::UpdateCategory(pick, item)),
        2 => pick().prop_map(Shape::DeleteCategory),
        4 => product_item().prop_map(Shape::CreateProduct),
        4 => (pick(), product_item()).prop_map(|(pick, item)| Shape::UpdateProduct(pick, item)),
        2 => pick().prop_map(Shape::DeleteProduct),
        8 => batch(8),
    ];
    shape.prop_map(|shape| Write { shape, key: None })
}

/// Writes of products that have little but one of two barcodes.
pub(crate) fn barcode_writes() -> impl Strategy<Value = Write> {
    let item = || {
        (select(vec!["111", "222"]), select(vec!["Bread", "Tea"])).prop_map(|(barcode, name)| {
            let given = [("barcode", barcode.into()), ("name", name.into())].into();
            Item::Record {
                given,
                id: None,
                category: None,
            }
        })
    };
    let batch = vec(item(), 1..4).prop_map(|items| Shape::Batch {
        match_by: Some("barcode"),
        create_missing: None,
        dry_run: None,
        items,
    });
    let shape = prop_oneof![
        3 => item().prop_map(Shape::CreateProduct),
        2 => (pick(), item()).prop_map(|(pick, item)| Shape::UpdateProduct(pick, item)),
        2 => pick().prop_map(Shape::DeleteProduct),
        3 => batch,
    ];
    shape.prop_map(|shape| Write { shape, key: None })
}

fn keyed_writes() -> impl Strategy<Value = Write> {
    let again = any::<u8>().prop_map(|which| Write {
        shape: Shape::Again(which),
        key: None,
    });
    let keyed = (writes(), weighted(0.3, select(vec!["k1", "k2", "k3"])))
        .prop_map(|(write, key)| Write { key, ..write });
    prop_oneof![10 => keyed, 1 => again]
}

/// Seconds by which the clock moves: mostly not at all, also backwards, also past the life of an
/// idempotency key.
fn steps() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => Just(0),
        2 => Just(1),
        1 => Just(-5),
        1 => Just(-90_000),
        1 => Just(86_400),
    ]
}

/// Writes of all kinds, alone and together.
pub(crate) fn bursts(most: usize) -> impl Strategy<Value = Vec<Burst>> {
    let burst = (steps(), vec(keyed_writes(), 1..=4));
    vec(
        burst.prop_map(|(clock, writes)| Burst { clock, writes }),
        1..=most,
    )
}

/// Writes without keys.
pub(crate) fn bursts_without_keys(most: usize) -> impl Strategy<Value = Vec<Burst>> {
    let burst = (steps(), vec(writes(), 1..=4));
    vec(
        burst.prop_map(|(clock, writes)| Burst { clock, writes }),
        1..=most,
    )
}

/// So that the generators are seen to make what the properties are about.
#[test]
fn the_inputs_hold_every_kind_of_write() {
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut kinds = std::collections::BTreeMap::<_, usize>::new();
    for _ in 0..400 {
        let write = writes().new_tree(&mut runner).unwrap().current();
        let kind = match write.shape {
            Shape::CreateCategory(_) => "create category",
            Shape::UpdateCategory(..) => "update category",
            Shape::DeleteCategory(_) => "delete category",
            Shape::CreateProduct(Item::Other(_)) => "no product",
            Shape::CreateProduct(_) => "create product",
            Shape::UpdateProduct(..) => "update product",
            Shape::DeleteProduct(_) => "delete product",
            Shape::Batch { .. } => "batch",
            Shape::Again(_) => "again",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    assert!(kinds["batch"] > 50, "{kinds:?}");
}
