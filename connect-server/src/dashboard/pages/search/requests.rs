//! Hits among the requests of tokens, by request ID or idempotency key.

use connect_core::{Error, RequestFilter};

use super::hits::{Hit, MOST_HITS};
use crate::dashboard::{messages::dates, page_request::SignedIn, pages::requests};

/// Finds requests by their ID or idempotency key.
pub(super) async fn requests(to: &SignedIn<'_>, text: &str) -> Result<Vec<Hit>, Error> {
    let filter = RequestFilter {
        id: Some(text.to_owned()),
        ..RequestFilter::default()
    };
    let found = to
        .connect
        .requests(to.account().id, &filter, None, MOST_HITS);
    let found = found.await?.data.into_iter();
    let hit = |request: connect_core::AnsweredRequest| {
        let title = format!("{} {}", request.method, request.path);
        let (status, at) = (request.status.to_string(), dates::date_time(request.at));
        Hit::new(title, requests::of_id(text))
            .with([&*status, &at])
            .exact(true)
    };
    Ok(found.map(hit).collect())
}
