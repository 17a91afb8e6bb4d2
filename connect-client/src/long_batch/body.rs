//! The kinds of long batch.

use http::Method;
use serde::Serialize;

use super::Outcome;

/// The body of a batch without its items: the settings that all requests of a long batch share.
///
/// Its JSON ends with an empty list, where the items go.
pub trait Body: Serialize {
    /// One item.
    type Item: Serialize;
    /// The result of one request, and of all.
    type Outcome: Outcome;
    /// The method of the requests.
    const METHOD: Method;
    /// The most items of one request.
    const MAX_ITEMS: usize;

    /// Sets whether to do all but save.
    fn set_dry_run(&mut self, dry: bool);

    /// The external id that an item names.
    fn external_id(item: &Self::Item) -> Option<&str>;
}
