//! The kinds of long batch.

use http::Method;
use serde::Serialize;

use super::Outcome;

/// The kind of a [`LongBatch`](crate::resource::LongBatch): [`Batch`](crate::wire::Batch) for
/// [`upsert_all`](crate::Records::upsert_all), [`Counts`](crate::Counts) for
/// [`count_all`](crate::Records::count_all).
///
/// Sealed: the service decides what is written in batches. Programs name it where they are generic over
/// the kind:
///
/// ```no_run
/// use std::borrow::Borrow;
///
/// use connect_client::{BatchBody, Error, LongBatch};
///
/// async fn import<B, I>(batch: LongBatch<B, I>) -> Result<B::Outcome, Error>
/// where
///     B: BatchBody,
///     I: Iterator<Item: Borrow<B::Item>>,
/// {
///     let steps = |step: &connect_client::Progress<_>| eprintln!("{:?}", step.items);
///     Ok(batch.run_with(steps).await?)
/// }
/// ```
pub trait BatchBody: Sealed {
    /// One item.
    type Item: Serialize;
    /// The result of one request, and of all.
    type Outcome: Outcome;

    /// Returns the external id that an item names.
    fn external_id(item: &Self::Item) -> Option<&str>;
}

/// The facts of a kind that only the SDK needs.
///
/// A value is the body without its items: the settings that all requests of a long batch share. Its
/// JSON ends with an empty list, where the items go.
pub trait Sealed: Serialize {
    /// The method of the requests.
    const METHOD: Method;
    /// The most items of one request.
    const MAX_ITEMS: usize;

    /// Sets whether to do all but save.
    fn set_dry_run(&mut self, dry: bool);
}
