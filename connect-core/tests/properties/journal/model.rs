//! The journal as it should be: a list of rows, and everything else summed up from it each time.

use serde_json::{Value, json};

use super::input::{Edge, Goods, Kind, Look, Row};

/// A closing of a register.
#[derive(Clone, Debug)]
struct Closing {
    register: usize,
    counted: Option<i64>,
    /// The rows that were there.
    rows: usize,
    /// The report as it was answered, of which the id and the time are the core's.
    answered: Value,
}

/// All rows and closings in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) registers: Vec<Value>,
    pub(super) rows: Vec<Value>,
    closings: Vec<Closing>,
}

/// The second of a moment at which the clock is set forward, and back again.
const SUMMER: std::ops::Range<i64> = 1_774_746_000..1_792_890_000;

/// The number of the day on which a second falls in Amsterdam in 2026.
pub(super) fn day_of(second: i64) -> i64 {
    let hours = if SUMMER.contains(&second) { 2 } else { 1 };
    (second + hours * 3600).div_euclid(86_400)
}

/// A half goes away from zero.
fn rounded(number: f64) -> i64 {
    number.round() as i64
}

fn sum<'r>(rows: impl Iterator<Item = &'r Value>, field: &str) -> i64 {
    rows.map(|row| row[field].as_i64().unwrap()).sum()
}

/// A line as it is sent and stored.
fn line(goods: &Goods, sign: i64) -> Value {
    let each = goods.unit_cents + goods.option_cents.unwrap_or_default();
    let gross = rounded((each * goods.thousandths) as f64 / 1000.0);
    let discount = gross * goods.percent_off / 100;
    let options: Vec<Value> = (goods.option_cents.iter())
        .map(|cents| json!({ "optionId": null, "name": "Extra", "priceCents": cents }))
        .collect();
    json!({
        "productId": null,
        "externalId": "P-1",
        "name": "Bread",
        "quantity": number(sign * goods.thousandths, 1000),
        "unitPriceCents": goods.unit_cents,
        "discountCents": discount,
        "totalCents": sign * (gross - discount),
        "vatRate": number(goods.rate_hundredths, 100),
        "options": options,
    })
}

/// A decimal as JSON has it.
fn number(count: i64, unit: i64) -> Value {
    if count % unit == 0 {
        json!(count / unit)
    } else {
        json!(count as f64 / unit as f64)
    }
}

/// The VAT of lines, by rate.
fn vat(lines: &[Value]) -> Vec<Value> {
    let rates = [0, 550, 900, 2100].map(|rate| (rate, number(rate, 100)));
    let of = |(hundredths, rate): (i64, Value)| {
        let of_rate = lines.iter().filter(|line| line["vatRate"] == rate);
        let gross = sum(of_rate.clone(), "totalCents");
        let vat = rounded((gross * hundredths) as f64 / (10_000 + hundredths) as f64);
        (of_rate.count() > 0).then(|| {
            json!({ "vatRate": rate, "netCents": gross - vat, "vatCents": vat, "grossCents": gross })
        })
    };
    rates.into_iter().filter_map(of).collect()
}

impl Model {
    /// The body of a row. `created_at` is its time, if it has one.
    pub(super) fn body(&self, row: &Row, created_at: Option<String>) -> Value {
        let (kind, lines) = match &row.kind {
            Kind::Sale(goods) => ("sale", goods.iter().map(|goods| line(goods, 1)).collect()),
            Kind::Refund(goods, _) => (
                "refund",
                goods.iter().map(|goods| line(goods, -1)).collect(),
            ),
            Kind::Cash(kind, cents) => {
                let mut body = json!({
                    "type": kind,
                    "totalCents": cents,
                    "payments": [{ "method": "cash", "amountCents": cents }],
                });
                body["createdAt"] = created_at.into();
                return without_null(body);
            }
        };
        let lines: Vec<Value> = lines;
        let total = sum(lines.iter(), "totalCents");
        let sales = self.rows.iter().filter(|row| row["type"] == "sale");
        let sales: Vec<&Value> = sales.map(|row| &row["id"]).collect();
        let refund_of = match &row.kind {
            Kind::Refund(_, Some(of)) if !sales.is_empty() => of.get(&sales).to_owned().clone(),
            _ => Value::Null,
        };
        without_null(json!({
            "type": kind,
            "totalCents": total,
            "payments": [
                { "method": "cash", "amountCents": row.cash_cents },
                { "method": "card", "amountCents": total - row.cash_cents },
            ],
            "vat": row.has_vat.then(|| vat(&lines)),
            "lines": lines,
            "refundOf": refund_of,
            "createdAt": created_at,
        }))
    }

    /// The row that a body becomes, with the id that the core gave it.
    pub(super) fn write(&mut self, register: usize, body: &Value, id: &Value, now: &str) -> Value {
        let lines = body["lines"].as_array().cloned().unwrap_or_default();
        let created_at = match &body["createdAt"] {
            Value::Null => json!(now),
            time => time.clone(),
        };
        let row = json!({
            "id": id,
            "receiptNumber": self.rows.len() + 1,
            "type": body["type"],
            "register": self.registers[register],
            "employee": null,
            "currency": "EUR",
            "totalCents": body["totalCents"],
            "discountCents": sum(lines.iter(), "discountCents"),
            "vat": vat(&lines),
            "lines": lines,
            "payments": body["payments"],
            "refundOf": body["refundOf"],
            "orderId": null,
            "note": null,
            "createdAt": created_at,
        });
        self.rows.push(row.clone());
        row
    }

    /// Closes a register, and returns the report, with the id and the time that the core gave it.
    pub(super) fn close(
        &mut self,
        register: usize,
        counted: Option<i64>,
        answered: &Value,
    ) -> Value {
        self.closings.push(Closing {
            register,
            counted,
            rows: self.rows.len(),
            answered: answered.clone(),
        });
        self.report(self.closings.len() - 1)
    }

    /// All reports, in their order.
    pub(super) fn reports(&self) -> Vec<Value> {
        (0..self.closings.len()).map(|at| self.report(at)).collect()
    }

    /// The report of a closing: all rows of the register since its closing before.
    fn report(&self, at: usize) -> Value {
        let closing = &self.closings[at];
        let register = &self.registers[closing.register];
        let earlier = self.closings[..at].iter();
        let earlier: Vec<&Closing> = earlier
            .filter(|earlier| earlier.register == closing.register)
            .collect();
        let begin = earlier.last().map_or(0, |before| before.rows);
        let rows = self.rows[begin..closing.rows].iter();
        let rows: Vec<&Value> = rows.filter(|row| row["register"] == *register).collect();
        let of = |kind: &str| {
            let rows = rows.iter().filter(|row| row["type"] == kind);
            let payments = rows.flat_map(|row| row["payments"].as_array().unwrap());
            sum(
                payments.filter(|paid| paid["method"] == "cash"),
                "amountCents",
            )
        };
        let expected: i64 = ["opening_float", "sale", "refund", "cash_in", "cash_out"]
            .map(of)
            .iter()
            .sum();
        let closed_at = &closing.answered["closedAt"];
        let earliest = rows
            .iter()
            .map(|row| row["createdAt"].as_str().unwrap())
            .min();
        let opened_at = match (earliest, earlier.last()) {
            (Some(time), _) => json!(time),
            (None, Some(before)) => before.answered["closedAt"].clone(),
            (None, None) => closed_at.clone(),
        };
        let mut report = sums(&rows);
        let own = json!({
            "id": closing.answered["id"],
            "number": earlier.len() + 1,
            "register": register,
            "currency": "EUR",
            "openedAt": opened_at,
            "closedAt": closed_at,
            "firstReceiptNumber": rows.first().map(|row| &row["receiptNumber"]),
            "lastReceiptNumber": rows.last().map(|row| &row["receiptNumber"]),
            "cash": {
                "openingFloatCents": of("opening_float"),
                "salesCents": of("sale"),
                "refundsCents": of("refund"),
                "inCents": of("cash_in"),
                "outCents": of("cash_out"),
                "expectedCents": expected,
                "countedCents": closing.counted,
                "differenceCents": closing.counted.map(|counted| counted - expected),
            },
        });
        merge(&mut report, own);
        report
    }

    /// The summary of a day, given by its number.
    pub(super) fn summary(&self, day: i64, date: &str) -> Value {
        let rows = self.rows.iter().filter(|row| day_of(second(row)) == day);
        let rows: Vec<&Value> = rows.collect();
        let mut summary = sums(&rows);
        let own = json!({
            "date": date,
            "timeZone": "Europe/Amsterdam",
            "currency": "EUR",
            "lastReceiptNumber": rows.last().map(|row| &row["receiptNumber"]),
        });
        merge(&mut summary, own);
        summary
    }

    /// The rows that a look shows; `None` when it has to be refused.
    pub(super) fn look(&self, look: &Look) -> Option<Vec<Value>> {
        // A day ends with the second before the first that is of a later one.
        let first_of = |day: i64| {
            let midnight = day.div_euclid(86_400);
            (day - 86_400..)
                .step_by(3600)
                .find(|second| day_of(*second) == midnight)
                .unwrap()
        };
        let from = look.from.map(|edge| match edge {
            Edge::Day(day) => first_of(day),
            Edge::At(second) => second,
        });
        let to = look.to.map(|edge| match edge {
            Edge::Day(day) => first_of(day + 86_400),
            Edge::At(second) => second,
        });
        if let (Some(from), Some(to)) = (from, to)
            && (from > to || (from == to && matches!(look.to, Some(Edge::Day(_)))))
        {
            return None;
        }
        let since = self.since(look);
        let shown = self.rows.iter().filter(|row| {
            let second = second(row);
            from.is_none_or(|from| second >= from)
                && to.is_none_or(|to| second < to)
                && look.kind.is_none_or(|kind| row["type"] == kind)
                && since.is_none_or(|since| row["receiptNumber"].as_u64().unwrap() > since)
        });
        Some(shown.cloned().collect())
    }

    /// The receipt number after which a look begins.
    pub(super) fn since(&self, look: &Look) -> Option<u64> {
        look.since.map(|rank| rank * self.rows.len() as u64 / 100)
    }
}

/// The second of a row: all times of the test are whole seconds in 2026.
fn second(row: &Value) -> i64 {
    let time: connect_core::wire::Timestamp = row["createdAt"].as_str().unwrap().parse().unwrap();
    time.seconds()
}

/// The sums of sales and refunds.
fn sums(rows: &[&Value]) -> Value {
    let of = |kind: &str| {
        let rows = rows.iter().copied().filter(|row| row["type"] == kind);
        json!({ "count": rows.clone().count(), "totalCents": sum(rows, "totalCents") })
    };
    let is_counted = |row: &&&Value| row["type"] == "sale" || row["type"] == "refund";
    let counted: Vec<&Value> = rows.iter().filter(is_counted).copied().collect();
    let each = |field: &str| -> Vec<&Value> {
        let all = counted
            .iter()
            .flat_map(|row| row[field].as_array().unwrap());
        all.collect()
    };
    let rates = [0, 550, 900, 2100].map(|rate| number(rate, 100));
    let vat = rates.into_iter().filter_map(|rate| {
        let of_rate = each("vat").into_iter().filter(|vat| vat["vatRate"] == rate);
        let of_rate: Vec<&Value> = of_rate.collect();
        let sum = |field| sum(of_rate.iter().copied(), field);
        (!of_rate.is_empty()).then(|| {
            json!({ "vatRate": rate, "netCents": sum("netCents"), "vatCents": sum("vatCents"),
                    "grossCents": sum("grossCents") })
        })
    });
    let methods = ["cash", "card"].into_iter().filter_map(|method| {
        let paid = each("payments")
            .into_iter()
            .filter(|paid| paid["method"] == method);
        let paid: Vec<&Value> = paid.collect();
        let cents = sum(paid.iter().copied(), "amountCents");
        (!paid.is_empty())
            .then(|| json!({ "method": method, "count": paid.len(), "amountCents": cents }))
    });
    json!({
        "sales": of("sale"),
        "refunds": of("refund"),
        "discountCents": sum(counted.iter().copied(), "discountCents"),
        "netCents": sum(counted.iter().copied(), "totalCents"),
        "vat": vat.collect::<Vec<_>>(),
        "payments": methods.collect::<Vec<_>>(),
    })
}

fn merge(into: &mut Value, more: Value) {
    let (Value::Object(into), Value::Object(more)) = (into, more) else {
        panic!("only objects are merged");
    };
    into.extend(more);
}

fn without_null(mut body: Value) -> Value {
    body.as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    body
}
