//! The API documents: generated from the core's types, the route tables and `openapi/frame.json`,
//! which holds the prose, the headers, the errors and the examples of bodies; that of devices from
//! `device-frame.json`. Examples of fields and samples of code follow from these. The documents are
//! committed, so that a change of the API shows in their diff; this test compares.

mod fields;
mod operations;
mod samples;
mod schemas;
mod webhooks;

use std::{collections::BTreeSet, env, fs, path::Path};

use connect_core::wire::{
    AnyEvent, Category, DailySummary, Deleted, Entry, ErrorBody, ImageJob, LineInput,
    LineOptionInput, Location, OptionGroup, OptionGroupLinks, OptionInput, OptionLinksResult,
    Order, OrderChange, OrderInput, Page, PaymentInput, Ping, Product, ProductsChanged,
    RecordsWritten, Single, StockAdjustment, StockBatchChanged, StockCount, StockLevel,
    StockMovement, Transaction, TransactionInput, VatInput, ZReport, ZReportInput,
};
use connect_server::routes::{API, DEVICE, Table};
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
    schemas.add::<Deleted>();
    schemas.add::<RecordsWritten>();
    schemas.add::<ProductsChanged>();
    schemas.add::<StockBatchChanged>();
    schemas.add::<Ping>();
    schemas.finish()
}

/// The schemas of the device API.
fn device_schemas() -> Map<String, Value> {
    let mut schemas = Schemas::default();
    schemas.add::<ErrorBody>();
    schemas.add_request::<TransactionInput>();
    schemas.add_request::<LineInput>();
    schemas.add_request::<LineOptionInput>();
    schemas.add_request::<PaymentInput>();
    schemas.add_request::<VatInput>();
    schemas.add_request::<ZReportInput>();
    schemas.add_request::<OrderInput>();
    schemas.add_request::<OrderChange>();
    schemas.add::<Single<Transaction>>();
    schemas.add::<Single<ZReport>>();
    schemas.add::<Single<Order>>();
    schemas.finish()
}

/// Makes a document of its frame, a table and schemas.
fn document(frame: &str, table: &Table, schemas: Map<String, Value>) -> Value {
    let mut document: Value = serde_json::from_str(frame).unwrap();
    let mut texts = |of| document.as_object_mut().unwrap().remove(of);
    let more_examples = texts("examples").unwrap_or_default();
    let (about_operations, about_webhooks) = (texts("operations"), texts("webhooks"));
    operations::add(&mut document, table, about_operations.unwrap());
    document["components"]["schemas"] = schemas.into();
    if let Some(texts) = about_webhooks {
        webhooks::add(&mut document, texts);
    }
    fields::add_examples(&mut document, &more_examples);
    samples::add(&mut document);
    document
}

/// The API document.
fn api() -> Value {
    document(include_str!("../../openapi/frame.json"), &API, schemas())
}

/// The document of the device API.
fn device() -> Value {
    let frame = include_str!("../../openapi/device-frame.json");
    document(frame, &DEVICE, device_schemas())
}

#[test]
fn the_document_is_the_one_that_is_generated() {
    compare("openapi.json", &api());
}

#[test]
fn the_document_of_devices_is_the_one_that_is_generated() {
    compare("device.json", &device());
}

/// The tests of the SDK compile the samples, one for each operation.
#[test]
fn the_documents_samples_are_those_that_the_sdk_compiles() {
    let documents = [api(), device()];
    let operations = documents.iter().flat_map(samples::operations);
    let wanted: BTreeSet<_> = operations.map(|id| samples::function(&id)).collect();
    let functions = samples::MODULE.split("\nasync fn ").skip(1);
    let compiled = functions.map(|function| function.split('(').next().unwrap().to_owned());
    assert_eq!(compiled.collect::<BTreeSet<_>>(), wanted);
}

/// The advice about a file that is out of date.
const HOW: &str = "Run\n\n    WRITE_OPENAPI=1 cargo test -p connect-server the_document\n\n\
                   and look at the diff before it is committed.";

/// Compares a committed document with the generated one.
fn compare(name: &str, generated: &Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi");
    let text = serde_json::to_string_pretty(generated).unwrap() + "\n";
    let committed: Value = serde_json::from_str(&written(&folder.join(name), &text)).unwrap();
    let different = difference("", &committed, generated);
    assert!(
        different.is_empty(),
        "openapi/{name} is not what the types and the table say. {HOW} Different are:\n{}",
        different.join("\n")
    );
}

/// Reads a committed file, or writes it first when that is asked for.
fn written(path: &Path, generated: &str) -> String {
    if env::var_os(WRITE).is_some() {
        fs::write(path, generated).unwrap();
    }
    fs::read_to_string(path).unwrap()
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
