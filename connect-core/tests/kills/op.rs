//! The writes of the process that is killed, as plain data: noted before they are sent, and sent
//! again under the same key afterwards.

use connect_core::{
    Access, Answer, Connect, Refusal, Request,
    wire::{
        Category, CategoryInput, Field, Id, Product, ProductInput, Timestamp, read::BatchRequest,
    },
};
use serde::{Deserialize, Serialize};

use crate::shop::keyed;

/// How many products a batch writes.
pub(super) const BATCH: usize = 500;
/// How many batches fill the category that is deleted.
pub(super) const SEGMENTS: usize = 4;
/// What the name of the category starts with that is filled and deleted.
pub(super) const FILLED: &str = "Filled ";

/// A write. Versions only grow, and a product's version is its price.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Op {
    /// Makes a product; only every other one has an external id.
    Create { name: String, version: i64 },
    /// Changes that product.
    Update {
        id: Id<Product>,
        name: String,
        version: i64,
    },
    /// Writes all products of a set but one by their external ids, and makes one without.
    Batch { version: i64 },
    /// Makes a category to be filled.
    CreateCategory { version: i64 },
    /// Moves a segment of the products into it.
    Fill {
        category: Id<Category>,
        segment: usize,
        version: i64,
    },
    /// Deletes it.
    DeleteCategory { id: Id<Category> },
}

impl Op {
    /// Sends the write under its key.
    pub(super) async fn send(&self, connect: &Connect, at: &Access) -> Result<Answer, Refusal> {
        let key = serde_json::to_string(self).unwrap();
        match self {
            Self::Create { name, version } => {
                let input = ProductInput {
                    external_id: match version % 2 {
                        0 => Field::Value(name.clone()),
                        _ => Field::Absent,
                    },
                    category_name: Field::Value(format!("Shelf {}", version % 3)),
                    ..product(name.clone(), *version)
                };
                connect
                    .location(at)
                    .json::<Product>()
                    .create(keyed(Request::from(input), &key))
                    .await
            }
            Self::Update { id, name, version } => {
                let input = keyed(Request::from(product(name.clone(), *version)), &key);
                connect
                    .location(at)
                    .json::<Product>()
                    .update(id.uuid(), input)
                    .await
            }
            Self::Batch { version } => {
                let items = (1..BATCH).map(|number| listed(format!("B-{number}"), *version));
                let single = product(format!("X-{version}"), *version);
                let batch = BatchRequest::new(items.chain([single]).collect());
                connect
                    .location(at)
                    .json::<Product>()
                    .batch(keyed(Request::from(batch), &key))
                    .await
            }
            Self::CreateCategory { version } => {
                let input = CategoryInput::named(format!("{FILLED}{version}"));
                connect
                    .location(at)
                    .json::<Category>()
                    .create(keyed(Request::from(input), &key))
                    .await
            }
            Self::Fill {
                category,
                segment,
                version,
            } => {
                let numbers = segment * BATCH..(segment + 1) * BATCH;
                let items = numbers.map(|number| ProductInput {
                    category_id: Field::Value(*category),
                    ..listed(format!("D-{number}"), *version)
                });
                let batch = BatchRequest::new(items.collect());
                connect
                    .location(at)
                    .json::<Product>()
                    .batch(keyed(Request::from(batch), &key))
                    .await
            }
            Self::DeleteCategory { id } => {
                connect
                    .location(at)
                    .json::<Category>()
                    .delete(id.uuid(), keyed(Request::from(()), &key))
                    .await
            }
        }
    }
}

/// A product as a write leaves it. The barcodes move with the versions, and several products
/// share each.
fn product(name: String, version: i64) -> ProductInput {
    ProductInput {
        price_cents: Field::Value(version),
        barcode: Field::Value(format!("871-{}", version % 7)),
        ..ProductInput::named(name)
    }
}

/// The same with an external id.
fn listed(name: String, version: i64) -> ProductInput {
    let number: i64 = name[2..].parse().unwrap_or(0);
    ProductInput {
        external_id: Field::Value(name.clone()),
        barcode: Field::Value(format!("872-{}", (number + version) % 50)),
        ..product(name, version)
    }
}

/// A product that was shown: its name, version and time.
pub(super) type Shown = (String, i64, Timestamp);

/// What an answer or a page shows of a product.
pub(super) fn shown(product: &Product) -> Shown {
    (
        product.name.clone(),
        product.price_cents,
        product.updated_at,
    )
}
