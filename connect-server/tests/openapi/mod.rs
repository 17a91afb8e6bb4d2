//! The API document: generated from the core's types, the route table and `openapi/frame.json`,
//! which holds the prose, the headers, the errors and the examples. The document is committed, so
//! that a change of the API shows in its diff; this test compares.

mod operations;
mod schemas;

use std::{env, fs, path::Path};

use connect_core::wire::{
    AnyEvent, Category, DailySummary, Entry, ErrorBody, ImageJob, Location, OptionGroup,
    OptionGroupLinks, OptionInput, OptionLinksResult, Order, Page, Product, Single,
    StockAdjustment, StockCount, StockLevel, StockMovement, Transaction, ZReport,
};
use serde_json::{Map, Value};

use schemas::Schemas;

/// The variable that makes the test write the document.
const WRITE: &str = "WRITE_OPENAPI";

/// A new kind of record has a line here.
fn schemas() -> Map<String, Value> {
    let mut schemas = Schemas::default();
    schemas.add::<ErrorBody>();
    schemas.add_list::<Location>();
    schemas.add_kind::<Category>();
    schemas.add_kind::<Product>();
    schemas.add_batch::<Product>();
    schemas.add_kind::<OptionGroup>();
    schemas.add_batch::<OptionGroup>();
    schemas.add_update::<OptionInput>("Option", "option");
    schemas.add_request::<OptionGroupLinks>();
    schemas.add::<Single<OptionLinksResult>>();
    schemas.add::<Single<StockLevel>>();
    schemas.add::<Page<Entry<StockLevel>>>();
    schemas.add::<Single<StockMovement>>();
    schemas.add::<Page<StockMovement>>();
    schemas.add_request::<StockCount>();
    schemas.add_request::<StockAdjustment>();
    schemas.add_counts();
    schemas.add::<Page<ImageJob>>();
    schemas.add::<Page<Order>>();
    schemas.add::<Single<Order>>();
    schemas.add::<Page<Transaction>>();
    schemas.add::<Single<Transaction>>();
    schemas.add::<Page<ZReport>>();
    schemas.add::<Single<ZReport>>();
    schemas.add::<Single<DailySummary>>();
    schemas.add::<Page<AnyEvent>>();
    schemas.finish()
}

fn document() -> Value {
    let mut document: Value =
        serde_json::from_str(include_str!("../../openapi/frame.json")).unwrap();
    let texts = document.as_object_mut().unwrap().remove("operations");
    operations::add(&mut document, texts.unwrap());
    document["components"]["schemas"] = schemas().into();
    document
}

#[test]
fn the_document_is_the_one_that_is_generated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/openapi.json");
    let generated = document();
    if env::var_os(WRITE).is_some() {
        let text = serde_json::to_string_pretty(&generated).unwrap() + "\n";
        fs::write(&path, text).unwrap();
    }
    let committed: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let different = difference("", &committed, &generated);
    assert!(
        different.is_empty(),
        "openapi/openapi.json is not what the types and the table say. Run\n\
         \n    {WRITE}=1 cargo test -p connect-server the_document\n\n\
         and look at the diff before it is committed. Different are:\n{}",
        different.join("\n")
    );
}

/// The places where two documents differ.
fn difference(at: &str, one: &Value, other: &Value) -> Vec<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let added = other.keys().filter(|key| !one.contains_key(*key));
            let keys = one.keys().chain(added);
            let value =
                |of: &Map<String, Value>, key: &str| of.get(key).cloned().unwrap_or_default();
            keys.flat_map(|key| {
                difference(&format!("{at}/{key}"), &value(one, key), &value(other, key))
            })
            .collect()
        }
        _ if one == other => Vec::new(),
        _ => vec![at.to_owned()],
    }
}
