//! A long batch that stopped half way.

use std::{fmt, ops::Range};

use super::Outcome;
use crate::Error;

/// A batch of any length stopped at a request that failed.
///
/// Everything before [`resume_from`](Self::resume_from) is saved, or was refused item by item.
/// Nothing after the failed request's [`items`](Self::items) was sent. Those items are not saved,
/// unless [`may_be_saved`](Self::may_be_saved): then nobody knows.
///
/// To go on, send the items from `resume_from` on again: with
/// [`LongBatch::resume_from`](crate::resource::LongBatch::resume_from), or with the next call of
/// [`LongBatch::next`](crate::resource::LongBatch::next). What is saved already is then `unchanged`, given that
/// the items have the key by which they are matched.
///
/// `T` is the result of a batch of its kind, such as [`BatchResult`](crate::wire::BatchResult), with
/// what came of the items before. The error of a single step has none: the steps before have told
/// theirs.
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

    /// The error of a run that saved this before.
    pub(super) fn after<T>(self, saved: T) -> BatchError<T> {
        BatchError {
            saved,
            items: self.items,
            error: self.error,
        }
    }
}

impl<T: Outcome> BatchError<T> {
    /// Returns the result of the requests before. An item that was refused is in its `results` as
    /// failed.
    pub fn saved(&self) -> &T {
        &self.saved
    }
}

impl<T> BatchError<T> {
    /// The index of the item to go on with: the first that is not known to be saved or refused.
    pub fn resume_from(&self) -> usize {
        self.items.start
    }

    /// The items of the request that failed.
    pub fn items(&self) -> Range<usize> {
        self.items.clone()
    }

    /// Returns whether the items of the request that failed may be saved: after a timeout, a broken
    /// connection or a 5xx, unless the service settled it with a later answer. See
    /// [`Error::may_be_applied`].
    pub fn may_be_saved(&self) -> bool {
        self.error.may_be_applied()
    }

    /// Returns the reason. Its [`idempotency_key`](Error::idempotency_key) is the failed request's.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The error, without what was saved.
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
