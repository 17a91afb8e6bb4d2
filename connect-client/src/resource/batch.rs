//! Writing many records at once.

use super::{Record, Records};
use crate::{
    Call,
    request::Request,
    wire::{Batch, BatchInput, BatchResult},
};

impl<R: Record<Input: BatchInput>> Records<R> {
    /// Writes many records with one request, of at most 2 MB as JSON: up to 500 products. Items
    /// are independent: one that the service refuses is reported in its place, and the others are
    /// saved. For products [`upsert_all`](Self::upsert_all) takes any number.
    pub fn batch(
        &self,
        batch: &Batch<R::Input>,
    ) -> Call<BatchResult<<R::Input as BatchInput>::Extra>> {
        Call::record(&self.client, Request::post(self.batch_path(), batch))
    }

    pub(crate) fn batch_path(&self) -> String {
        format!("{}/batch", self.path())
    }
}
