//! Values that the fields of devices cannot have. Which field it is follows from the place.

use serde_json::Value;

use crate::bad_requests::fields::{Fault, fault, many, no_integer, no_name, no_number, no_string};

/// What an amount that may be negative cannot be.
pub(super) fn no_amount() -> Vec<Fault> {
    let largest = 1_000_000_000_000;
    let mut faults = no_integer("", largest);
    faults.retain(|fault| fault.why != "below zero");
    faults.push(fault("", (-largest - 1).to_string(), "one too small"));
    faults.extend(no_number(""));
    faults
}

/// What a whole number from 0 on cannot be.
pub(super) fn no_whole(largest: i64) -> Vec<Fault> {
    let mut faults = no_integer("", largest);
    faults.extend(no_number(""));
    faults
}

/// What a field with one of several words cannot be.
pub(super) fn no_word() -> Vec<Fault> {
    let mut faults = no_string("", false);
    faults.push(fault("", "\"\"", "no word"));
    faults.push(fault("", "\"Sale\"", "in another case"));
    faults.push(fault("", "\"barter\"", "a word that is none"));
    faults
}

/// What the id of a record, or null, cannot be.
pub(super) fn no_id() -> Vec<Fault> {
    let mut faults = no_string("", true);
    faults.push(fault("", "\"\"", "empty"));
    faults.push(fault("", "\"7\"", "a number in quotes"));
    let braces = "\"{019a8c52-8e20-7c42-8a1f-4c2d6e8fab02}\"";
    faults.push(fault("", braces, "a UUID in braces"));
    faults
}

/// What a text of at most so many characters, or null, cannot be.
pub(super) fn no_text(longest: usize) -> Vec<Fault> {
    let mut faults = no_string("", true);
    faults.push(fault("", many("x", longest + 1), "one character too long"));
    faults.push(fault("", many("🥐", longest + 1), "one croissant too long"));
    faults.push(fault("", "\"a\\u0000b\"", "with a NUL"));
    faults.push(fault("", "\"a\\u0085b\"", "with a control character"));
    faults
}

/// What a name of at most so many characters, or null, cannot be.
pub(super) fn no_name_or_null(longest: usize) -> Vec<Fault> {
    let mut faults = no_name("", longest);
    faults.extend(no_string("", true));
    faults
}

/// What a list of objects with at most so many entries like this one cannot be.
pub(super) fn no_list(entry: &Value, most: usize) -> Vec<Fault> {
    let too_many = Value::from(vec![entry.clone(); most + 1]).to_string();
    vec![
        fault("", "null", "null"),
        fault("", "{}", "an object"),
        fault("", "\"A\"", "a string"),
        fault("", "12", "a number"),
        fault("", too_many, "one entry too long"),
    ]
}

/// What an entry of a list of objects cannot be.
pub(super) fn no_entry() -> Vec<Fault> {
    vec![
        fault("", "null", "null"),
        fault("", "[]", "a list"),
        fault("", "7", "a number"),
        fault("", "\"A\"", "a string"),
    ]
}
