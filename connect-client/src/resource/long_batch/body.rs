//! The kinds of long batch.

use http::Method;
use serde::Serialize;

use super::Outcome;

/// The kind of a [`LongBatch`](crate::resource::LongBatch).
/// [`Batch`](crate::wire::Batch) is the kind of [`upsert_all`](crate::Records::upsert_all),
/// [`Counts`](crate::Counts) the kind of [`count_all`](crate::Records::count_all).
///
/// Sealed: the service decides the kinds of batch. Programs name the trait in code generic over the
/// kind:
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

    /// Returns the external id named by an item.
    fn external_id(item: &Self::Item) -> Option<&str>;
}

/// The SDK's internal facts about a kind.
///
/// A value is the request body without its items: the shared settings of all requests. Its JSON ends
/// with an empty list, the place of the items.
pub trait Sealed: Serialize {
    /// The method of the requests.
    const METHOD: Method;
    /// Maximum number of items per request.
    const MAX_ITEMS: usize;

    /// Sets whether the batch is a dry run.
    fn set_dry_run(&mut self, dry: bool);
}
