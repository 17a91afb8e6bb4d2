//! The first page adds up: each of its numbers is that of the journal.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use connect_core::{local_time, wire::Transaction};
use connect_tests::{http::Request, process::Process};
use http::Method;
use serde_json::Value;

use super::{
    demo,
    lists::{between, simulate},
};

/// Reads the whole journal of the first location through the API.
async fn journal(server: &Process) -> Vec<Transaction> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = server.at(&format!("transactions?limit=200{cursor}"));
        let answer = server
            .send(&server.token(), Request::new(Method::GET, path))
            .await;
        let page: Value = serde_json::from_slice(&answer.body).unwrap();
        rows.extend(serde_json::from_value::<Vec<Transaction>>(page["data"].clone()).unwrap());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return rows,
        }
    }
}

/// The naive sums of a period.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    turnover: i64,
    receipts: i64,
    refunds: i64,
    average: i64,
    /// By means of payment and by VAT rate, without names.
    payments: Vec<i64>,
    vat: Vec<i64>,
}

fn naive(rows: &[Transaction], is_in: impl Fn(NaiveDate) -> bool) -> Sums {
    let mut sums = Sums::default();
    let (mut payments, mut vat) = (BTreeMap::new(), BTreeMap::new());
    let mut sold = 0;
    for row in rows {
        if !is_in(local_time(row.created_at).date()) {
            continue;
        }
        match row.kind.as_str() {
            "sale" => {
                sums.receipts += 1;
                sold += row.total_cents;
            }
            "refund" => sums.refunds += row.total_cents,
            _ => continue,
        }
        sums.turnover += row.total_cents;
        for payment in &row.payments {
            *payments.entry(payment.method.clone()).or_default() += payment.amount_cents;
        }
        for amount in &row.vat {
            *vat.entry(amount.vat_rate).or_default() += amount.vat_cents;
        }
    }
    sums.average = sold / sums.receipts.max(1);
    sums.payments = payments.into_values().collect();
    sums.vat = vat.into_values().collect();
    sums
}

/// Reads an amount such as `−€1,234.50` in cents, or a number.
fn number(text: &str) -> i64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().unwrap();
    if text.starts_with('\u{2212}') {
        -number
    } else {
        number
    }
}

/// The numbers of the table below a heading.
fn table(page: &str, heading: &str) -> Vec<i64> {
    let Some((_, rest)) = page.split_once(&format!("<h2>{heading}</h2>")) else {
        return Vec::new();
    };
    let rows = rest.split("</table>").next().unwrap();
    between(rows, "<td class=\"number\">", "</td>")
        .into_iter()
        .map(number)
        .collect()
}

fn shown(page: &str) -> Sums {
    let figure = |name: &str| {
        let (_, rest) = page.split_once(&format!("<dt>{name}</dt><dd>")).unwrap();
        number(rest.split("</dd>").next().unwrap())
    };
    Sums {
        turnover: figure("Turnover"),
        receipts: figure("Receipts"),
        refunds: figure("Refunds"),
        average: figure("Average receipt"),
        payments: table(page, "Payments"),
        vat: table(page, "VAT"),
    }
}

#[tokio::test]
async fn every_number_of_a_period_is_that_of_the_journal() {
    let (server, mut owner) = demo().await;
    for days_ago in [1, 2, 8, 9, 15, 33, 40, 70] {
        simulate(&server, &format!("days?daysAgo={days_ago}")).await;
    }
    let rows = journal(&server).await;
    let day = local_time(rows.iter().map(|row| row.created_at).max().unwrap()).date();
    let day = day.checked_sub_days(Days::new(7)).unwrap();
    let monday = day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()));
    let monday = monday.unwrap();
    let (month, year) = (day.with_day(1).unwrap(), day.with_ordinal(1).unwrap());
    let end = |first: NaiveDate, months| first.checked_add_months(Months::new(months)).unwrap();
    for (unit, first, end) in [
        ("day", day, day.succ_opt().unwrap()),
        (
            "week",
            monday,
            monday.checked_add_days(Days::new(7)).unwrap(),
        ),
        ("month", month, end(month, 1)),
        ("year", year, end(year, 12)),
    ] {
        let page = owner
            .read(&format!("/dashboard?period={unit}&date={day}"))
            .await;
        let expected = naive(&rows, |day| (first..end).contains(&day));
        assert!(expected.turnover != 0, "{unit}");
        assert_eq!(shown(&page), expected, "{unit}");
        // The table behind the chart has the same turnover, in its parts.
        let cells = table(&page, "Turnover");
        let parts: i64 = cells.iter().step_by(2).sum();
        assert_eq!(parts, expected.turnover, "{unit}: {cells:?}");
    }
    server.kill().await;
}
