//! Stock (specification: Stock).

use serde::{Deserialize, Serialize};

use super::{
    BatchStatus, ErrorDetail, Field, Id, Product, Quantity, QuantityChange, Timestamp, Transaction,
    form::{Counted, ExternalId, OrNull, Prose},
    input::input,
    limits::{MAX_EXTERNAL_ID, MAX_NOTE},
    open_enum::open_enum,
};

/// The stock of a tracked product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockLevel {
    /// The product.
    pub product_id: Id<Product>,
    /// The client's own code for the product.
    pub external_id: Option<String>,
    /// The quantity in stock.
    pub quantity: Quantity,
    /// The time of the last change, on the location's change clock.
    pub updated_at: Timestamp,
}

open_enum! {
    /// The type of a movement of stock.
    MovementType {
        /// The stock was counted.
        Count = "count",
        /// Goods were delivered.
        Delivery = "delivery",
        /// The figure was corrected.
        Correction = "correction",
        /// Goods were sold.
        Sale = "sale",
        /// Goods were taken back.
        Refund = "refund",
    }
}

open_enum! {
    /// The reasons for an adjustment of stock.
    AdjustmentType {
        /// The figure is corrected.
        Correction = "correction",
        /// Goods are delivered.
        Delivery = "delivery",
    }
}

/// A change of the stock of a product.
/// It never changes, and stays when the product is deleted. The changes of a product add up to its
/// stock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockMovement {
    /// Its id.
    pub id: Id<Self>,
    /// The product.
    pub product_id: Id<Product>,
    /// The client's own code for the product at the time.
    pub external_id: Option<String>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: MovementType,
    /// The change of the quantity in stock.
    pub quantity_change: QuantityChange,
    /// The quantity in stock after it.
    pub quantity_after: Quantity,
    /// A remark for people.
    pub note: Option<String>,
    /// The source: `API: <name of the token>`, `Register: <name>` or `Dashboard`.
    pub source: String,
    /// The sale or refund behind it.
    pub transaction_id: Option<Id<Transaction>>,
    /// The time of the movement, on the location's change clock.
    pub created_at: Timestamp,
}

input! {
    /// The body for counting the stock of a product.
    pub struct StockCount {
        /// The counted quantity.
        quantity: Counted, required;
        /// The quantity believed to be in stock.
        /// If the stock differs, nothing is written and the answer is a conflict.
        expected_quantity: Quantity;
        /// A remark for people.
        note: OrNull<Prose<MAX_NOTE>>;
    }
    read_only: [product_id, external_id, updated_at]
}

input! {
    /// A counted product, named by `productId` or by `externalId`.
    /// A level can be sent as it was read.
    pub struct StockCountItem {
        /// The product.
        product_id: Id<Product>;
        /// The client's own code for the product.
        /// Beside `productId` it has to be the product's, or the item fails with a conflict.
        external_id: OrNull<ExternalId<MAX_EXTERNAL_ID>>;
        /// The counted quantity.
        quantity: Counted, required;
        /// The quantity believed to be in stock.
        /// If the stock differs, the item fails with a conflict.
        expected_quantity: Quantity;
    }
    read_only: [updated_at]
}

/// The body for counting the stock of up to 1000 products.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockCounts {
    /// The products, 1 to 1000.
    /// A fault in one item does not affect the rest.
    pub items: Vec<StockCountItem>,
    /// A remark for people, for every movement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// `true` answers in full and saves nothing.
    /// No `Idempotency-Key` is remembered for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// The result of counting many products.
/// The counts add up to the number of items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockCountsResult {
    /// Items with a change of stock.
    pub updated: usize,
    /// Items without a change of stock.
    pub unchanged: usize,
    /// Items refused.
    pub failed: usize,
    /// Items done by an earlier request with the same key.
    /// The service had stored their results, and the counts include them. The SDK fills this in; it
    /// is not part of the answer.
    #[serde(skip)]
    pub replayed: usize,
    /// The result of each item, in the order of the request.
    pub results: Vec<StockCountResult>,
}

/// The result of counting one product of many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockCountResult {
    /// The place of the item, from 0.
    pub index: usize,
    /// The outcome.
    pub status: BatchStatus,
    /// The product, if found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_id: Option<Id<Product>>,
    /// The product's external id; for a failed item, as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The resulting quantity in stock, unless the item failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// The reason why the item failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

impl StockCountResult {
    /// The result of the item at `index`, with its status only.
    pub fn new(index: usize, status: BatchStatus) -> Self {
        Self {
            index,
            status,
            product_id: None,
            external_id: None,
            quantity: None,
            error: None,
        }
    }
}

input! {
    /// The body for adding to or taking from a product's stock.
    /// The product is named by `productId` or by `externalId`.
    pub struct StockAdjustment {
        /// The product.
        product_id: Id<Product>;
        /// The client's own code for the product.
        /// Beside `productId` it has to be the product's, or the answer is a conflict.
        external_id: OrNull<ExternalId<MAX_EXTERNAL_ID>>;
        /// The quantity to add; negative to take away. Not 0.
        /// Only a correction takes away.
        quantity_change: Quantity, required;
        /// The reason; `correction` unless given.
        #[serde(rename = "type")]
        kind: AdjustmentType;
        /// A remark for people.
        note: OrNull<Prose<MAX_NOTE>>;
    }
    read_only: [id, quantity_after, source, transaction_id, created_at]
}

/// Data of `stock.batch_changed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StockBatchChanged {
    /// Always `count`.
    pub reason: String,
    /// The products with changed stock.
    pub items: Vec<StockChange>,
}

/// A product with changed stock, in a [`StockBatchChanged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StockChange {
    /// The product.
    pub product_id: Id<Product>,
    /// The quantity in stock after it.
    pub quantity: Quantity,
}

impl StockCount {
    /// A count of this quantity.
    pub fn of(quantity: Quantity) -> Self {
        Self {
            quantity: Field::Value(quantity),
            ..Self::default()
        }
    }
}
