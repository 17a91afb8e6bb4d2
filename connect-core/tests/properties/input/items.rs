//! Bodies of records, with references that are still to be looked up.

use std::collections::BTreeMap;

use proptest::{option::weighted, prelude::*, sample::select};
use serde_json::{Value, json};

use super::fields;

/// A record to refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    /// One that is there.
    Live(u8),
    /// One that was deleted.
    Gone(u8),
    /// One that never was.
    Unknown,
    /// One of another location. There are categories only.
    Foreign,
}

/// A body, or an item of a batch.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Fields with their values, and what the fields `id` and `categoryId` refer to.
    Record {
        given: BTreeMap<&'static str, Value>,
        id: Option<Pick>,
        category: Option<Pick>,
    },
    /// Something that is no record at all.
    Other(Value),
}

/// A reference; most lead to something.
pub(crate) fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        16 => any::<u8>().prop_map(Pick::Live),
        2 => any::<u8>().prop_map(Pick::Gone),
        1 => Just(Pick::Unknown),
        1 => Just(Pick::Foreign),
    ]
}

/// A product; one in five has a fault.
pub(crate) fn product_item() -> impl Strategy<Value = Item> {
    let record = (
        given(fields::product_fields(), fields::product_faults()),
        weighted(0.6, pick()),
        weighted(0.12, pick()),
    )
        .prop_map(|(given, id, category)| Item::Record {
            given,
            id,
            category,
        });
    let other = select(vec![json!(5), json!(null), json!([]), json!({})]).prop_map(Item::Other);
    prop_oneof![40 => record, 1 => other]
}

/// A category; one in five has a fault.
pub(crate) fn category_item() -> impl Strategy<Value = Item> {
    given(fields::category_fields(), fields::category_faults()).prop_map(|given| Item::Record {
        given,
        id: None,
        category: None,
    })
}

type Fields = Vec<(&'static str, u32, Vec<Value>)>;

fn given(
    fields: Fields,
    faults: Vec<(&'static str, Value)>,
) -> impl Strategy<Value = BTreeMap<&'static str, Value>> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(name, often, values)| {
            weighted(
                f64::from(often) / 100.0,
                select(values).prop_map(move |v| (name, v)),
            )
        })
        .collect();
    (fields, weighted(0.2, select(faults))).prop_map(|(fields, fault)| {
        let mut given: BTreeMap<_, _> = fields.into_iter().flatten().collect();
        given.extend(fault);
        given
    })
}
