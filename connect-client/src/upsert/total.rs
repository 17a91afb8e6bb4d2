//! Adding up what the pieces came to.

use std::ops::Range;

use crate::wire::{
    BatchExtra, BatchResult, BatchStatus, ErrorCode, ErrorDetail, ItemResult, limits,
};

/// The result of one request, with the indexes of the whole sequence.
pub(super) fn renumbered<E>(mut part: BatchResult<E>, items: &Range<usize>) -> BatchResult<E> {
    for result in &mut part.results {
        result.index = result.index.saturating_add(items.start);
    }
    part
}

/// The result of an item that was not sent, in the form the service would give it.
pub(super) fn too_large<E: BatchExtra>(
    index: usize,
    external_id: Option<String>,
    bytes: usize,
) -> BatchResult<E> {
    let most = limits::MAX_BODY_BYTES;
    let problem = format!("has {bytes} bytes as JSON, and a request at most {most}");
    let mut item = ItemResult::new(index, BatchStatus::Failed);
    item.external_id = external_id;
    item.error = Some(ErrorDetail::new(ErrorCode::PayloadTooLarge, problem));
    let mut result = BatchResult::default();
    result.failed = 1;
    result.results.push(item);
    result
}

/// Adds the result of a later piece.
pub(super) fn add<E: BatchExtra>(total: &mut BatchResult<E>, mut part: BatchResult<E>) {
    for (sum, more) in [
        (&mut total.created, part.created),
        (&mut total.updated, part.updated),
        (&mut total.unchanged, part.unchanged),
        (&mut total.failed, part.failed),
    ] {
        *sum = sum.saturating_add(more);
    }
    total.extra.add(part.extra);
    total.results.append(&mut part.results);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ProductBatchResult;

    #[test]
    fn pieces_add_up_for_every_kind_of_batch() {
        let mut of_products = ProductBatchResult::default();
        of_products.created = 2;
        of_products.extra.images_queued = 1;
        let mut total = of_products.clone();
        add(&mut total, of_products);
        assert_eq!((total.created, total.extra.images_queued), (4, 2));

        let mut plain = BatchResult::<()>::default();
        let refused = renumbered(too_large(0, None, 9), &(7..8));
        add(&mut plain, refused);
        assert_eq!((plain.failed, plain.results[0].index), (1, 7));
    }
}
