//! Adding up what the pieces came to.

use std::ops::Range;

use crate::wire::{BatchStatus, ErrorCode, ErrorDetail, ItemResult, ProductBatchResult, limits};

/// The result of one request, with the indexes of the whole sequence.
pub(super) fn renumbered(mut part: ProductBatchResult, items: &Range<usize>) -> ProductBatchResult {
    for result in &mut part.results {
        result.index = result.index.saturating_add(items.start);
    }
    part
}

/// The result of an item that was not sent, in the form the service would give it.
pub(super) fn too_large(
    index: usize,
    external_id: Option<String>,
    bytes: usize,
) -> ProductBatchResult {
    let most = limits::MAX_BODY_BYTES;
    ProductBatchResult {
        failed: 1,
        results: vec![ItemResult {
            index,
            status: BatchStatus::Failed,
            id: None,
            external_id,
            image_status: None,
            error: Some(ErrorDetail {
                code: ErrorCode::PayloadTooLarge,
                message: format!("has {bytes} bytes as JSON, and a request at most {most}"),
                field: None,
            }),
        }],
        ..ProductBatchResult::default()
    }
}

/// Adds the result of a later piece.
pub(super) fn add(total: &mut ProductBatchResult, mut part: ProductBatchResult) {
    for (sum, more) in [
        (&mut total.created, part.created),
        (&mut total.updated, part.updated),
        (&mut total.unchanged, part.unchanged),
        (&mut total.failed, part.failed),
        (&mut total.extra.images_queued, part.extra.images_queued),
    ] {
        *sum = sum.saturating_add(more);
    }
    total.results.append(&mut part.results);
}
