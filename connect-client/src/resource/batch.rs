//! Writing many products at once.

use super::Records;
use crate::{
    Call,
    request::Request,
    wire::{Product, ProductBatch, ProductBatchResult},
};

impl Records<Product> {
    /// Writes up to 500 products with one request, of at most 2 MB as JSON. Items are independent:
    /// one that the service refuses is reported in its place, and the others are saved.
    /// [`upsert_all`](Self::upsert_all) takes any number.
    pub fn batch(&self, batch: &ProductBatch) -> Call<ProductBatchResult> {
        Call::record(&self.client, Request::post(self.batch_path(), batch))
    }

    pub(crate) fn batch_path(&self) -> String {
        format!("{}/batch", self.path())
    }
}
