//! The products with less stock than their minimum, page by page.
//!
//! A page walks through the minimums in the order of their products, each with its level. A level changes with
//! every sale, so an index of low products would cost more than the walk.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::minimums::StockMinimum;
use crate::{
    auth::Access,
    engine::{Connect, JsonRecords, Records, page_size},
    rules::cursor::{self, CursorScope},
    storage::{Key, Range, Read, Value},
    transaction::{
        Error, Fault, ReadKey,
        keys::{Family, KeyPart, after_prefix, key},
    },
    wire::{
        Category, Id, Page, Product, Quantity, QuantityChange, StockLevel, Timestamp, query::Paging,
    },
};

/// The most minimums looked at for a page. A page with few low products then ends early.
const MOST_LOOKED_AT: usize = 2000;

/// The most minimums per read.
const PIECE: usize = 500;

/// The length of a product's id at the end of a key.
const ID_LEN: usize = 16;

/// A tracked product with less in stock than its minimum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowStock {
    /// The product.
    pub product_id: Id<Product>,
    /// Its name.
    pub name: String,
    /// The client's own code for the product.
    pub external_id: Option<String>,
    /// Its category.
    pub category_id: Option<Id<Category>>,
    /// The quantity in stock.
    pub quantity: Quantity,
    /// The minimum.
    pub minimum: Quantity,
    /// The quantity up to the minimum, above 0.
    pub missing: QuantityChange,
    /// The time of the level's last change.
    pub updated_at: Timestamp,
}

/// A level under its minimum.
struct LowLevel {
    level: StockLevel,
    minimum: Quantity,
}

/// Some of the minimums, in the order of products.
struct WalkedMinimums {
    low: Vec<LowLevel>,
    /// The number of minimums looked at.
    looked_at: usize,
    /// The product of the last minimum looked at.
    last: Option<Uuid>,
}

/// Reads a page of the products under their minimum.
pub(super) async fn page(
    connect: &Connect,
    access: &Access,
    paging: &Paging,
) -> Result<Page<LowStock>, Error> {
    let limit = page_size(paging.limit)?;
    let list = CursorScope {
        name: "stock under its minimum",
        location: access.partition(),
        filters: "",
    };
    let place = paging.cursor.as_deref();
    let place = place.map(|sent| cursor::decode::<Uuid>(list, sent));
    let place = place
        .transpose()
        .map_err(|invalid| Error::Malformed(invalid.into()))?;
    let mut after = place.map(|(product, _)| product);
    let (mut low, mut looked_at) = (Vec::new(), 0);
    let next = loop {
        let most = PIECE.min(MOST_LOOKED_AT - looked_at);
        let piece = read(connect, access.partition(), after, most).await?;
        low.extend(piece.low);
        looked_at += piece.looked_at;
        if low.len() > limit {
            low.truncate(limit);
            break low
                .last()
                .map(|last: &LowLevel| last.level.product_id.uuid());
        }
        if piece.looked_at < most {
            break None;
        }
        after = piece.last.or(after);
        if looked_at >= MOST_LOOKED_AT {
            break after;
        }
    };
    Ok(Page {
        data: named(connect, access, low).await?,
        next_cursor: next.map(|product| cursor::encode(list, product, connect.now())),
    })
}

/// Reads up to `most` minimums behind a product, with their levels.
/// An untracked product has no level: nothing is known of its stock, so it is not low.
async fn read(
    connect: &Connect,
    location: Uuid,
    after: Option<Uuid>,
    most: usize,
) -> Result<WalkedMinimums, Fault> {
    let (all, levels) = (
        key(location, Family::StockMinimum, &[]),
        key(location, Family::StockLevel, &[]),
    );
    let end = after_prefix(&all);
    let from: Key = match after {
        None => all,
        Some(product) => {
            let last = key(location, Family::StockMinimum, &[KeyPart::Id(product)]);
            [&last[..], &[0]].concat().into()
        }
    };
    let walk = Read::ScanFollow {
        range: Range {
            from: &from,
            to: Some(&end),
        },
        limit: most,
        newest_first: false,
        rows: &levels,
        tail: ID_LEN,
    };
    let found = connect.store().read(&[walk]).await?.joined()?;
    let mut piece = WalkedMinimums {
        low: Vec::new(),
        looked_at: found.len(),
        last: None,
    };
    for ((entry, row), level) in found {
        let product = ReadKey::of(&entry).and_then(|at| at.id());
        piece.last = product.or(piece.last);
        let (Some(product), Some(level)) = (product, level) else {
            continue;
        };
        let level_key = key(location, Family::StockLevel, &[KeyPart::Id(product)]);
        let minimum: Option<StockMinimum> = readable(&entry, &row);
        let level: Option<StockLevel> = readable(&level_key, &level);
        if let (Some(StockMinimum { minimum, .. }), Some(level)) = (minimum, level)
            && level.quantity < minimum
        {
            piece.low.push(LowLevel { level, minimum });
        }
    }
    Ok(piece)
}

/// Parses a row. A damaged one is logged: it must not hide the other products.
fn readable<T: DeserializeOwned>(key: &Key, row: &Value) -> Option<T> {
    let parsed = serde_json::from_slice(row).map_err(|e| Fault::corrupt(key, e));
    let logged = |fault: &Fault| {
        tracing::error!(%fault, "an unreadable row is left out of the products under their minimum");
    };
    parsed.inspect_err(logged).ok()
}

/// Adds the products of low levels. One deleted meanwhile is left out.
async fn named(
    connect: &Connect,
    access: &Access,
    low: Vec<LowLevel>,
) -> Result<Vec<LowStock>, Error> {
    let ids: Vec<Id<Product>> = low.iter().map(|low| low.level.product_id).collect();
    let products = Records::<Product>::new(JsonRecords::new(connect, access));
    let products = products.get_many(&ids).await?.into_iter();
    let mut products: HashMap<_, _> = products.map(|product| (product.id, product)).collect();
    let named = low.into_iter().filter_map(|LowLevel { level, minimum }| {
        let product = products.remove(&level.product_id)?;
        Some(LowStock {
            product_id: level.product_id,
            name: product.name,
            external_id: product.external_id,
            category_id: product.category_id,
            quantity: level.quantity,
            minimum,
            missing: QuantityChange::between(level.quantity, minimum),
            updated_at: level.updated_at,
        })
    });
    Ok(named.collect())
}
