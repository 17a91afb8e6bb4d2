//! Splitting a sequence of items into request bodies.

use std::{borrow::Borrow, ops::Range};

use bytes::Bytes;

use super::BatchBody;
use crate::error::RequestError;

/// The largest size of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) items: usize,
    /// Of the whole body.
    pub(super) bytes: usize,
}

/// A part of the sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The JSON of a batch with these items.
    Body { items: Range<usize>, json: Bytes },
    /// An item too large for any request.
    TooLarge {
        index: usize,
        external_id: Option<String>,
        /// The length of its JSON.
        bytes: usize,
    },
}

/// Splits items into bodies lazily.
/// Each item is taken and serialized once. Besides the current body, at most one item is held in
/// memory. Every body is as long as the limits allow, unless a too large item or the end comes after
/// it.
pub(super) struct Cutter<I> {
    items: I,
    limits: Limits,
    /// The number of items already in pieces.
    position: usize,
    /// The JSON of the item left over from the last body.
    /// Empty when there is none.
    left_over: Vec<u8>,
    /// The too large item at the end of the last body.
    refused: Option<Piece>,
}

/// The bytes after the items.
const END: &[u8] = b"]}";

impl<I> Cutter<I> {
    pub(super) fn new(items: I, limits: Limits) -> Self {
        Self {
            items,
            limits,
            position: 0,
            left_over: Vec::new(),
            refused: None,
        }
    }

    /// The index of the first item not yet in a piece.
    pub(super) fn position(&self) -> usize {
        self.position
    }
}

impl<I: Iterator> Cutter<I> {
    /// Skips the items before this one.
    /// Only valid before the first piece is cut.
    pub(super) fn skip_to(&mut self, index: usize) {
        let count = index.saturating_sub(self.position);
        self.position += self.items.by_ref().take(count).count();
    }

    /// Cuts the next piece, with the settings of this body.
    /// `None` when all items are in pieces.
    pub(super) fn cut<B: BatchBody>(&mut self, settings: &B) -> Result<Option<Piece>, RequestError>
    where
        I::Item: Borrow<B::Item>,
    {
        if let Some(refused) = self.refused.take() {
            self.position += 1;
            return Ok(Some(refused));
        }
        let mut json = serde_json::to_vec(settings).map_err(unwritable)?;
        json.truncate(json.len() - END.len());
        let head = json.len();
        let mut count = usize::from(!self.left_over.is_empty());
        json.append(&mut self.left_over);
        while count < self.limits.items {
            let Some(item) = self.items.next() else { break };
            let item: &B::Item = item.borrow();
            let end_of_body = json.len();
            if count > 0 {
                json.push(b',');
            }
            let start = json.len();
            serde_json::to_writer(&mut json, item).map_err(unwritable)?;
            if json.len() + END.len() <= self.limits.bytes {
                count += 1;
                continue;
            }
            let bytes = json.len() - start;
            if head + bytes + END.len() <= self.limits.bytes {
                self.left_over.extend_from_slice(&json[start..]);
            } else {
                self.refused = Some(Piece::TooLarge {
                    index: self.position + count,
                    external_id: B::external_id(item).map(str::to_owned),
                    bytes,
                });
            }
            json.truncate(end_of_body);
            break;
        }
        if count == 0 {
            // Nothing left, or a too large item that no body comes before.
            let refused = self.refused.take();
            self.position += usize::from(refused.is_some());
            return Ok(refused);
        }
        json.extend_from_slice(END);
        let items = self.position..self.position + count;
        self.position = items.end;
        let json = json.into();
        Ok(Some(Piece::Body { items, json }))
    }
}

fn unwritable(error: serde_json::Error) -> RequestError {
    RequestError(error.to_string())
}

#[cfg(test)]
mod tests;
