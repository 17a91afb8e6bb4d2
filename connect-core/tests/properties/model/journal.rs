//! The journal: a list of rows, summed up anew each time.

use connect_core::wire::Timestamp;
use serde_json::{Value, json};

use super::{Kind, Model, No, decimal, time_text};
use crate::properties::input::{Edge, Look};

/// The seconds of the clock's changes, forward and back.
const SUMMER: std::ops::Range<i64> = 1_774_746_000..1_792_890_000;

/// The number of a second's day in Amsterdam in 2026.
fn day_of(second: i64) -> i64 {
    let hours = if SUMMER.contains(&second) { 2 } else { 1 };
    (second + hours * 3600).div_euclid(86_400)
}

fn sum<'r>(rows: impl IntoIterator<Item = &'r Value>, field: &str) -> i64 {
    rows.into_iter()
        .map(|row| row[field].as_i64().unwrap())
        .sum()
}

fn list<'r>(row: &'r Value, field: &str) -> &'r [Value] {
    row[field].as_array().map_or(&[], |list| list)
}

/// The VAT of lines, by rate.
pub(crate) fn vat_of(lines: &[Value]) -> Vec<Value> {
    let of = |hundredths: i64| {
        let rate = decimal(hundredths, 100);
        let of_rate = lines.iter().filter(|line| line["vatRate"] == rate);
        let gross = sum(of_rate.clone(), "totalCents");
        // A half goes away from zero.
        let vat = (gross * hundredths) as f64 / (10_000 + hundredths) as f64;
        let vat = vat.round() as i64;
        (of_rate.count() > 0).then(|| {
            json!({ "vatRate": rate, "netCents": gross - vat, "vatCents": vat, "grossCents": gross })
        })
    };
    [0, 550, 900, 2100].into_iter().filter_map(of).collect()
}

impl Model {
    pub(super) fn write_row(&mut self, register: usize, body: &Value) -> Result<Value, No> {
        let invalid = |field: &str| Err(No::of("validation_failed", field));
        let (total, kind) = (body["totalCents"].as_i64().unwrap(), &body["type"]);
        let is_goods = kind == "sale" || kind == "refund";
        let expected = match is_goods {
            true => sum(list(body, "lines"), "totalCents"),
            false => sum(list(body, "payments"), "amountCents"),
        };
        if total != expected || (kind == "cash_out" && total >= 0) {
            return invalid("");
        }
        let created_at = match &body["createdAt"] {
            Value::Null => json!(time_text(self.now)),
            time => time.clone(),
        };
        if micros(&created_at) > self.now + 24 * 3_600_000_000 {
            return invalid("createdAt");
        }
        if let Some(of) = body.get("refundOf") {
            let at = self.place(Kind::Receipt, "id", of);
            if at.is_none_or(|at| self.rows(Kind::Receipt)[at]["type"] != "sale") {
                return invalid("refundOf");
            }
        }
        // A line with a code alone has the product with this code.
        let mut lines = list(body, "lines").to_vec();
        for line in &mut lines {
            let at = self.place(Kind::Product, "externalId", &line["externalId"]);
            if let Some(at) = at.filter(|_| line["productId"].is_null()) {
                line["productId"] = self.rows(Kind::Product)[at]["id"].clone();
            }
        }
        let row = json!({
            "id": self.next_id(),
            "receiptNumber": self.rows(Kind::Receipt).len() + 1,
            "type": kind,
            "register": self.registers[register - 1],
            "employee": null,
            "currency": "EUR",
            "totalCents": total,
            "discountCents": sum(&lines, "discountCents"),
            "vat": vat_of(&lines),
            "lines": lines,
            "payments": body["payments"],
            "refundOf": body["refundOf"],
            "orderId": null,
            "note": null,
            "createdAt": created_at,
        });
        self.rows_mut(Kind::Receipt).push(row.clone());
        self.tell("pos.transaction.created", row.clone());
        self.sell(&row)?;
        Ok(row)
    }

    /// Closes a register: a report on all its rows since its closing before.
    pub(super) fn close(&mut self, register: usize, body: &Value) -> Result<Value, No> {
        let register = self.registers[register - 1].clone();
        let reports = self.rows(Kind::Report).iter();
        let earlier: Vec<&Value> = reports.filter(|it| it["register"] == register).collect();
        let reported = earlier
            .iter()
            .filter_map(|it| it["lastReceiptNumber"].as_u64())
            .max();
        let rows: Vec<&Value> = (self.rows(Kind::Receipt).iter())
            .filter(|row| row["register"] == register)
            .filter(|row| row["receiptNumber"].as_u64() > reported)
            .collect();
        let cash = |kind: &str| {
            let rows = rows.iter().filter(|row| row["type"] == kind);
            let paid = rows.flat_map(|row| list(row, "payments"));
            sum(paid.filter(|paid| paid["method"] == "cash"), "amountCents")
        };
        let kinds = ["opening_float", "sale", "refund", "cash_in", "cash_out"];
        let expected: i64 = kinds.map(cash).iter().sum();
        let closed_at = self.time();
        let earliest = rows
            .iter()
            .map(|row| &row["createdAt"])
            .min_by_key(|time| micros(time));
        let opened_at = earliest.or(earlier.last().map(|before| &before["closedAt"]));
        // The clock of a register may be ahead.
        let opened_at = opened_at.filter(|time| micros(time) < self.time);
        let mut report = sums(&rows);
        let own = json!({
            "number": earlier.len() + 1,
            "register": register,
            "currency": "EUR",
            "openedAt": opened_at.unwrap_or(&closed_at),
            "closedAt": closed_at,
            "firstReceiptNumber": rows.first().map(|row| &row["receiptNumber"]),
            "lastReceiptNumber": rows.last().map(|row| &row["receiptNumber"]),
            "cash": {
                "openingFloatCents": cash("opening_float"),
                "salesCents": cash("sale"),
                "refundsCents": cash("refund"),
                "inCents": cash("cash_in"),
                "outCents": cash("cash_out"),
                "expectedCents": expected,
                "countedCents": body["countedCents"],
                "differenceCents": body["countedCents"].as_i64().map(|counted| counted - expected),
            },
        });
        report.extend(own.as_object().unwrap().clone());
        report.insert("id".to_owned(), self.next_id());
        let report = Value::Object(report);
        self.rows_mut(Kind::Report).push(report.clone());
        self.tell("pos.zreport.created", report.clone());
        Ok(report)
    }

    /// The days with rows, and their neighbours.
    pub(crate) fn days(&self) -> std::collections::BTreeSet<i64> {
        let days = self
            .rows(Kind::Receipt)
            .iter()
            .map(|row| day_of(second(row)));
        days.flat_map(|day| [day - 1, day, day + 1]).collect()
    }

    /// The summary of a day, given by its number.
    pub(crate) fn summary(&self, day: i64, date: &str) -> Value {
        let rows = self.rows(Kind::Receipt).iter();
        let rows: Vec<&Value> = rows.filter(|row| day_of(second(row)) == day).collect();
        let mut summary = sums(&rows);
        let own = json!({
            "date": date,
            "timeZone": "Europe/Amsterdam",
            "currency": "EUR",
            "lastReceiptNumber": rows.last().map(|row| &row["receiptNumber"]),
        });
        summary.extend(own.as_object().unwrap().clone());
        summary.into()
    }

    /// The rows of a look; `None` when it has to be refused.
    pub(crate) fn look(&self, look: &Look) -> Option<Vec<Value>> {
        // A day ends with the second before the first that is of a later one.
        let first_of = |day: i64| {
            let mut hours = (day - 86_400..).step_by(3600);
            hours
                .find(|second| day_of(*second) == day.div_euclid(86_400))
                .unwrap()
        };
        let edge = |edge, days: i64| match edge {
            Edge::Day(day) => first_of(day + days * 86_400),
            Edge::At(second) => second,
        };
        let (from, to) = (
            look.from.map(|it| edge(it, 0)),
            look.to.map(|it| edge(it, 1)),
        );
        if let (Some(from), Some(to)) = (from, to)
            && (from > to || (from == to && matches!(look.to, Some(Edge::Day(_)))))
        {
            return None;
        }
        let since = self.since(look);
        let shown = self.rows(Kind::Receipt).iter().filter(|row| {
            from.is_none_or(|from| second(row) >= from)
                && to.is_none_or(|to| second(row) < to)
                && look.kind.is_none_or(|kind| row["type"] == kind)
                && since.is_none_or(|since| row["receiptNumber"].as_u64().unwrap() > since)
        });
        Some(shown.cloned().collect())
    }

    /// The receipt number before a look's beginning.
    pub(crate) fn since(&self, look: &Look) -> Option<u64> {
        look.since
            .map(|rank| rank * self.rows(Kind::Receipt).len() as u64 / 100)
    }
}

fn micros(time: &Value) -> i64 {
    let time: Timestamp = time.as_str().unwrap().parse().unwrap();
    time.micros()
}

fn second(row: &Value) -> i64 {
    micros(&row["createdAt"]).div_euclid(1_000_000)
}

/// The sums of sales and refunds.
fn sums(rows: &[&Value]) -> serde_json::Map<String, Value> {
    let of = |kind: &str| {
        let rows = rows.iter().copied().filter(|row| row["type"] == kind);
        json!({ "count": rows.clone().count(), "totalCents": sum(rows, "totalCents") })
    };
    let is_goods = |row: &&&Value| row["type"] == "sale" || row["type"] == "refund";
    let goods: Vec<&Value> = rows.iter().filter(is_goods).copied().collect();
    let parts = |field: &str, sign: &str, value: &Value| -> Vec<&Value> {
        let all = goods.iter().flat_map(|row| list(row, field));
        all.filter(|part| part[sign] == *value).collect()
    };
    let vat = [0, 550, 900, 2100].into_iter().filter_map(|rate| {
        let rate = decimal(rate, 100);
        let of_rate = parts("vat", "vatRate", &rate);
        let sum = |field| sum(of_rate.iter().copied(), field);
        (!of_rate.is_empty()).then(|| {
            json!({ "vatRate": rate, "netCents": sum("netCents"), "vatCents": sum("vatCents"),
                    "grossCents": sum("grossCents") })
        })
    });
    let methods = ["cash", "card"].into_iter().filter_map(|method| {
        let paid = parts("payments", "method", &json!(method));
        let cents = sum(paid.iter().copied(), "amountCents");
        (!paid.is_empty())
            .then(|| json!({ "method": method, "count": paid.len(), "amountCents": cents }))
    });
    let sums = json!({
        "sales": of("sale"),
        "refunds": of("refund"),
        "discountCents": sum(goods.iter().copied(), "discountCents"),
        "netCents": sum(goods.iter().copied(), "totalCents"),
        "vat": vat.collect::<Vec<_>>(),
        "payments": methods.collect::<Vec<_>>(),
    });
    sums.as_object().unwrap().clone()
}
