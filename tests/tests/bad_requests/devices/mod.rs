//! What registers, kiosks and Scan & Order may not send.

mod access;
mod faults;
mod orders;
mod scene;
mod sums;
mod transactions;

use connect_tests::http::Request;
use serde_json::{Value, json};

use self::faults::{no_amount, no_entry, no_id, no_list, no_text, no_whole};
pub(super) use self::scene::add_to;
use super::{
    fields::{Fault, fault, no_name, no_number, no_string},
    table::{Bad, anywhere},
};

/// A write of this JSON text with the key of this screen, one of the scene's.
fn by(screen: &str, request: &str, json: impl Into<bytes::Bytes>) -> Request {
    let request = at_device(request).header("authorization", format!("Bearer {{{screen}}}"));
    request
        .header("content-type", "application/json")
        .body(json)
}

/// A request of the device API, such as `POST orders`, from nobody.
fn at_device(request: &str) -> Request {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    anywhere(&format!("{method} /device/v1/{path}")).header("x-no-token", "1")
}

/// A body with `raw` at one place of it, which need not be JSON that this reader can hold.
fn spoilt(body: &Value, pointer: &str, raw: &str) -> String {
    const MARK: &str = "the place of the fault";
    let mut body = body.clone();
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
    match body.pointer_mut(parent).expect("what the field is part of") {
        Value::Object(fields) => drop(fields.insert(last.to_owned(), MARK.into())),
        Value::Array(entries) => entries[last.parse::<usize>().expect("an index")] = MARK.into(),
        other => panic!("nothing is part of {other}"),
    }
    body.to_string().replace(&format!("\"{MARK}\""), raw)
}

/// A body without a field.
fn without(body: &Value, pointer: &str) -> String {
    let mut body = body.clone();
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
    let fields = body.pointer_mut(parent).and_then(Value::as_object_mut);
    let left_out = fields.and_then(|fields| fields.remove(last));
    assert!(left_out.is_some(), "{pointer} is not in {body}");
    body.to_string()
}

/// The path of a field as messages name it: `lines[0].name`.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path += &format!("[{part}]");
        } else {
            path += if path.is_empty() { "" } else { "." };
            path += part;
        }
    }
    path
}

/// Requests with each of these faults at a place of a good body. The place is the field at fault.
fn invalid(
    request: &str,
    screen: &str,
    body: &Value,
    pointer: &str,
    faults: Vec<Fault>,
) -> Vec<Bad> {
    let bad = |fault: Fault| {
        let name = format!("device, {request}: {} is {}", path(pointer), fault.why);
        let body = spoilt(body, pointer, &fault.value);
        let names = format!("{}: ", path(pointer));
        let bad = Bad::invalid(&name, by(screen, request, body), &names);
        if fault.unstated { bad.unstated() } else { bad }
    };
    faults.into_iter().map(bad).collect()
}

/// Requests without each of these fields of a good body.
fn missing(request: &str, screen: &str, body: &Value, pointers: &[&str]) -> Vec<Bad> {
    let bad = |pointer: &&str| {
        let name = format!("device, {request}: no {}", path(pointer));
        let sent = by(screen, request, without(body, pointer));
        Bad::invalid(&name, sent, &format!("{}: ", path(pointer)))
    };
    pointers.iter().map(bad).collect()
}

/// A line of a sale or an order with all of its fields.
fn line() -> Value {
    json!({
        "productId": null,
        "externalId": "TEA-1",
        "name": "Tea",
        "quantity": 2,
        "unitPriceCents": 150,
        "discountCents": 0,
        "totalCents": 400,
        "vatRate": 9,
        "options": [{ "optionId": null, "name": "Milk", "priceCents": 50 }],
    })
}

/// Faults in every field of a line.
fn lines(request: &str, screen: &str, body: &Value) -> Vec<Bad> {
    let code = |longest: usize| {
        let mut faults = no_text(longest);
        faults.push(fault("", "\"\"", "empty"));
        faults.push(fault("", "\" A\"", "a code after a blank"));
        faults
    };
    let mut quantity = no_number("");
    for (value, why) in [
        ("0.0001", "four fraction digits"),
        ("1e999", "beyond any float"),
        ("1000000000.001", "too large"),
    ] {
        quantity.push(fault("", value, why));
    }
    let mut rate = no_number("");
    for (value, why) in [
        ("-1", "below zero"),
        ("100.01", "above a hundred"),
        ("9.001", "three fraction digits"),
    ] {
        rate.push(fault("", value, why));
    }
    let name = |longest| {
        let mut faults = no_name("", longest);
        faults.extend(no_string("", false));
        faults
    };
    let option = &line()["options"][0];
    let fields = [
        ("", no_entry()),
        ("/productId", no_id()),
        ("/externalId", code(100)),
        ("/name", name(200)),
        ("/quantity", quantity),
        ("/unitPriceCents", no_whole(100_000_000)),
        ("/discountCents", no_whole(1_000_000_000_000)),
        ("/totalCents", no_amount()),
        ("/vatRate", rate),
        ("/options", no_list(option, 100)),
        ("/options/0", no_entry()),
        ("/options/0/optionId", no_id()),
        ("/options/0/name", name(100)),
        ("/options/0/priceCents", no_whole(100_000_000)),
        ("/colour", vec![fault("", "1", "an unknown field")]),
        (
            "/options/0/colour",
            vec![fault("", "1", "an unknown field")],
        ),
    ];
    let mut table = Vec::new();
    for (field, faults) in fields {
        let pointer = format!("/lines/0{field}");
        table.extend(invalid(request, screen, body, &pointer, faults));
    }
    let required = [
        "/lines/0/name",
        "/lines/0/quantity",
        "/lines/0/unitPriceCents",
        "/lines/0/totalCents",
        "/lines/0/vatRate",
        "/lines/0/options/0/name",
    ];
    table.extend(missing(request, screen, body, &required));
    table
}

pub(super) fn tables() -> Vec<Vec<Bad>> {
    vec![
        access::table(),
        transactions::table(),
        sums::table(),
        orders::table(),
    ]
}
