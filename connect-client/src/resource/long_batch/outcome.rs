//! The results of the requests of a long batch, and their sum.

use serde::de::DeserializeOwned;

use crate::wire::{
    BatchExtra, BatchResult, BatchStatus, ErrorDetail, ItemResult, StockCountResult,
    StockCountsResult,
};

/// The result of a batch, or of a part of it.
pub trait Outcome: Default + DeserializeOwned + Send + 'static {
    /// The result of an unsent item, in the service's form.
    fn refused(index: usize, external_id: Option<String>, error: ErrorDetail) -> Self;

    /// Shifts item indexes from the request to the whole batch.
    /// The request begins at the item `first`.
    fn renumber(&mut self, first: usize);

    /// Marks all items as replayed from a stored response.
    fn set_replayed(&mut self);

    /// Adds the result of a later part.
    fn add(&mut self, later: Self);
}

impl<E: BatchExtra> Outcome for BatchResult<E> {
    fn refused(index: usize, external_id: Option<String>, error: ErrorDetail) -> Self {
        let mut item = ItemResult::new(index, BatchStatus::Failed);
        item.external_id = external_id;
        item.error = Some(error);
        let mut result = Self::default();
        result.results.push(item);
        result.failed = 1;
        result
    }

    fn renumber(&mut self, first: usize) {
        for item in &mut self.results {
            item.index = item.index.saturating_add(first);
        }
    }

    fn set_replayed(&mut self) {
        self.replayed = self.results.len();
    }

    fn add(&mut self, mut later: Self) {
        add(&mut self.created, later.created);
        add(&mut self.updated, later.updated);
        add(&mut self.unchanged, later.unchanged);
        add(&mut self.failed, later.failed);
        add(&mut self.replayed, later.replayed);
        self.extra.add(later.extra);
        self.results.append(&mut later.results);
    }
}

impl Outcome for StockCountsResult {
    fn refused(index: usize, external_id: Option<String>, error: ErrorDetail) -> Self {
        let mut item = StockCountResult::new(index, BatchStatus::Failed);
        item.external_id = external_id;
        item.error = Some(error);
        let mut result = Self::default();
        result.results.push(item);
        result.failed = 1;
        result
    }

    fn renumber(&mut self, first: usize) {
        for item in &mut self.results {
            item.index = item.index.saturating_add(first);
        }
    }

    fn set_replayed(&mut self) {
        self.replayed = self.results.len();
    }

    fn add(&mut self, mut later: Self) {
        add(&mut self.updated, later.updated);
        add(&mut self.unchanged, later.unchanged);
        add(&mut self.failed, later.failed);
        add(&mut self.replayed, later.replayed);
        self.results.append(&mut later.results);
    }
}

/// Adds the counter of a later part, saturating.
fn add(sum: &mut usize, more: usize) {
    *sum = sum.saturating_add(more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ErrorCode, ProductBatchResult};

    #[test]
    fn parts_add_up_for_every_kind_of_batch() {
        let mut of_products = ProductBatchResult::default();
        of_products.extra.images_queued = 1;
        of_products.created = 2;
        let mut total = of_products.clone();
        total.add(of_products);
        assert_eq!((total.created, total.extra.images_queued), (4, 2));

        let too_large = || ErrorDetail::new(ErrorCode::PayloadTooLarge, "has 9 bytes");
        let mut plain = BatchResult::<()>::default();
        let mut refused = BatchResult::refused(0, None, too_large());
        refused.renumber(7);
        plain.add(refused);
        assert_eq!((plain.failed, plain.results[0].index), (1, 7));

        let mut counts = StockCountsResult::default();
        let mut refused = StockCountsResult::refused(0, Some("P-7".to_owned()), too_large());
        refused.renumber(7);
        counts.add(refused);
        assert_eq!((counts.failed, counts.results[0].index), (1, 7));
        assert_eq!(counts.results[0].external_id.as_deref(), Some("P-7"));
    }
}
