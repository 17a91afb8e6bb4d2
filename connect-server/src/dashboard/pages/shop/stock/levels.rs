//! The levels of the tracked products, or of the low ones.

use std::collections::HashMap;

use connect_core::{
    Error, LowStock, StockMinimum, UserRight,
    wire::{
        Category, Id, Product, Quantity, QuantityChange, StockLevel, Timestamp,
        limits::MAX_PAGE_SIZE,
        query::{Paging, StockLevelQuery, SyncQuery},
    },
};
use maud::{Markup, html};

use super::{
    PATH,
    entry::QUANTITY,
    low::{self, LOW},
    low_tag, may_enter, name,
};
use crate::dashboard::{
    Answer,
    messages::numbers,
    page_request::{AT, SignedIn},
    pages::shop::{LEVEL, PageLocation, hidden, next, nothing, nowhere, page},
    table::{self, Cell, Column, Table, Value},
};

/// A product with its level.
struct LevelRow {
    id: Id<Product>,
    name: String,
    code: Option<String>,
    category: Option<Id<Category>>,
    quantity: Quantity,
    minimum: Option<Quantity>,
    updated_at: Timestamp,
}

impl LevelRow {
    /// The quantity up to the minimum, if the level is under it.
    fn missing(&self) -> Option<QuantityChange> {
        let minimum = self.minimum.filter(|minimum| self.quantity < *minimum)?;
        Some(QuantityChange::between(self.quantity, minimum))
    }
}

impl From<LowStock> for LevelRow {
    fn from(low: LowStock) -> Self {
        Self {
            id: low.product_id,
            name: low.name,
            code: low.external_id,
            category: low.category_id,
            quantity: low.quantity,
            minimum: Some(low.minimum),
            updated_at: low.updated_at,
        }
    }
}

/// Shows the list of all levels, or of the low ones.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-stock")));
    };
    let is_low = low::is_chosen(to);
    let (levels, next_cursor) = match is_low {
        true => find_low(to, &shop).await?,
        false => find_all(to, &shop).await?,
    };
    let next_cursor = next_cursor.as_deref();
    let categories = categories(&shop, &levels).await?;
    let table = table(to, &shop, &levels, &categories);
    if table::is_file(to) {
        return Ok(table.file(to, "stock").await);
    }
    let table = table.part(table::is_part(to, next_cursor));
    let filter = if is_low { LOW } else { "" };
    let none = match is_low {
        true => text!("stock-none-low"),
        false => text!("stock-empty"),
    };
    let content = html! {
        @if may_enter(&shop) {
            p.toolbar { a.button href=(low::sheet(to, &shop)) { (text!("stock-sheet")) } }
        }
        (choice(to, &shop, is_low))
        @if levels.is_empty() {
            (nothing(to, next_cursor, &none))
        } @else { (table.render(to)) }
        (next(&shop, PATH, &[(LEVEL, filter), table::order(to)], next_cursor))
    };
    Ok(page(to, &shop, PATH, &text!("section-stock"), content))
}

/// The choice between all levels and the low ones.
fn choice(to: &SignedIn<'_>, shop: &PageLocation, is_low: bool) -> Markup {
    html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            (hidden(&[table::order(to)]))
            label for=(LEVEL) { (text!("stock-level")) }
            select id=(LEVEL) name=(LEVEL) {
                option value="" { (text!("word-all")) }
                option value=(LOW) selected[is_low] { (text!("stock-under-minimum")) }
            }
            button.quiet { (text!("word-show")) }
        }
    }
}

/// Finds the levels of the page, by last change.
async fn find_all(
    to: &SignedIn<'_>,
    shop: &PageLocation,
) -> Result<(Vec<LevelRow>, Option<String>), Error> {
    let stock = shop.records.stock();
    let found = table::rows(to, async |cursor| {
        let sync = SyncQuery {
            limit: table::limit(to),
            cursor,
            ..SyncQuery::default()
        };
        stock.list(&StockLevelQuery { sync }).await
    });
    let found = found.await?;
    let mut rows = Vec::with_capacity(found.data.len());
    for levels in found.data.chunks(MAX_PAGE_SIZE) {
        let ids: Vec<Id<Product>> = levels.iter().map(|level| level.product_id).collect();
        let products = shop.records.products().get_many(&ids).await?;
        let minimums = stock.minimums(&ids).await?;
        let row = |level| row(level, &products, &minimums);
        rows.extend(levels.iter().map(row));
    }
    Ok((rows, found.next_cursor))
}

fn row(level: &StockLevel, products: &[Product], minimums: &[StockMinimum]) -> LevelRow {
    let id = level.product_id;
    let product = products.iter().find(|product| product.id == id);
    let minimum = minimums.iter().find(|minimum| minimum.product_id == id);
    LevelRow {
        id,
        name: name(products, id).into_owned(),
        code: level.external_id.clone(),
        category: product.and_then(|product| product.category_id),
        quantity: level.quantity,
        minimum: minimum.map(|minimum| minimum.minimum),
        updated_at: level.updated_at,
    }
}

/// Finds the products of the page under their minimum.
async fn find_low(
    to: &SignedIn<'_>,
    shop: &PageLocation,
) -> Result<(Vec<LevelRow>, Option<String>), Error> {
    let stock = shop.records.stock();
    let found = table::rows(to, async |cursor| {
        let paging = Paging {
            limit: table::limit(to),
            cursor,
        };
        stock.below_minimum(&paging).await
    });
    let found = found.await?;
    let rows = found.data.into_iter().map(LevelRow::from);
    Ok((rows.collect(), found.next_cursor))
}

/// Finds the names of the categories of these products.
async fn categories(
    shop: &PageLocation,
    levels: &[LevelRow],
) -> Result<HashMap<Id<Category>, String>, Error> {
    let mut ids: Vec<_> = levels.iter().filter_map(|level| level.category).collect();
    ids.sort();
    ids.dedup();
    let mut names = HashMap::new();
    for ids in ids.chunks(MAX_PAGE_SIZE) {
        let found = shop.records.categories().get_many(ids).await?;
        names.extend(found.into_iter().map(|found| (found.id, found.name)));
    }
    Ok(names)
}

fn table(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    levels: &[LevelRow],
    categories: &HashMap<Id<Category>, String>,
) -> Table {
    let columns = [
        Column::text("product", text!("word-product")),
        Column::text("code", text!("word-code")),
        Column::text("category", text!("word-category")),
        Column::number("quantity", text!("stock-level")),
        Column::number("minimum", text!("stock-minimum")),
        Column::number("missing", text!("stock-missing")),
        Column::text("changed", text!("stock-since")),
    ];
    let enter = may_enter(shop).then(|| Column::action(text!("stock-enter")));
    let history = Column::action(text!("stock-history"));
    let columns = columns.into_iter().chain(enter).chain([history]);
    let mut table = Table::new(PATH, text!("section-stock"), columns).for_file(table::is_file(to));
    for level in levels {
        let category = level.category.and_then(|id| categories.get(&id));
        let number = |quantity: Option<String>| match quantity {
            Some(number) => Cell::number(&number, numbers::quantity(&number)),
            None => Cell::empty(),
        };
        let cells = [
            product(level),
            level.code.as_ref().map_or_else(Cell::empty, Cell::code),
            category.map_or_else(Cell::empty, Cell::text),
            number(Some(level.quantity.to_string())),
            number(level.minimum.map(|minimum| minimum.to_string())),
            number(level.missing().map(|missing| missing.to_string())),
            Cell::time(level.updated_at),
        ];
        table.add(cells.into_iter().chain(links(shop, level)));
    }
    table
}

fn product(level: &LevelRow) -> Cell {
    let shown = html! {
        (level.name)
        @if level.missing().is_some() { " " (low_tag()) }
    };
    Cell::of(shown, Value::Text(level.name.clone()))
}

/// The links to the entry and the history of a product.
fn links(shop: &PageLocation, level: &LevelRow) -> Vec<Cell> {
    let address = shop.at(&format!("{PATH}/{}", level.id));
    let name = &*level.name;
    let history = html! {
        a href=(address) aria-label=(text!("stock-history-of", product = name)) {
            (text!("stock-history"))
        }
    };
    let enter = html! {
        a href={ (address) "#" (QUANTITY) } aria-label=(text!("stock-enter-of", product = name)) {
            (text!("stock-enter"))
        }
    };
    match may_enter(shop) {
        true => vec![Cell::action(enter), Cell::action(history)],
        false => vec![Cell::action(history)],
    }
}
