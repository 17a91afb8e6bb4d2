//! Hits among receipts and orders, by number or id.

use connect_core::{
    Error, local_time,
    wire::{
        Id, Order, Transaction,
        query::{Paging, TransactionQuery},
    },
};

use super::{
    hits::{Hit, HitGroup},
    places::{Place, Places},
    sought::Sought,
};
use crate::dashboard::{
    messages::{dates, numbers},
    period,
};

/// Finds receipts by their number or id.
pub(super) async fn receipts(places: &Places, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let mut group = HitGroup::new(text!("word-receipts"));
    for (place, found) in places.each(|place| receipt(place, sought)).await? {
        let hit = |receipt: &Transaction| {
            let number = receipt.receipt_number.to_string();
            let title = text!("search-receipt", number = number);
            let address = place.at(&format!("/dashboard/journal/{}", receipt.id), &[]);
            let time = dates::date_time(receipt.created_at);
            let total = numbers::money(receipt.total_cents, &place.location.currency);
            let details = [&*time, &*total, &*receipt.register.name];
            Hit::new(title, address).with(details).exact(true)
        };
        let hits = found.iter().map(hit).collect();
        group.add(places.name(place), hits, None, false);
    }
    Ok(group)
}

async fn receipt(place: &Place, sought: &Sought<'_>) -> Result<Option<Transaction>, Error> {
    let receipts = place.records.transactions();
    if let Some(id) = sought.id {
        return found(receipts.get(Id::new(id)).await);
    }
    // Numbers begin at 1.
    let Some((number, before)) = sought.number.and_then(|it| Some((it, it.checked_sub(1)?))) else {
        return Ok(None);
    };
    let query = TransactionQuery {
        paging: Paging {
            limit: Some(1),
            ..Paging::default()
        },
        since_receipt: Some(before),
        ..TransactionQuery::default()
    };
    let mut next = receipts.list(&query).await?.data.into_iter();
    Ok(next.find(|receipt| receipt.receipt_number == number))
}

/// Finds orders by their number or id.
pub(super) async fn orders(places: &Places, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let mut group = HitGroup::new(text!("section-orders"));
    for (place, found) in places.each(|place| order(place, sought)).await? {
        let hits = found.iter().map(|order| of_order(place, order)).collect();
        group.add(places.name(place), hits, None, false);
    }
    Ok(group)
}

async fn order(place: &Place, sought: &Sought<'_>) -> Result<Option<Order>, Error> {
    let orders = place.records.orders();
    match (sought.id, sought.number) {
        (Some(id), _) => found(orders.get(Id::new(id)).await),
        (None, Some(number)) => orders.by_number(number).await,
        (None, None) => Ok(None),
    }
}

fn of_order(place: &Place, order: &Order) -> Hit {
    let title = text!("search-order", number = order.number.to_string());
    // An order is in the list of its day.
    let day = local_time(order.created_at).date().to_string();
    let address = place.at("/dashboard/orders", &[(period::DATE, &day)]);
    let time = dates::date_time(order.created_at);
    let total = numbers::money(order.total_cents, &place.location.currency);
    let customer = order.customer_name.as_deref().unwrap_or_default();
    let table = order.table_label.as_deref().unwrap_or_default();
    let details = [&*time, &*total, customer, table];
    Hit::new(title, address).with(details).exact(true)
}

/// Returns the found row; `None` without one.
fn found<T>(row: Result<T, Error>) -> Result<Option<T>, Error> {
    match row {
        Err(Error::NotFound(_)) => Ok(None),
        row => row.map(Some),
    }
}
