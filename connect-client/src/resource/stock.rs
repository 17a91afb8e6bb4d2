//! Stock: levels, counts, deliveries, corrections and movements.

use super::{Listed, Record, Records, Sealed};
use crate::{
    Call,
    call::request::Request,
    wire::{
        Id, Product, StockAdjustment, StockCount, StockCounts, StockCountsResult, StockLevel,
        StockMovement, query::StockMovementQuery,
    },
};

impl Records<StockLevel> {
    /// Returns the stock of a product.
    /// `not_found` when the product is unknown or untracked.
    pub fn get(&self, product: impl Into<Id<Product>>) -> Call<StockLevel> {
        Call::record(&self.client, Ok(Request::get(self.path_to(product.into()))))
    }

    /// Sets the stock of a product to a counted quantity.
    /// Yields the new level. The product is tracked from then on. Fails with `conflict` when the count
    /// has an `expected_quantity` and the stock differs from it, and with `not_found` when the product
    /// is unknown.
    pub fn count(&self, product: impl Into<Id<Product>>, count: &StockCount) -> Call<StockLevel> {
        let path = self.path_to(product.into());
        Call::record(&self.client, Request::put(path, count))
    }

    /// Counts up to 1000 products with one request.
    /// Items are independent: a refused item is reported in its place, and the rest are saved.
    /// [`count_all`](Self::count_all) takes any number.
    pub fn count_many(&self, counts: &StockCounts) -> Call<StockCountsResult> {
        Call::record(&self.client, Request::put(self.path(), counts))
    }

    /// Books a delivery or a correction, and yields the movement.
    /// Retries book it only once. Fails with `conflict` when the stock would leave its bounds.
    pub fn adjust(&self, adjustment: &StockAdjustment) -> Call<StockMovement> {
        let path = format!("{}/adjustments", self.path());
        Call::record(&self.client, Request::post(path, adjustment))
    }

    /// The movements of stock, in the order of booking.
    pub fn movements(&self) -> Records<StockMovement> {
        Records::new(&self.client, self.location())
    }

    fn path_to(&self, product: Id<Product>) -> String {
        format!("{}/{product}", self.path())
    }
}

impl Sealed for StockMovement {
    const SEGMENT: &'static str = "stock/movements";
}

impl Record for StockMovement {}

impl Listed for StockMovement {
    type Query = StockMovementQuery;
}
