//! The bodies of batches: an invalid item does not affect the rest.

use connect_core::{
    FromJson,
    wire::{
        Batch, BatchInput, OptionGroupInput, OptionInput, ProductInput, StockCountItem,
        StockCounts, WriteInput,
        read::{BatchItem, BatchRequest, CountsRequest, ReadError},
    },
};

use super::{
    body::{Body, GROUP, PRODUCT, is_checked, words},
    oracle::{check_faults, check_refusal, check_syntax},
};
use crate::{Target, Verdict};

/// The settings of batches.
const SETTINGS: [&str; 9] = [
    "matchBy",
    "createMissing",
    "dryRun",
    "items",
    "externalId",
    "barcode",
    "id",
    "note",
    "true",
];

/// Returns a target for each body.
pub(super) fn targets() -> Vec<Target> {
    let products = format!(
        r#"{{"matchBy":"externalId","createMissing":false,"dryRun":true,"items":[{PRODUCT},{{"name":"Bun"}},{{"name":7}}]}}"#
    );
    let by_id = r#"{"matchBy":"id","items":[{"id":"01234567-89ab-7def-8123-456789abcdef","priceCents":1}]}"#;
    let groups = format!(r#"{{"items":[{GROUP}]}}"#);
    let counts = r#"{"items":[{"externalId":"RYE-800","quantity":24,"expectedQuantity":7.5},{"productId":"01234567-89ab-7def-8123-456789abcdef","quantity":0}],"note":"Night","dryRun":false}"#;
    vec![
        target(
            "product-batch",
            &[&products, by_id],
            words::<ProductInput>(),
            batch::<ProductInput>,
        ),
        target(
            "option-group-batch",
            &[&groups],
            words::<OptionGroupInput>().chain(words::<OptionInput>()),
            batch::<OptionGroupInput>,
        ),
        target(
            "stock-counts",
            &[counts],
            words::<StockCountItem>(),
            counted,
        ),
    ]
}

fn target(
    name: &str,
    seeds: &[&str],
    within: impl Iterator<Item = String>,
    run: fn(&[u8]) -> Verdict,
) -> Target {
    let settings = SETTINGS.iter().map(|word| (*word).to_owned());
    Target {
        words: settings.chain(within).collect(),
        ..Target::new(name, seeds, &[], run)
    }
}

fn batch<T: BatchInput + Body>(json: &[u8]) -> Verdict {
    let read = BatchRequest::<T>::from_json(json);
    let Some(request) = admitted::<BatchRequest<T>>(json, read) else {
        return Verdict::Refused;
    };
    assert_eq!(request.check(), Ok(()));
    assert_eq!(
        <BatchRequest<T> as FromJson>::asks_for_dry_run(json),
        request.dry_run
    );
    let items = taken(request.items);
    if !items.is_empty() {
        let batch = Batch {
            match_by: request.match_by,
            create_missing: request.create_missing,
            dry_run: request.dry_run,
            items,
        };
        let written = serde_json::to_vec(&batch).unwrap();
        let again = BatchRequest::<T>::from_json(&written);
        assert_eq!(
            again,
            Ok(batch.into()),
            "written as {}",
            written.escape_ascii()
        );
    }
    Verdict::Taken
}

fn counted(json: &[u8]) -> Verdict {
    let read = CountsRequest::from_json(json);
    let Some(request) = admitted::<CountsRequest>(json, read) else {
        return Verdict::Refused;
    };
    assert_eq!(request.clone().check().as_ref(), Ok(&request));
    assert_eq!(CountsRequest::asks_for_dry_run(json), request.dry_run);
    let (note, dry_run) = (request.note, request.dry_run);
    let items = taken(request.items);
    if !items.is_empty() {
        let counts = StockCounts {
            items,
            note,
            dry_run,
        };
        let written = serde_json::to_vec(&counts).unwrap();
        let again = CountsRequest::from_json(&written);
        assert_eq!(
            again,
            Ok(counts.into()),
            "written as {}",
            written.escape_ascii()
        );
    }
    Verdict::Taken
}

/// Returns the request, unless it was refused as a whole.
fn admitted<R: FromJson>(json: &[u8], read: Result<R, ReadError>) -> Option<R> {
    check_syntax(json, &read);
    check_faults(&<R as FromJson>::faults(json));
    match read {
        Ok(request) => Some(request),
        Err(ReadError::Malformed(refused) | ReadError::Invalid(refused)) => {
            check_refusal(&refused);
            None
        }
    }
}

/// Returns the items read, as changed by their check.
fn taken<T: Body>(items: Vec<BatchItem<T>>) -> Vec<T> {
    let mut taken = Vec::new();
    for item in items {
        match item {
            Ok(mut item) => {
                match WriteInput::check(&mut item) {
                    Ok(()) => is_checked(&item),
                    Err(refused) => check_refusal(&refused),
                }
                taken.push(item);
            }
            Err((refused, _)) => check_refusal(&refused),
        }
    }
    taken
}
