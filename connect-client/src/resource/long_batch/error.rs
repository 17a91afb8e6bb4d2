//! The error of an incomplete long batch.

use std::{fmt, ops::Range};

use super::Outcome;
use crate::Error;

/// The failure of a long batch at one of its requests.
///
/// All items before [`resume_from`](Self::resume_from) were saved, or refused one by one. No items
/// after the failed request's [`items`](Self::items) were sent. The items of the failed request are not
/// saved, unless [`may_be_saved`](Self::may_be_saved) is true: then their state is unknown.
///
/// To continue, send the items from `resume_from` on again: with
/// [`LongBatch::resume_from`](crate::resource::LongBatch::resume_from), or with the next call of
/// [`LongBatch::next`](crate::resource::LongBatch::next). Items already saved are then `unchanged`,
/// provided they have the field used for matching.
///
/// `T` is the result type of the batch, such as [`BatchResult`](crate::wire::BatchResult), with the
/// results of the earlier items. The error of a single step has `()`, as the earlier steps have already
/// returned their results.
pub struct BatchError<T = ()> {
    saved: T,
    items: Range<usize>,
    error: Error,
}

impl BatchError {
    /// The error of a step with these items.
    pub(super) fn new(items: Range<usize>, error: Error) -> Self {
        Self {
            saved: (),
            items,
            error,
        }
    }

    /// The error of a run, with the results saved before it.
    pub(super) fn after<T>(self, saved: T) -> BatchError<T> {
        BatchError {
            saved,
            items: self.items,
            error: self.error,
        }
    }
}

impl<T: Outcome> BatchError<T> {
    /// Returns the result of the earlier requests.
    /// Refused items are in its `results` as failed.
    pub fn saved(&self) -> &T {
        &self.saved
    }
}

impl<T> BatchError<T> {
    /// Returns the index to resume from.
    /// It is the first item not known to be saved or refused.
    pub fn resume_from(&self) -> usize {
        self.items.start
    }

    /// Returns the items of the failed request.
    pub fn items(&self) -> Range<usize> {
        self.items.clone()
    }

    /// Returns whether the items of the failed request may be saved.
    /// True after a timeout, a broken connection or a 5xx, unless a later answer from the service
    /// settled it. See [`Error::may_be_applied`].
    pub fn may_be_saved(&self) -> bool {
        self.error.may_be_applied()
    }

    /// Returns the reason for the failure.
    /// Its [`idempotency_key`](Error::idempotency_key) is the failed request's.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Returns the error without the saved results.
    pub fn into_error(self) -> Error {
        self.error
    }
}

impl<T> fmt::Display for BatchError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.items;
        let outcome = if self.may_be_saved() {
            "may be saved"
        } else {
            "are not saved"
        };
        if start == end {
            write!(f, "items before {start} are done, no others: ")?;
        } else {
            write!(f, "items {start}..{end} {outcome}; those before are done: ")?;
        }
        self.error.fmt(f)
    }
}

impl<T> fmt::Debug for BatchError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f
                .debug_struct("BatchError")
                .field("items", &self.items)
                .field("error", &self.error)
                .finish_non_exhaustive();
        }
        fmt::Display::fmt(self, f)
    }
}

impl<T> std::error::Error for BatchError<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<T> From<BatchError<T>> for Error {
    fn from(error: BatchError<T>) -> Self {
        error.error
    }
}
