//! Adding up what the pieces came to.

use std::ops::Range;

use crate::wire::{BatchStatus, ErrorCode, ErrorDetail, ItemResult, ProductBatchResult, limits};

/// The result of one request, with the indexes of the whole sequence.
pub(super) fn renumbered(mut part: ProductBatchResult, items: &Range<usize>) -> ProductBatchResult {
    for result in &mut part.results {
        let index = result.index.saturating_add(items.start);
        if let Some(error) = &mut result.error {
            // The message names the field by its path: a reader would look at the wrong item.
            let path = format!("items[{}]", result.index);
            if let Some(rest) = error.message.strip_prefix(&path) {
                error.message = format!("items[{index}]{rest}");
            }
        }
        result.index = index;
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
                message: format!(
                    "items[{index}]: has {bytes} bytes as JSON, and a request at most {most}"
                ),
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
