//! Iteration over all rows of a store, in pages of limited memory.

use std::collections::VecDeque;

use super::{error::TransferError, marker::marker_key, restored::restored_key};
use crate::storage::{Entry, MAX_KEY_LEN, MAX_VALUE_LEN, Range, Read, Storage};

/// The rows of the first page.
const FIRST_PAGE: usize = 16;

/// The most rows of a page.
const MOST: usize = 128;

/// The target size of a page, in bytes.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// All rows of a store in the order of their keys, without marks.
pub(super) struct StoreWalk<'s> {
    storage: &'s dyn Storage,
    page: VecDeque<Entry>,
    /// The first unread key; `None` at the end.
    from: Option<Vec<u8>>,
    /// The number of rows in the next page.
    limit: usize,
}

impl<'s> StoreWalk<'s> {
    /// All rows after this key, or all rows.
    pub(super) fn behind(storage: &'s dyn Storage, last: Option<&[u8]>) -> Self {
        Self {
            storage,
            page: VecDeque::new(),
            from: Some(last.map_or_else(Vec::new, following)),
            limit: FIRST_PAGE,
        }
    }

    /// Returns the next row.
    ///
    /// # Errors
    /// The store does not answer, or has a row beyond the limits of length.
    pub(super) async fn next(&mut self) -> Result<Option<Entry>, TransferError> {
        let marks = [marker_key(), restored_key()];
        loop {
            while let Some(row) = self.page.pop_front() {
                if !marks.contains(&row.0) {
                    return checked(row).map(Some);
                }
            }
            let Some(from) = self.from.take() else {
                return Ok(None);
            };
            self.read(&from).await?;
        }
    }

    async fn read(&mut self, from: &[u8]) -> Result<(), TransferError> {
        let limit = self.limit;
        let read = Read::Scan {
            range: Range { from, to: None },
            limit,
            newest_first: false,
        };
        let page = self.storage.read(&[read]).await?.entries()?;
        if page.len() >= limit {
            self.from = page.last().map(|(key, _)| following(key));
        }
        let longest = page.iter().map(|(key, value)| key.len() + value.len());
        // Rows of a kind are adjacent, so the longest row predicts the next page. The limit at most
        // doubles, because the next rows may be longer.
        let fit = PAGE_BYTES / longest.max().unwrap_or(0).max(1);
        self.limit = fit.clamp(1, MOST.min(2 * limit));
        self.page = page.into();
        Ok(())
    }
}

/// The first possible key after this one.
fn following(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// Returns the row if its lengths are within the limits of every backend.
///
/// # Errors
/// They are not.
pub(super) fn checked(row: Entry) -> Result<Entry, TransferError> {
    if row.0.len() > MAX_KEY_LEN || row.1.len() > MAX_VALUE_LEN {
        return Err(TransferError::TooLong(hex::encode(&row.0)));
    }
    Ok(row)
}
