//! The orders of a location, the newest first.

use connect_core::{
    Error, UserRight,
    wire::{
        Order, OrderSource, OrderStatus,
        query::{Moment, OrderQuery},
    },
};
use maud::{Markup, html};

use super::{AT, PageLocation, next, nothing, nowhere, page, sync};
use crate::dashboard::{Answer, components, page_request::SignedIn};

const PATH: &str = "/dashboard/orders";

/// Shows the orders, optionally of one day or in one state.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, "Orders"));
    };
    let (date, status) = (to.query.get("date"), to.query.get("status"));
    let day: Option<Moment> = date.parse().ok().map(Moment::Day);
    let is_chosen = |known: &&OrderStatus| known.as_str() == status;
    let query = OrderQuery {
        sync: sync(to),
        from: day,
        to: day,
        status: OrderStatus::KNOWN.iter().find(is_chosen).cloned(),
        ..OrderQuery::default()
    };
    let found = shop.records.orders().newest_first().list(&query).await?;
    let next_cursor = found.next_cursor.as_deref();
    let content = html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for="date" { "Day" }
            input id="date" name="date" type="date" value=(date);
            label for="status" { "State" }
            select id="status" name="status" {
                option value="" { "Any" }
                @for known in OrderStatus::KNOWN {
                    option value=(known) selected[known.as_str() == status] { (words(known)) }
                }
            }
            button.quiet { "Show" }
        }
        @if found.data.is_empty() {
            (nothing(to, next_cursor, "No order matches. Kiosks and Scan & Order pages make them."))
        } @else { (table(&shop, &found.data)) }
        (next(&shop, PATH, &[("date", date), ("status", status)], next_cursor))
    };
    Ok(page(to, &shop, PATH, "Orders", content))
}

fn table(shop: &PageLocation, orders: &[Order]) -> Markup {
    let head = html! {
        th.number { "Number" } th { "Time" } th { "From" } th { "State" } th { "For" } th { "What" }
        th.number { "Total" }
    };
    let rows = html! {
        @for order in orders {
            tr {
                td.number { (order.number) }
                td { (components::time(order.created_at)) }
                td { (source(&order.source)) }
                td { span.tag { (words(&order.status)) } }
                td { (for_whom(order)) }
                td { (what(order)) }
                td.number { (shop.money(order.total_cents)) }
            }
        }
    };
    components::table("Orders", head, rows)
}

fn for_whom(order: &Order) -> String {
    let both = [order.customer_name.as_deref(), order.table_label.as_deref()];
    let both: Vec<&str> = both.into_iter().flatten().collect();
    both.join(", ")
}

fn what(order: &Order) -> String {
    let lines = order
        .lines
        .iter()
        .map(|line| format!("{} × {}", line.quantity, line.name));
    lines.collect::<Vec<_>>().join(", ")
}

fn source(source: &OrderSource) -> &str {
    match source {
        OrderSource::Kiosk => "Kiosk",
        OrderSource::ScanAndOrder => "Scan & Order",
        other => other.as_str(),
    }
}

fn words(status: &OrderStatus) -> &str {
    match status {
        OrderStatus::New => "New",
        OrderStatus::Accepted => "Accepted",
        OrderStatus::Preparing => "In preparation",
        OrderStatus::Ready => "Ready",
        OrderStatus::Completed => "Completed",
        OrderStatus::Cancelled => "Cancelled",
        other => other.as_str(),
    }
}
