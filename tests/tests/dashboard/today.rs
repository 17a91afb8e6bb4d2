//! The first page adds up: each of its numbers is that of the journal.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use connect_core::{
    environment::{Clock as _, SystemClock},
    local_time,
    wire::Transaction,
};
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

/// Compares the chart below a heading with amounts. Those of refunds are on the other side of zero.
#[track_caller]
fn assert_drawn(page: &str, heading: &str, amounts: &[i64]) {
    let (_, rest) = page.split_once(&format!("<h2>{heading}</h2>")).unwrap();
    let chart = rest.split("</svg>").next().unwrap();
    let drawn = between(chart, "<title>", "</title>").into_iter();
    let drawn: Vec<i64> = drawn
        .map(|bar| number(bar.rsplit(": ").next().unwrap()))
        .collect();
    assert_eq!(drawn, amounts, "{heading}");
    let written = between(chart, "<text class=\"number\"", "</text>").into_iter();
    let written: Vec<i64> = written
        .map(|text| number(text.split('>').nth(1).unwrap()))
        .collect();
    assert_eq!(written, amounts, "{heading}");
    let refunds = amounts.iter().filter(|cents| **cents < 0).count();
    let below = chart.matches("<rect class=\"below\"").count();
    assert_eq!(below, refunds, "{heading}: {chart}");
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
    for days_ago in [1, 2, 7, 8, 9, 15, 33, 40, 70] {
        simulate(&server, &format!("days?daysAgo={days_ago}")).await;
    }
    // Today there is a refund alone.
    simulate(&server, "refunds").await;
    let rows = journal(&server).await;
    let last = local_time(rows.iter().map(|row| row.created_at).max().unwrap());
    let today = last.date();
    let day = today.checked_sub_days(Days::new(7)).unwrap();
    let monday = day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()));
    let monday = monday.unwrap();
    let (month, year) = (day.with_day(1).unwrap(), day.with_ordinal(1).unwrap());
    let end = |first: NaiveDate, months| first.checked_add_months(Months::new(months)).unwrap();
    for (unit, date, first, end) in [
        ("day", today, today, today.succ_opt().unwrap()),
        ("day", day, day, day.succ_opt().unwrap()),
        (
            "week",
            day,
            monday,
            monday.checked_add_days(Days::new(7)).unwrap(),
        ),
        ("month", day, month, end(month, 1)),
        ("year", day, year, end(year, 12)),
    ] {
        let page = owner
            .read(&format!("/dashboard?period={unit}&date={date}"))
            .await;
        let expected = naive(&rows, |day| (first..end).contains(&day));
        assert!(expected.turnover != 0, "{unit}");
        assert_eq!(shown(&page), expected, "{unit}");
        assert_drawn(&page, "Payments", &expected.payments);
        assert_drawn(&page, "VAT", &expected.vat);
        // The table behind the chart has the same turnover, in its parts.
        let cells = table(&page, "Turnover");
        let parts: i64 = cells.iter().step_by(2).sum();
        assert_eq!(parts, expected.turnover, "{unit}: {cells:?}");
    }
    // The day a week before is drawn to its end, and compared up to the same time.
    let mut clock = vec![local_time(SystemClock.now())];
    let page = owner.read("/dashboard?period=day").await;
    clock.push(local_time(SystemClock.now()));
    let hours = table(&page, "Turnover");
    let whole: i64 = hours.iter().skip(1).step_by(2).sum();
    assert_eq!(whole, naive(&rows, |other| other == day).turnover);
    let so_far = between(&page, "Same time a week before: ", "</dd>")[0];
    let until = clock.iter().map(|now| {
        let earlier = rows.iter().filter(|row| {
            let at = local_time(row.created_at);
            at.date() == day && at.time() < now.time()
        });
        let earlier: Vec<_> = earlier.cloned().collect();
        naive(&earlier, |_| true).turnover
    });
    let until: Vec<i64> = until.collect();
    // Midnight may have come on the way.
    if clock.iter().all(|now| now.date() == today) {
        assert!(until.contains(&number(so_far)), "{so_far} {until:?}");
    }
    server.kill().await;
}
