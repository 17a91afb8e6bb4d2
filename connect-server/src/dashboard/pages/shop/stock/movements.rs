//! The stock of one product: its level, a form, and the movements.

use std::borrow::Cow;

use connect_core::{
    Error, Reason, UserRight,
    wire::{
        Id, MovementType, Product, StockMovement,
        query::{Paging, StockMovementQuery},
    },
};
use maud::html;

use super::{PATH, entry, facts, may_enter, minimum, who::MovementUsers};
use crate::dashboard::{
    Answer, components,
    messages::numbers,
    notices,
    page_request::SignedIn,
    pages::shop::{self, PageLocation, next, nothing, nowhere},
    table::{self, Cell, Column, Table},
};

/// Shows the page of one product, the newest movement first.
pub(crate) async fn show(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    match PageLocation::find(to, UserRight::ReadCatalog)? {
        Some(shop) => page(to, &shop, id, None).await,
        None => Ok(nowhere(to, PATH, &text!("section-stock"))),
    }
}

/// Enters a count, a delivery or a correction of one product.
pub(crate) async fn enter(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ChangeStock)? else {
        return Ok(nowhere(to, PATH, &text!("section-stock")));
    };
    let entered = match entry::Entry::read(&to.form, id) {
        Ok(entry) => entry.save(&shop, id).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match entered {
        Ok(notice) => {
            let page = shop.at(&format!("{PATH}/{id}"));
            Ok(Answer::redirect(&notices::at(&page, notice)))
        }
        Err(error) => {
            let form = async |reason: &Reason| {
                let reason = entry::of_form(reason);
                page(to, &shop, id, Some(&reason)).await
            };
            components::again(error, form).await
        }
    }
}

/// Makes the page, with the input and problem if refused.
pub(super) async fn page(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    id: Id<Product>,
    refused: Option<&Reason>,
) -> Result<Answer, Error> {
    let product = match shop.records.products().get(id).await {
        Ok(product) => Some(product),
        // Movements stay when their product is deleted.
        Err(Error::NotFound(_)) if refused.is_none() => None,
        Err(error) => return Err(error),
    };
    let rows = &shop.records.stock().movements().newest_first();
    let found = table::rows(to, |cursor| async move {
        let query = StockMovementQuery {
            paging: Paging {
                cursor,
                limit: table::limit(to),
            },
            product_id: Some(id),
            ..StockMovementQuery::default()
        };
        rows.list(&query).await
    });
    let found = found.await?;
    let path = format!("{PATH}/{id}");
    let who = MovementUsers::find(to, shop, &found.data).await?;
    let table = table(to, &path, &found.data, &who);
    if table::is_file(to) {
        return Ok(table.file(to, "stock-movements").await);
    }
    let next_cursor = found.next_cursor.as_deref();
    let table = table.part(table::is_part(to, next_cursor));
    let minimum = match &product {
        Some(product) => minimum::of_product(shop, product.id).await?,
        None => None,
    };
    let title = match &product {
        Some(product) => text!("stock-of", product = &*product.name),
        None => text!("stock-of-deleted"),
    };
    let content = html! {
        @if let Some(product) = &product {
            (facts(product, minimum))
            @if may_enter(shop) { (minimum::forms(to, shop, product, minimum, refused)) }
        }
        h2 { (text!("stock-movements")) }
        @if found.data.is_empty() {
            (nothing(to, next_cursor, &text!("stock-nothing-moved")))
        } @else { (table.render(to)) }
        (next(shop, &path, &[table::order(to)], next_cursor))
        p { a href=(shop.at(PATH)) { (text!("stock-back")) } }
    };
    Ok(shop::page(to, shop, PATH, &title, content))
}

fn table(to: &SignedIn<'_>, path: &str, movements: &[StockMovement], who: &MovementUsers) -> Table {
    let columns = [
        Column::text("time", text!("word-time")),
        Column::text("what", text!("word-what")),
        Column::number("change", text!("stock-change")),
        Column::number("after", text!("stock-after")),
        Column::text("by", text!("word-by")),
        Column::text("note", text!("word-note")),
    ];
    let mut table =
        Table::new(path, text!("stock-movements"), columns).for_file(table::is_file(to));
    for movement in movements {
        let (change, after) = (movement.quantity_change, movement.quantity_after);
        table.add([
            Cell::time(movement.created_at),
            Cell::text(words(&movement.kind)),
            Cell::number(change, numbers::quantity(change)),
            Cell::number(after, numbers::quantity(after)),
            Cell::text(who.of(movement)),
            Cell::text(movement.note.as_deref().unwrap_or_default()),
        ]);
    }
    table
}

fn words(kind: &MovementType) -> Cow<'_, str> {
    match kind {
        MovementType::Count => text!("shop-counted"),
        MovementType::Delivery => text!("stock-delivered"),
        MovementType::Correction => text!("stock-corrected"),
        MovementType::Sale => text!("stock-sold"),
        MovementType::Refund => text!("stock-taken-back"),
        other => other.as_str().into(),
    }
}
