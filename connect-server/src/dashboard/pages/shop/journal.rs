//! The journal of a location: receipts and Z reports, newest first.

use std::borrow::Cow;

use connect_core::{
    Error, UserRight, local_time,
    wire::{
        Id, Line, Transaction, TransactionType, ZReport,
        query::{Paging, TransactionQuery, ZReportQuery},
    },
};
use maud::{Markup, html};

use super::{PageLocation, means, next, nothing, nowhere, page, page_of_period, pairs, vat};
use crate::dashboard::{
    Answer, components,
    messages::numbers,
    page_request::SignedIn,
    period::{self, Period},
    table::{self, Cell, Column, Table},
};

const PATH: &str = "/dashboard/journal";
const Z_REPORTS: &str = "/dashboard/journal/z-reports";

/// Shows the receipts of a day, or all of them.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, &text!("section-journal")));
    };
    let period = Period::of(&to.query, local_time(to.connect.now()).date());
    let range = period.map(Period::range).unwrap_or_default();
    let rows = &shop.records.transactions().newest_first();
    let found = table::rows(to, |cursor| async move {
        let query = TransactionQuery {
            paging: Paging {
                cursor,
                limit: table::limit(to),
            },
            period: range,
            ..TransactionQuery::default()
        };
        rows.list(&query).await
    });
    let found = found.await?;
    let table = receipts(to, &shop, &found.data);
    if table::is_file(to) {
        return Ok(table.file(to, "receipts").await);
    }
    let next_cursor = found.next_cursor.as_deref();
    let table = table.part(table::is_part(to, next_cursor));
    let content = html! {
        p.toolbar { a href=(shop.at(Z_REPORTS)) { (text!("journal-z-reports")) } }
        @if found.data.is_empty() {
            @let text = match period {
                None => text!("journal-nothing-sold"),
                Some(_) => text!("journal-nothing-sold-then"),
            };
            (nothing(to, next_cursor, &text))
        } @else { (table.render(to)) }
        @let [unit, date] = period::filters(to);
        (next(&shop, PATH, &[unit, date, table::order(to)], next_cursor))
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

/// The table of receipts.
/// Narrow screens omit details found on each receipt's page.
fn receipts(to: &SignedIn<'_>, shop: &PageLocation, rows: &[Transaction]) -> Table {
    let columns = [
        Column::number("number", text!("journal-receipt")),
        Column::text("time", text!("word-time")),
        Column::text("what", text!("word-what")),
        Column::text("register", text!("word-register")).detail(),
        Column::text("employee", text!("word-employee")).detail(),
        Column::number("total", text!("word-total")),
    ];
    let mut table = Table::new(PATH, text!("word-receipts"), columns).for_file(table::is_file(to));
    for row in rows {
        let page = shop.at(&format!("{PATH}/{}", row.id));
        let number = html! { a href=(page) { (row.receipt_number) } };
        table.add([
            Cell::number(row.receipt_number, number),
            Cell::time(row.created_at),
            Cell::text(words(&row.kind)),
            Cell::text(&*row.register.name),
            Cell::text(row.employee.as_deref().unwrap_or_default()),
            Cell::amount(row.total_cents, shop.money(row.total_cents)),
        ]);
    }
    table
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
fn lines(shop: &PageLocation, lines: &[Line]) -> Markup {
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
    let reports = &shop.records.z_reports().newest_first();
    let found = table::rows(to, |cursor| async move {
        let query = ZReportQuery {
            paging: Paging {
                cursor,
                limit: table::limit(to),
            },
            ..ZReportQuery::default()
        };
        reports.list(&query).await
    });
    let found = found.await?;
    let table = closings(to, &shop, &found.data);
    if table::is_file(to) {
        return Ok(table.file(to, "z-reports").await);
    }
    let next_cursor = found.next_cursor.as_deref();
    let table = table.part(table::is_part(to, next_cursor));
    let content = html! {
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("journal-no-closing")))
        } @else { (table.render(to)) }
        (next(&shop, Z_REPORTS, &[table::order(to)], next_cursor))
        p { a href=(shop.at(PATH)) { (text!("journal-back")) } }
    };
    Ok(page(to, &shop, PATH, &text!("journal-z-reports"), content))
}

fn closings(to: &SignedIn<'_>, shop: &PageLocation, reports: &[ZReport]) -> Table {
    let columns = [
        Column::number("number", text!("shop-number")),
        Column::text("register", text!("word-register")),
        Column::text("time", text!("journal-closed")),
        Column::number("sales", text!("shop-sales")),
        Column::number("turnover", text!("word-turnover")),
        Column::number("expected", text!("journal-cash-expected")),
        Column::number("counted", text!("shop-counted")),
        Column::number("difference", text!("journal-difference")),
    ];
    let amount = |cents: i64| Cell::amount(cents, shop.money(cents));
    let mut table =
        Table::new(Z_REPORTS, text!("journal-z-reports"), columns).for_file(table::is_file(to));
    for report in reports {
        table.add([
            Cell::number(report.number, report.number),
            Cell::text(&*report.register.name),
            Cell::time(report.closed_at),
            Cell::number(report.totals.sales.count, report.totals.sales.count),
            amount(report.totals.net_cents),
            amount(report.cash.expected_cents),
            report.cash.counted_cents.map_or_else(Cell::empty, amount),
            report
                .cash
                .difference_cents
                .map_or_else(Cell::empty, amount),
        ]);
    }
    table
}
