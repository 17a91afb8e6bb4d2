//! The journal of a location: receipts and Z reports, newest first.

use std::borrow::Cow;

use connect_core::{
    Error, UserRight, local_time,
    wire::{
        Id, Transaction, TransactionType, ZReport,
        query::{TransactionQuery, ZReportQuery},
    },
};
use maud::{Markup, html};

use super::{
    PageLocation, means, next, nothing, nowhere, page, page_of_period, paging, pairs, vat,
};
use crate::dashboard::{
    Answer, components,
    messages::numbers,
    page_request::SignedIn,
    period::{self, Period},
};

const PATH: &str = "/dashboard/journal";

/// Shows the receipts of a day, or all of them.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, &text!("section-journal")));
    };
    let period = Period::of(&to.query, local_time(to.connect.now()).date());
    let query = TransactionQuery {
        paging: paging(to),
        period: period.map(Period::range).unwrap_or_default(),
        ..TransactionQuery::default()
    };
    let rows = shop.records.transactions().newest_first();
    let found = rows.list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        p.toolbar { a href=(shop.at("/dashboard/journal/z-reports")) { (text!("journal-z-reports")) } }
        @if found.data.is_empty() {
            @let text = match period {
                None => text!("journal-nothing-sold"),
                Some(_) => text!("journal-nothing-sold-then"),
            };
            (nothing(to, next_cursor, &text))
        } @else { (table(&shop, &found.data)) }
        (next(&shop, PATH, &period::filters(to), next_cursor))
    };
    let title = text!("section-journal");
    Ok(page_of_period(
        to,
        &shop,
        PATH,
        &title,
        period,
        &[],
        content,
    ))
}

/// Shows rows. Narrow screens omit details found on each receipt's page.
fn table(shop: &PageLocation, rows: &[Transaction]) -> Markup {
    let head = html! {
        th.number { (text!("journal-receipt")) } th { (text!("word-time")) }
        th { (text!("word-what")) } th.detail { (text!("word-register")) }
        th.detail { (text!("word-employee")) } th.number { (text!("word-total")) }
    };
    let rows = html! {
        @for row in rows {
            tr {
                td.number { a href=(shop.at(&format!("{PATH}/{}", row.id))) { (row.receipt_number) } }
                td { (components::time(row.created_at)) }
                td { (words(&row.kind)) }
                td.detail { (row.register.name) }
                td.detail { @if let Some(employee) = &row.employee { (employee) } }
                td.number { (shop.money(row.total_cents)) }
            }
        }
    };
    components::table(&text!("word-receipts"), head, rows)
}

fn words(kind: &TransactionType) -> Cow<'_, str> {
    match kind {
        TransactionType::Sale => text!("journal-sale"),
        TransactionType::Refund => text!("journal-refund"),
        TransactionType::OpeningFloat => text!("journal-opening-float"),
        TransactionType::CashIn => text!("journal-cash-in"),
        TransactionType::CashOut => text!("journal-cash-out"),
        other => other.as_str().into(),
    }
}

/// Shows one receipt.
pub(crate) async fn one(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Transaction> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, &text!("section-journal")));
    };
    let row = shop.records.transactions().get(id).await?;
    let number = row.receipt_number.to_string();
    let title = text!(
        "journal-receipt-title",
        kind = words(&row.kind),
        number = number
    );
    let content = html! {
        dl.facts {
            dt { (text!("word-time")) } dd { (components::time(row.created_at)) }
            dt { (text!("word-register")) } dd { (row.register.name) }
            @if let Some(employee) = &row.employee {
                dt { (text!("word-employee")) } dd { (employee) }
            }
            @if let Some(sale) = row.refund_of {
                dt { (text!("journal-refund-of")) }
                dd { a href=(shop.at(&format!("{PATH}/{sale}"))) { (text!("journal-the-sale")) } }
            }
            @if let Some(note) = &row.note { dt { (text!("word-note")) } dd { (note) } }
            dt { (text!("word-total")) } dd { (shop.money(row.total_cents)) }
        }
        @if !row.lines.is_empty() { (lines(&shop, &row.lines)) }
        div.columns {
            div {
                h2 { (text!("shop-payments")) }
                (pairs(row.payments.iter().map(|payment| {
                    (means(&payment.method), shop.money(payment.amount_cents))
                })))
            }
            div { (vat(&shop, &row.vat)) }
        }
        p { a href=(shop.at(PATH)) { (text!("journal-back")) } }
    };
    Ok(page(to, &shop, PATH, &title, content))
}

/// The articles of a receipt.
fn lines(shop: &PageLocation, lines: &[connect_core::wire::Line]) -> Markup {
    let head = html! {
        th.number { (text!("word-quantity")) } th { (text!("word-product")) }
        th.number { (text!("word-price")) } th.number { (text!("word-total")) }
    };
    let rows = html! {
        @for line in lines {
            tr {
                td.number { (numbers::quantity(line.quantity)) }
                td {
                    (line.name)
                    @for option in &line.options { br; span.hint { (option.name) } }
                }
                td.number { (shop.money(line.unit_price_cents)) }
                td.number { (shop.money(line.total_cents)) }
            }
        }
    };
    components::table(&text!("section-products"), head, rows)
}

/// Shows the Z reports.
pub(crate) async fn z_reports(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, &text!("journal-z-reports")));
    };
    let query = ZReportQuery {
        paging: paging(to),
        ..ZReportQuery::default()
    };
    let reports = shop.records.z_reports().newest_first();
    let found = reports.list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("journal-no-closing")))
        } @else { (closings(&shop, &found.data)) }
        (next(&shop, "/dashboard/journal/z-reports", &[], next_cursor))
        p { a href=(shop.at(PATH)) { (text!("journal-back")) } }
    };
    Ok(page(to, &shop, PATH, &text!("journal-z-reports"), content))
}

fn closings(shop: &PageLocation, reports: &[ZReport]) -> Markup {
    let head = html! {
        th.number { (text!("shop-number")) } th { (text!("word-register")) }
        th { (text!("journal-closed")) } th.number { (text!("shop-sales")) }
        th.number { (text!("word-turnover")) } th.number { (text!("journal-cash-expected")) }
        th.number { (text!("shop-counted")) } th.number { (text!("journal-difference")) }
    };
    let rows = html! {
        @for report in reports {
            tr {
                td.number { (report.number) }
                td { (report.register.name) }
                td { (components::time(report.closed_at)) }
                td.number { (report.totals.sales.count) }
                td.number { (shop.money(report.totals.net_cents)) }
                td.number { (shop.money(report.cash.expected_cents)) }
                td.number {
                    @if let Some(counted) = report.cash.counted_cents { (shop.money(counted)) }
                }
                td.number {
                    @if let Some(cents) = report.cash.difference_cents { (shop.money(cents)) }
                }
            }
        }
    };
    components::table(&text!("journal-z-reports"), head, rows)
}
