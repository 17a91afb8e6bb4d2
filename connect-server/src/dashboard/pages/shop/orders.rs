//! The orders of a location, the newest first.

use std::borrow::Cow;

use connect_core::{
    Error, UserRight, local_time,
    wire::{Order, OrderSource, OrderStatus, query::OrderQuery},
};
use maud::html;

use super::{AT, PageLocation, hidden, next, nothing, nowhere, page_of_period};
use crate::dashboard::{
    Answer,
    messages::numbers,
    page_request::SignedIn,
    period::{self, Period},
    table::{self, Cell, Column, Table, Value},
};

const PATH: &str = "/dashboard/orders";

/// Shows the orders, optionally of one day or in one state.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadSales)? else {
        return Ok(nowhere(to, PATH, &text!("section-orders")));
    };
    let status = to.query.get("status");
    let period = Period::of(&to.query, local_time(to.connect.now()).date());
    let range = period.map(Period::range).unwrap_or_default();
    let is_chosen = |known: &&OrderStatus| known.as_str() == status;
    let query = OrderQuery {
        from: range.from,
        to: range.to,
        status: OrderStatus::KNOWN.iter().find(is_chosen).cloned(),
        ..OrderQuery::default()
    };
    let (orders, query) = (&shop.records.orders().newest_first(), &query);
    let found = table::rows(to, |cursor| async move {
        let mut query = query.clone();
        query.sync.cursor = cursor;
        query.sync.limit = table::limit(to);
        orders.list(&query).await
    });
    let found = found.await?;
    let next_cursor = found.next_cursor.as_deref();
    let table = table(to, &shop, &found.data);
    if table::is_file(to) {
        return Ok(table.file(to, "orders").await);
    }
    let table = table.part(table::is_part(to, next_cursor));
    let content = html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            @let [unit, date] = period::filters(to);
            (hidden(&[unit, date, table::order(to)]))
            label for="status" { (text!("orders-state")) }
            select id="status" name="status" {
                option value="" { (text!("orders-any")) }
                @for known in OrderStatus::KNOWN {
                    option value=(known) selected[known.as_str() == status] { (words(known)) }
                }
            }
            button.quiet { (text!("word-show")) }
        }
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("orders-none")))
        } @else { (table.render(to)) }
        @let [unit, date] = period::filters(to);
        @let filters = [unit, date, ("status", status), table::order(to)];
        (next(&shop, PATH, &filters, next_cursor))
    };
    let title = text!("section-orders");
    Ok(page_of_period(
        to,
        &shop,
        PATH,
        &title,
        period,
        &[("status", status)],
        content,
    ))
}

fn table(to: &SignedIn<'_>, shop: &PageLocation, orders: &[Order]) -> Table {
    let columns = [
        Column::number("number", text!("shop-number")),
        Column::text("time", text!("word-time")),
        Column::text("from", text!("orders-from")),
        Column::text("state", text!("orders-state")),
        Column::text("for", text!("orders-for")),
        Column::text("what", text!("word-what")),
        Column::number("total", text!("word-total")),
    ];
    let mut table = Table::new(PATH, text!("section-orders"), columns).for_file(table::is_file(to));
    for order in orders {
        let state = words(&order.status);
        table.add([
            Cell::number(order.number, order.number),
            Cell::time(order.created_at),
            Cell::text(source(&order.source)),
            Cell::of(
                html! { span.tag { (state) } },
                Value::Text(state.to_string()),
            ),
            Cell::text(for_whom(order)),
            Cell::text(what(order)),
            Cell::amount(order.total_cents, shop.money(order.total_cents)),
        ]);
    }
    table
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
        .map(|line| format!("{} × {}", numbers::quantity(line.quantity), line.name));
    lines.collect::<Vec<_>>().join(", ")
}

fn source(source: &OrderSource) -> Cow<'_, str> {
    match source {
        OrderSource::Kiosk => text!("orders-from-kiosk"),
        OrderSource::ScanAndOrder => text!("orders-from-scan-and-order"),
        other => other.as_str().into(),
    }
}

fn words(status: &OrderStatus) -> Cow<'_, str> {
    match status {
        OrderStatus::New => text!("orders-new"),
        OrderStatus::Accepted => text!("orders-accepted"),
        OrderStatus::Preparing => text!("orders-preparing"),
        OrderStatus::Ready => text!("orders-ready"),
        OrderStatus::Completed => text!("orders-completed"),
        OrderStatus::Cancelled => text!("orders-cancelled"),
        other => other.as_str().into(),
    }
}
