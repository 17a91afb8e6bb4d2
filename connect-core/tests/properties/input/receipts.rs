//! Rows of registers that add up and rows that do not, and looks at the list of rows.

use proptest::{collection::vec, option::weighted, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    fields::{code, pick},
    writes::{Deed, Write},
};
use crate::properties::model::{decimal, time_text, vat_of};

/// The number of registers.
pub(crate) const REGISTERS: usize = 3;

/// The midnights, in seconds, of days around both changes of the clock in 2026 and between them.
const DAYS: [i64; 8] = [
    1_774_656_000, // 28 March
    1_774_742_400,
    1_774_828_800,
    1_782_864_000, // 1 July
    1_792_800_000, // 24 October
    1_792_886_400,
    1_792_972_800,
    // The clock of a register may be ahead, but not by more than a day.
    1_793_059_200,
];
/// The time of a walk's beginning: 26 October 2026, 12:00.
pub(crate) const NOW: i64 = 1_793_016_000;

/// A look at the list of rows.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) from: Option<Edge>,
    pub(crate) to: Option<Edge>,
    pub(crate) kind: Option<&'static str>,
    /// The rank of a row among all, in hundredths.
    pub(crate) since: Option<u64>,
    pub(crate) limit: usize,
}

/// An edge of a period: a day or a time in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edge {
    Day(i64),
    At(i64),
}

/// A line of sold goods, with so many percent off its price.
fn line() -> impl Strategy<Value = Value> {
    (
        select(vec![1000_i64, 2000, 12_000, 2500, 350, 500, 125, 1, 1234]),
        select(vec![0_i64, 1, 99, 250, 333, 1999]),
        weighted(0.3, select(vec![0_i64, 1, 50])),
        select(vec![0_i64, 0, 10, 33, 100]),
        select(vec![0_i64, 550, 900, 2100]),
        (weighted(0.6, pick("product")), weighted(0.3, code())),
    )
        .prop_map(|(thousandths, unit, option, percent, rate, (product, code))| {
            let each = unit + option.unwrap_or_default();
            // A half goes away from zero.
            let gross = ((each * thousandths) as f64 / 1000.0).round() as i64;
            let discount = gross * percent / 100;
            let extra = |cents| json!({ "optionId": null, "name": "Extra", "priceCents": cents });
            json!({
                "productId": product, "externalId": code, "name": "Goods",
                "quantity": decimal(thousandths, 1000), "unitPriceCents": unit,
                "discountCents": discount, "totalCents": gross - discount,
                "vatRate": decimal(rate, 100), "options": option.iter().map(extra).collect::<Vec<_>>(),
            })
        })
}

/// The number with its other sign.
pub(super) fn negated(number: &Value) -> Value {
    match number.as_i64() {
        Some(whole) => json!(-whole),
        None => json!(-number.as_f64().unwrap()),
    }
}

/// The same goods on their way back.
fn returned(mut line: Value) -> Value {
    for field in ["quantity", "totalCents"] {
        line[field] = negated(&line[field]);
    }
    line
}

/// A sale or a refund, paid partly in cash.
fn goods() -> impl Strategy<Value = Value> {
    let is_refund = prop::bool::weighted(0.3);
    let of = weighted(0.5, pick("receipt"));
    (
        vec(line(), 1..4),
        is_refund,
        of,
        -500_i64..2000,
        any::<bool>(),
    )
        .prop_map(|(lines, is_refund, of, cash, has_vat)| {
            let lines = lines.into_iter();
            let lines: Vec<Value> = match is_refund {
                true => lines.map(returned).collect(),
                false => lines.collect(),
            };
            let total: i64 = lines
                .iter()
                .map(|it| it["totalCents"].as_i64().unwrap())
                .sum();
            let payment = |method, cents| json!({ "method": method, "amountCents": cents });
            let mut body = json!({
                "type": if is_refund { "refund" } else { "sale" },
                "totalCents": total,
                "payments": [payment("cash", cash), payment("card", total - cash)],
                "lines": lines,
            });
            if has_vat {
                body["vat"] = vat_of(&lines).into();
            }
            if is_refund && let Some(of) = of {
                body["refundOf"] = of;
            }
            body
        })
}

/// A row of moved cash.
fn cash() -> impl Strategy<Value = Value> {
    let kinds = select(vec![("opening_float", 1), ("cash_in", 1), ("cash_out", -1)]);
    (kinds, 1_i64..20_000).prop_map(|((kind, sign), cents)| {
        let cents = sign * cents;
        json!({
            "type": kind, "totalCents": cents,
            "payments": [{ "method": "cash", "amountCents": cents }],
        })
    })
}

/// Times near midnight, when days begin, and any others.
fn times() -> impl Strategy<Value = i64> {
    let minutes = prop_oneof![21 * 60..24 * 60_i64, 0..3 * 60_i64, 0..24 * 60_i64];
    (select(DAYS.to_vec()), minutes).prop_map(|(day, minutes)| day + 60 * minutes)
}

/// A row of a register, or its closing.
pub(super) fn register_writes() -> BoxedStrategy<Write> {
    let body = prop_oneof![8 => goods(), 3 => cash()];
    let row = (body, weighted(0.9, times()), prop::bool::weighted(0.08));
    let row = row.prop_map(|(mut body, at, is_wrong)| {
        if let Some(second) = at {
            body["createdAt"] = json!(time_text(second * 1_000_000));
        }
        if is_wrong {
            body["totalCents"] = json!(body["totalCents"].as_i64().unwrap() + 1);
        }
        (Deed::Row, body)
    });
    let counted = prop_oneof![Just(Value::Null), (0_i64..50_000).prop_map(Value::from)];
    let close = counted.prop_map(|cents| (Deed::Close, json!({ "countedCents": cents })));
    (1..=REGISTERS, prop_oneof![4 => row, 1 => close])
        .prop_map(|(by, (deed, body))| Write {
            by,
            ..Write::new(deed, Vec::new(), body)
        })
        .boxed()
}

/// Orders rows by their times, as registers online write them.
pub(crate) fn in_order(bursts: &mut [super::Burst]) {
    let writes = bursts.iter_mut().flat_map(|burst| &mut burst.writes);
    let times = writes.filter_map(|write| write.body.get_mut("createdAt"));
    let times: Vec<&mut Value> = times.filter(|time| time.is_string()).collect();
    let mut sorted: Vec<Value> = times.iter().map(|time| (*time).clone()).collect();
    sorted.sort_by_key(Value::to_string);
    times
        .into_iter()
        .zip(sorted)
        .for_each(|(time, next)| *time = next);
}

/// Looks at the list.
pub(crate) fn looks() -> impl Strategy<Value = Look> {
    let edges = || {
        prop_oneof![
            select(DAYS.to_vec()).prop_map(Edge::Day),
            times().prop_map(Edge::At)
        ]
    };
    let kinds = select(vec![
        "sale",
        "refund",
        "opening_float",
        "cash_in",
        "cash_out",
    ]);
    (
        prop::option::of(edges()),
        prop::option::of(edges()),
        weighted(0.3, kinds),
        weighted(0.3, 0_u64..120),
        select(vec![1_usize, 3, 200]),
    )
        .prop_map(|(from, to, kind, since, limit)| Look {
            from,
            to,
            kind,
            since,
            limit,
        })
}
