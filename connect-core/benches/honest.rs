//! The floor of a batch of updates in memory: what the job cannot do without. Each item is parsed,
//! its row is looked up and parsed, and the new row is printed and put in its place.

use std::collections::HashMap;

use connect_core::wire::{Product, VatRate};
use serde::Deserialize;

/// Rows in a map, by external id.
pub struct HonestFloor {
    rows: HashMap<String, Box<[u8]>>,
}

/// A batch as plain serde reads it.
#[derive(Deserialize)]
struct PlainBatch {
    items: Vec<PlainItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainItem {
    external_id: String,
    name: String,
    description: String,
    price_cents: i64,
    vat_rate: VatRate,
    barcode: String,
    #[serde(rename = "categoryName")]
    _category_name: String,
    is_active: bool,
}

impl HonestFloor {
    /// A map of these products.
    pub fn of(products: impl IntoIterator<Item = Product>) -> Self {
        let row = |product: Product| {
            let row = serde_json::to_vec(&product).unwrap();
            (product.external_id.unwrap(), row.into_boxed_slice())
        };
        Self {
            rows: products.into_iter().map(row).collect(),
        }
    }

    /// Updates every product of a batch.
    pub fn update(&mut self, body: &[u8]) {
        let batch: PlainBatch = serde_json::from_slice(body).unwrap();
        for item in batch.items {
            let row = self.rows.get_mut(&item.external_id).unwrap();
            let mut product: Product = serde_json::from_slice(row).unwrap();
            product.name = item.name;
            product.description = Some(item.description);
            product.price_cents = item.price_cents;
            product.vat_rate = item.vat_rate;
            product.barcode = Some(item.barcode);
            product.is_active = item.is_active;
            *row = serde_json::to_vec(&product).unwrap().into_boxed_slice();
        }
    }
}
