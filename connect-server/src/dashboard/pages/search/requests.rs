//! Hits among the requests of tokens, by request ID or idempotency key.

use connect_core::{Error, RequestFilter, wire::IdempotencyKey};

use super::hits::{Hit, MOST_HITS};
use crate::dashboard::{messages::dates, page_request::SignedIn, pages::requests};

/// Finds requests by their ID or idempotency key.
/// At most the last 20 000 are looked at.
pub(super) async fn requests(to: &SignedIn<'_>, text: &str) -> Result<Vec<Hit>, Error> {
    if !may_name_request(text) {
        return Ok(Vec::new());
    }
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

/// Returns whether a text may be a request's ID or key.
/// A word alone is taken for a name, though a key may be one: most searches are for names.
fn may_name_request(text: &str) -> bool {
    let is_word = text.chars().all(char::is_alphabetic);
    !is_word && IdempotencyKey::new(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_looked_for_among_requests() {
        for (text, may_be) in [
            ("0199e3a1-7c00-7000-8000-000000000001", true),
            ("order-17", true),
            ("r_1", true),
            ("17", true),
            ("", false),
            ("Bread", false),
            ("rye bread 2", false),
            ("crème-2", false),
            (&*"1".repeat(101), false),
        ] {
            assert_eq!(may_name_request(text), may_be, "{text}");
        }
    }
}
