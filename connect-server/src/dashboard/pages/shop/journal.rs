//! The journal of a location: receipts and Z reports, newest first.

use connect_core::{
    Error, UserRight,
    wire::{
        Id, Transaction, TransactionType, ZReport,
        query::{Moment, Period, TransactionQuery, ZReportQuery},
    },
};
use maud::{Markup, html};

use super::{AT, PageLocation, means, next, nothing, nowhere, page, paging, pairs, vat};
use crate::dashboard::{Answer, components, page_request::SignedIn};

const PATH: &str = "/dashboard/journal";

/// Shows the receipts of a day, or all of them.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, "Journal"));
    };
    let date = to.query.get("date");
    let day: Option<Moment> = date.parse().ok().map(Moment::Day);
    let query = TransactionQuery {
        paging: paging(to),
        period: Period { from: day, to: day },
        ..TransactionQuery::default()
    };
    let rows = shop.records.transactions().newest_first();
    let found = rows.list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for="date" { "Day" }
            input id="date" name="date" type="date" value=(date);
            button.quiet { "Show" }
            a href=(shop.at("/dashboard/journal/z-reports")) { "Z reports" }
        }
        @if found.data.is_empty() {
            @let text = if date.is_empty() { "Nothing was sold yet." } else { "Nothing was sold on this day." };
            (nothing(to, next_cursor, text))
        } @else { (table(&shop, &found.data)) }
        (next(&shop, PATH, &[("date", date)], next_cursor))
    };
    Ok(page(to, &shop, PATH, "Journal", content))
}

/// Shows rows. Narrow screens omit details found on each receipt's page.
fn table(shop: &PageLocation, rows: &[Transaction]) -> Markup {
    let head = html! {
        th.number { "Receipt" } th { "Time" } th { "What" } th.detail { "Register" } th.detail { "Employee" }
        th.number { "Total" }
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
    components::table("Receipts", head, rows)
}

fn words(kind: &TransactionType) -> &str {
    match kind {
        TransactionType::Sale => "Sale",
        TransactionType::Refund => "Refund",
        TransactionType::OpeningFloat => "Opening float",
        TransactionType::CashIn => "Cash in",
        TransactionType::CashOut => "Cash out",
        other => other.as_str(),
    }
}

/// Shows one receipt.
pub(crate) async fn one(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Transaction> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, "Journal"));
    };
    let row = shop.records.transactions().get(id).await?;
    let title = format!("{} {}", words(&row.kind), row.receipt_number);
    let content = html! {
        dl.facts {
            dt { "Time" } dd { (components::time(row.created_at)) }
            dt { "Register" } dd { (row.register.name) }
            @if let Some(employee) = &row.employee { dt { "Employee" } dd { (employee) } }
            @if let Some(sale) = row.refund_of {
                dt { "Refund of" }
                dd { a href=(shop.at(&format!("{PATH}/{sale}"))) { "the sale" } }
            }
            @if let Some(note) = &row.note { dt { "Note" } dd { (note) } }
            dt { "Total" } dd { (shop.money(row.total_cents)) }
        }
        @if !row.lines.is_empty() { (lines(&shop, &row.lines)) }
        div.columns {
            div {
                h2 { "Payments" }
                (pairs(row.payments.iter().map(|payment| {
                    (means(&payment.method), shop.money(payment.amount_cents))
                })))
            }
            div { (vat(&shop, &row.vat)) }
        }
        p { a href=(shop.at(PATH)) { "Back to the journal" } }
    };
    Ok(page(to, &shop, PATH, &title, content))
}

/// The articles of a receipt.
fn lines(shop: &PageLocation, lines: &[connect_core::wire::Line]) -> Markup {
    let head = html! {
        th.number { "Quantity" } th { "Article" } th.number { "Price" } th.number { "Total" }
    };
    let rows = html! {
        @for line in lines {
            tr {
                td.number { (line.quantity) }
                td {
                    (line.name)
                    @for option in &line.options { br; span.hint { (option.name) } }
                }
                td.number { (shop.money(line.unit_price_cents)) }
                td.number { (shop.money(line.total_cents)) }
            }
        }
    };
    components::table("Articles", head, rows)
}

/// Shows the Z reports.
pub(crate) async fn z_reports(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, "Z reports"));
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
            (nothing(to, next_cursor, "No register was closed yet."))
        } @else { (closings(&shop, &found.data)) }
        (next(&shop, "/dashboard/journal/z-reports", &[], next_cursor))
        p { a href=(shop.at(PATH)) { "Back to the journal" } }
    };
    Ok(page(to, &shop, PATH, "Z reports", content))
}

fn closings(shop: &PageLocation, reports: &[ZReport]) -> Markup {
    let head = html! {
        th.number { "Number" } th { "Register" } th { "Closed" } th.number { "Sales" }
        th.number { "Net" } th.number { "Cash expected" } th.number { "Counted" }
        th.number { "Difference" }
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
    components::table("Z reports", head, rows)
}
