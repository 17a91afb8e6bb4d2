//! The bodies of writes of one record.

use std::fmt::Debug;

use connect_core::{
    FromJson,
    wire::{
        CategoryInput, LineInput, LineOptionInput, OptionGroupInput, OptionGroupLinks,
        OptionGroupRef, OptionInput, OrderChange, OrderInput, PaymentInput, ProductInput,
        StockAdjustment, StockCount, TransactionInput, VatInput, WriteInput, ZReportInput,
        read::{Faults, ReadError},
    },
};
use serde::Serialize;

use super::oracle::{check_faults, check_refusal, check_syntax};
use crate::{Target, Verdict};

/// The body of a write, also able to write itself.
pub(super) trait Body:
    WriteInput + FromJson + Serialize + Clone + PartialEq + Debug
{
}

impl<T: WriteInput + FromJson + Serialize + Clone + PartialEq + Debug> Body for T {}

pub(super) const PRODUCT: &str = r#"{"id":"01234567-89ab-7def-8123-456789abcdef","externalId":"RYE-800","name":" Rye bread ","description":"Dark\nand \u00e9","priceCents":3.95e2,"currency":"EUR","vatRate":9.5,"barcode":"8712345678906","categoryId":null,"isActive":true,"availableFrom":"2026-11-20","availableUntil":null,"imageUrl":"https://example.com/rye.jpg","imageStatus":null,"optionGroupIds":["01234567-89ab-7def-8123-456789abcdef"],"stockQuantity":-7.25}"#;
pub(super) const GROUP: &str = r#"{"externalId":"SAUCES","name":"Sauces","minSelect":0,"maxSelect":2,"position":3,"options":[{"externalId":"MAYO","name":"Mayonnaise","priceCents":50},{"name":"Ketchup","isAvailable":false}]}"#;
const LINE: &str = r#"{"productId":null,"externalId":"RYE-800","name":"Rye bread","quantity":2.5,"unitPriceCents":395,"discountCents":100,"totalCents":1013,"vatRate":9,"options":[{"optionId":"01234567-89ab-7def-8123-456789abcdef","name":"Sliced","priceCents":50}]}"#;

/// Returns a target for each body.
pub(super) fn targets() -> Vec<Target> {
    let line = words::<LineInput>().chain(words::<LineOptionInput>());
    let receipt = words::<PaymentInput>().chain(words::<VatInput>());
    let receipt: Vec<_> = line.clone().chain(receipt).collect();
    let sale = format!(
        r#"{{"type":"sale","employee":"Kim","totalCents":1013,"discountCents":100,"lines":[{LINE}],"payments":[{{"method":"cash","amountCents":2000}},{{"method":"cash","amountCents":-987}}],"vat":[{{"vatRate":9,"netCents":929,"vatCents":84,"grossCents":1013}}],"orderId":null,"note":"Thanks","createdAt":"2026-11-20T10:15:30.5+01:00"}}"#
    );
    let cash = r#"{"type":"cash_out","totalCents":-500,"payments":[{"method":"cash","amountCents":-500}],"refundOf":null,"receiptNumber":7,"register":{"id":1}}"#;
    let order = format!(
        r#"{{"fulfilment":"takeaway","lines":[{LINE}],"tableLabel":"12","customerName":"Kim","note":null,"paymentStatus":"unpaid"}}"#
    );
    vec![
        target::<ProductInput>(
            "product",
            &[PRODUCT, r#"{"name":"A","categoryName":"B"}"#],
            [],
        ),
        target::<CategoryInput>(
            "category",
            &[r#"{"name":"Bread","isActive":false,"position":7}"#],
            [],
        ),
        target::<OptionGroupInput>("option-group", &[GROUP], words::<OptionInput>()),
        target::<OptionInput>(
            "option",
            &[
                r#"{"id":"01234567-89ab-7def-8123-456789abcdef","externalId":null,"name":"Mayonnaise","priceCents":5e1,"isAvailable":true}"#,
            ],
            [],
        ),
        target::<OptionGroupLinks>(
            "option-links",
            &[
                r#"{"productIds":["01234567-89ab-7def-8123-456789abcdef"],"productExternalIds":["RYE-800","BUN-1"],"add":[{"externalId":"SAUCES"}],"remove":[{"id":"01234567-89ab-7def-8123-456789abcdef"}]}"#,
            ],
            words::<OptionGroupRef>(),
        ),
        target::<StockCount>(
            "stock-count",
            &[r#"{"quantity":24.125,"expectedQuantity":-3,"note":"Shelf 7"}"#],
            [],
        ),
        target::<StockAdjustment>(
            "stock-adjustment",
            &[r#"{"externalId":"RYE-800","quantityChange":-0.5,"type":"correction","note":null}"#],
            [],
        ),
        target::<TransactionInput>("transaction", &[&sale, cash], receipt),
        target::<OrderInput>("order", &[&order], line),
        target::<OrderChange>(
            "order-change",
            &[
                r#"{"status":"completed","paymentStatus":"paid","transactionId":"01234567-89ab-7def-8123-456789abcdef","number":4}"#,
            ],
            [],
        ),
        target::<ZReportInput>("z-report", &[r#"{"countedCents":12500}"#, "{}"], []),
    ]
}

fn target<T: Body>(name: &str, seeds: &[&str], within: impl IntoIterator<Item = String>) -> Target {
    Target {
        words: words::<T>().chain(within).collect(),
        ..Target::new(name, seeds, &[], read::<T>)
    }
}

/// The names of the fields of a body.
pub(super) fn words<T: WriteInput>() -> impl Iterator<Item = String> + Clone {
    let written = T::RULES.iter().map(|rule| rule.name);
    written
        .chain(T::READ_ONLY.iter().copied())
        .map(str::to_owned)
}

/// Reads a body, writes it, and reads it again.
fn read<T: Body>(json: &[u8]) -> Verdict {
    let read = <T as FromJson>::from_json(json);
    check_syntax(json, &read);
    let input = match read {
        Ok(input) => input,
        Err(error) => {
            let (ReadError::Malformed(refused) | ReadError::Invalid(refused)) = &error;
            check_refusal(refused);
            check_faults(&<T as FromJson>::faults(json));
            return Verdict::Refused;
        }
    };
    reads_back(&input);
    let faults = Faults::of_body::<T>(json, &[]);
    let mut checked = input;
    if let Err(refused) = checked.check() {
        check_refusal(&refused);
        assert!(!faults.is_empty(), "{refused}, and no faults");
        return Verdict::Refused;
    }
    // Required fields of nested objects are checked with the rules, not here.
    let required = format!("{faults:?}").matches("is required").count();
    assert_eq!(faults.len(), required, "checked, and {faults:?}");
    is_checked(&checked);
    reads_back(&checked);
    Verdict::Taken
}

/// Checks for the same body after writing and reading it again.
///
/// # Panics
/// The bodies differ.
fn reads_back<T: Body>(input: &T) {
    let written = serde_json::to_vec(input).unwrap();
    let again = <T as FromJson>::from_json(&written);
    assert_eq!(
        again.as_ref(),
        Ok(input),
        "written as {}",
        written.escape_ascii()
    );
}

/// Checks a checked body again: it must not change.
///
/// # Panics
/// It changes.
pub(super) fn is_checked<T: Body>(checked: &T) {
    let mut twice = checked.clone();
    assert_eq!(twice.check(), Ok(()));
    assert_eq!(&twice, checked, "a second check changes it");
}
