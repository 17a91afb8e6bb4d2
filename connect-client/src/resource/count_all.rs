//! Counting the stock of any number of products.

use std::{fmt, ops::Range};

use super::Records;
use crate::{
    Error,
    wire::{StockCounts, StockCountsResult, StockLevel, limits::MAX_STOCK_COUNTS},
};

impl Records<StockLevel> {
    /// Counts any number of products, in as few requests as the service's limit allows (1000
    /// products each), one after the other. The places in the result are those in `counts`.
    ///
    /// # Errors
    /// A request failed; the error says what was counted before.
    pub async fn count_all(&self, counts: &StockCounts) -> Result<StockCountsResult, CountError> {
        let mut counted = StockCountsResult::default();
        let mut start = 0;
        for items in counts.items.chunks(MAX_STOCK_COUNTS) {
            let part = StockCounts {
                items: items.to_vec(),
                note: counts.note.clone(),
                dry_run: counts.dry_run,
            };
            let items = start..start + items.len();
            match self.count_many(&part).await {
                Ok(part) => add(&mut counted, part, start),
                Err(error) => {
                    return Err(CountError {
                        counted,
                        items,
                        error,
                    });
                }
            }
            start = items.end;
        }
        Ok(counted)
    }
}

/// Adds the result of the request whose first item is at `start`.
fn add(total: &mut StockCountsResult, part: StockCountsResult, start: usize) {
    total.updated = total.updated.saturating_add(part.updated);
    total.unchanged = total.unchanged.saturating_add(part.unchanged);
    total.failed = total.failed.saturating_add(part.failed);
    total
        .results
        .extend(part.results.into_iter().map(|mut item| {
            item.index = item.index.saturating_add(start);
            item
        }));
}

/// A count of many products stopped at a request that failed.
///
/// The items before [`items`](Self::items) are counted, or were refused one by one. Nothing after
/// them was sent. If the failed request [may have been applied](Error::may_be_applied), send exactly
/// its items again with its [key](Error::idempotency_key). A new key would count them anew, and undo
/// what was sold since.
pub struct CountError {
    counted: StockCountsResult,
    items: Range<usize>,
    error: Error,
}

impl CountError {
    /// Returns the result of the requests before.
    pub fn counted(&self) -> &StockCountsResult {
        &self.counted
    }

    /// The items of the request that failed.
    pub fn items(&self) -> Range<usize> {
        self.items.clone()
    }

    /// Returns the reason.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.items;
        write!(f, "counts {start}..{end}: {}", self.error)
    }
}

impl fmt::Debug for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CountError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<CountError> for Error {
    fn from(error: CountError) -> Self {
        error.error
    }
}
