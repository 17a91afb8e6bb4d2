use serde_json::{Value, json};

use super::*;

fn checked(body: &Value) -> Result<Receipt, Invalid> {
    Receipt::check(TransactionInput::from_json(body.to_string().as_bytes()).unwrap())
}

/// A sale of two kinds of goods, with a discount.
/// They are 3 x 2.50 at 9 % less 0.50, and 0.350 kg at 19.99 with an option of 1.00 at 21 %.
fn sale() -> Value {
    json!({
        "type": "sale",
        "totalCents": 1435,
        "discountCents": 50,
        "lines": [
            { "name": "Bread", "quantity": 3, "unitPriceCents": 250, "discountCents": 50,
              "totalCents": 700, "vatRate": 9 },
            { "name": "Cheese", "quantity": 0.35, "unitPriceCents": 1999,
              "totalCents": 735, "vatRate": 21, "options": [{ "name": "Cut", "priceCents": 100 }] },
        ],
        "payments": [
            { "method": "cash", "amountCents": 2000 },
            { "method": "cash", "amountCents": -565 },
        ],
        "vat": [
            { "vatRate": 21, "netCents": 607, "vatCents": 128, "grossCents": 735 },
            { "vatRate": 9, "netCents": 642, "vatCents": 58, "grossCents": 700 },
        ],
    })
}

fn refund() -> Value {
    json!({
        "type": "refund",
        "totalCents": -450,
        "lines": [
            { "name": "Bread", "quantity": -2, "unitPriceCents": 250, "discountCents": 50,
              "totalCents": -450, "vatRate": 9 },
        ],
        "payments": [{ "method": "card", "amountCents": -450 }],
        "refundOf": "018f2f6e-4c1a-7000-8000-000000000001",
    })
}

fn cash(kind: &str, cents: i64) -> Value {
    json!({
        "type": kind,
        "totalCents": cents,
        "payments": [{ "method": "cash", "amountCents": cents }],
    })
}

/// Returns the body with a changed value, or without it for `null`.
fn with(mut body: Value, place: &str, value: Value) -> Value {
    let (parent, field) = place.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(fields), Value::Null) => {
            fields.remove(field);
        }
        (Value::Object(fields), value) => {
            fields.insert(field.to_owned(), value);
        }
        (list, value) => list[field.parse::<usize>().unwrap()] = value,
    }
    body
}

#[test]
fn rows_that_add_up_are_taken() {
    let made = checked(&sale()).unwrap();
    let vat = |vat: &VatAmount| (vat.vat_rate.to_string(), vat.net_cents, vat.vat_cents);
    let vat: Vec<_> = made.vat.iter().map(vat).collect();
    assert_eq!(
        vat,
        [("9".to_owned(), 642, 58), ("21".to_owned(), 607, 128)]
    );
    assert_eq!(made.discount_cents, 50);

    // A discount is a positive amount taken off, in a refund too.
    let made = checked(&refund()).unwrap();
    assert_eq!((made.discount_cents, made.vat[0].vat_cents), (50, -37));
    assert_eq!(made.vat[0].net_cents, -413);

    for good in [
        with(sale(), "/vat", Value::Null),
        with(sale(), "/discountCents", Value::Null),
        with(refund(), "/refundOf", Value::Null),
        cash("opening_float", 0),
        cash("opening_float", 15_000),
        cash("cash_in", 1),
        cash("cash_out", -1),
        with(cash("cash_in", 5), "/lines", json!([])),
        with(cash("cash_in", 5), "/vat", json!([])),
        with(cash("cash_in", 5), "/discountCents", json!(0)),
    ] {
        assert!(checked(&good).is_ok(), "{good}");
    }
}

/// A gift is a sale without a payment.
#[test]
fn a_sale_may_cost_nothing() {
    let gift = json!({
        "type": "sale",
        "totalCents": 0,
        "lines": [{ "name": "Bread", "quantity": 1, "unitPriceCents": 250, "discountCents": 250,
                    "totalCents": 0, "vatRate": 9 }],
        "payments": [],
    });
    let made = checked(&gift).unwrap();
    assert_eq!((made.discount_cents, made.vat.len()), (250, 1));
}

#[test]
fn rows_that_do_not_add_up_are_refused_with_both_figures() {
    let id = json!("018f2f6e-4c1a-7000-8000-000000000001");
    for (body, field, words) in [
        (
            with(sale(), "/totalCents", json!(1436)),
            "totalCents",
            "must be 1435, the sum of the lines, not 1436",
        ),
        (
            with(sale(), "/discountCents", json!(40)),
            "discountCents",
            "must be 50, the discount of all lines, not 40",
        ),
        (
            with(sale(), "/lines/1/totalCents", json!(734)),
            "lines[1].totalCents",
            "must be 735, not 734",
        ),
        (
            with(sale(), "/lines/0/quantity", json!(-3)),
            "lines[0].quantity",
            "not -3",
        ),
        (
            with(sale(), "/payments/1/amountCents", json!(-560)),
            "payments",
            "must add up to 1435, which is totalCents, not 1440",
        ),
        (
            with(sale(), "/payments", json!([])),
            "payments",
            "must add up to 1435, which is totalCents, not 0",
        ),
        (
            with(sale(), "/payments/1/method", Value::Null),
            "payments[1].method",
            "is required",
        ),
        (
            with(sale(), "/vat/0/vatCents", json!(127)),
            "vat[0].vatCents",
            "must be 128, not 127",
        ),
        (with(sale(), "/vat", json!([])), "vat", "the rate 9"),
        (
            with(sale(), "/refundOf", id.clone()),
            "refundOf",
            "only be in a refund, not in a row of type sale",
        ),
        (
            with(with(sale(), "/lines", json!([])), "/vat", Value::Null),
            "lines",
            "at least one entry in a sale",
        ),
        (with(sale(), "/type", Value::Null), "type", "is required"),
        (
            with(sale(), "/totalCents", Value::Null),
            "totalCents",
            "is required",
        ),
        (
            with(sale(), "/payments", Value::Null),
            "payments",
            "is required",
        ),
        (
            with(refund(), "/totalCents", json!(450)),
            "totalCents",
            "must be -450, the sum of the lines, not 450",
        ),
        (
            with(refund(), "/lines/0/totalCents", json!(-550)),
            "lines[0].totalCents",
            "must be -450, not -550",
        ),
        (
            cash("opening_float", -1),
            "totalCents",
            "must be 0 or more in a row of type opening_float, not -1",
        ),
        (cash("cash_in", 0), "totalCents", "above 0"),
        (cash("cash_out", 0), "totalCents", "below 0"),
        (cash("cash_out", 5), "totalCents", "below 0"),
        (
            with(cash("cash_in", 5), "/payments", json!([])),
            "payments",
            "not 0 entries",
        ),
        (
            with(cash("cash_in", 5), "/payments/0/method", json!("card")),
            "payments[0].method",
            "must be cash in a row of type cash_in, not card",
        ),
        (
            with(cash("cash_in", 5), "/payments/0/amountCents", json!(6)),
            "payments[0].amountCents",
            "must be 5, which is totalCents, not 6",
        ),
        (
            with(cash("cash_in", 5), "/lines", sale()["lines"].clone()),
            "lines",
            "only be in a sale or a refund",
        ),
        (
            with(cash("cash_in", 5), "/vat", sale()["vat"].clone()),
            "vat[0].vatRate",
            "must be a rate of the lines, not 21",
        ),
        (
            with(cash("cash_in", 5), "/discountCents", json!(1)),
            "discountCents",
            "must be 0",
        ),
        (
            with(cash("cash_in", 5), "/orderId", id.clone()),
            "orderId",
            "only be in a sale or a refund",
        ),
        (
            with(cash("cash_in", 5), "/refundOf", id),
            "refundOf",
            "only be in a refund",
        ),
    ] {
        let refused = checked(&body).unwrap_err();
        assert_eq!(refused.field, field, "{refused}");
        assert!(refused.problem.contains(words), "{refused}");
    }
}

/// Code can construct a value unknown to this version.
#[test]
fn unknown_words_are_refused() {
    let unknown = TransactionInput {
        kind: TransactionType::Unknown("gift".to_owned()).into(),
        ..TransactionInput::from_json(cash("cash_in", 5).to_string().as_bytes()).unwrap()
    };
    let refused = Receipt::check(unknown).unwrap_err();
    assert_eq!(refused.field, "type");
    assert!(refused.problem.ends_with("not \"gift\""), "{refused}");
}

/// Returns the fields at fault, in the order reported.
fn faults(body: &Value) -> Vec<String> {
    let refused = checked(body).unwrap_err();
    let all = std::iter::once(&refused).chain(&refused.others);
    all.map(|fault| fault.field.clone()).collect()
}

#[test]
fn all_faults_of_a_row_are_told() {
    let id = json!("018f2f6e-4c1a-7000-8000-000000000001");
    let sums = [
        ("/totalCents", json!(1)),
        ("/discountCents", json!(2)),
        ("/payments/1/amountCents", json!(3)),
        ("/vat/0/netCents", json!(4)),
        ("/vat/0/vatCents", json!(5)),
        ("/vat/1/vatRate", json!(6)),
        ("/refundOf", id.clone()),
    ];
    let wrong = |body, changes: &[(&str, Value)]| {
        let change = |body, (place, value): &(&str, Value)| with(body, place, value.clone());
        changes.iter().fold(body, change)
    };
    let bad_sums = wrong(sale(), &sums);
    assert_eq!(
        faults(&bad_sums),
        [
            "refundOf",
            "totalCents",
            "payments",
            "discountCents",
            "vat[0].vatCents",
            "vat[0].netCents",
            "vat[1].vatRate",
            "vat",
        ]
    );
    // The sums of wrong lines are not checked.
    let lines = [
        ("/lines/0/totalCents", json!(1)),
        ("/lines/1/quantity", json!(-1)),
        ("/payments/0/method", Value::Null),
    ];
    assert_eq!(
        faults(&wrong(bad_sums, &lines)),
        [
            "lines[0].totalCents",
            "lines[1].quantity",
            "payments[0].method",
            "refundOf",
        ]
    );
    let forms = [
        ("/note", json!("\u{1}")),
        ("/lines/0/name", json!("")),
        ("/lines/1/vatRate", Value::Null),
        ("/type", Value::Null),
    ];
    assert_eq!(
        faults(&wrong(sale(), &forms)),
        ["lines[0].name", "lines[1].vatRate", "note", "type"]
    );
    let of_cash = [
        ("/totalCents", json!(-5)),
        ("/payments/0/method", json!("card")),
        ("/orderId", id),
    ];
    assert_eq!(
        faults(&wrong(cash("cash_in", 5), &of_cash)),
        ["orderId", "totalCents", "payments[0].method"]
    );
}

#[test]
fn at_most_twenty_faults_of_a_row_are_told() {
    let line = json!({ "name": "Bread", "quantity": 1, "unitPriceCents": 250, "totalCents": 1,
        "vatRate": 9 });
    let body = with(sale(), "/lines", json!(vec![line; 30]));
    let expected: Vec<_> = (0..20)
        .map(|at| format!("lines[{at}].totalCents"))
        .collect();
    assert_eq!(faults(&body), expected);
}
