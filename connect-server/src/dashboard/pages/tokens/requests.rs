//! The last requests of a token.

use connect_core::{AnsweredRequest, Error, RequestFilter, Token, wire::Id};
use maud::{Markup, html};

use crate::dashboard::{components, page_request::SignedIn, pages::requests};

/// The most requests on the page of a token.
const SHOWN: usize = 20;

/// Finds the last requests of a token, newest first.
pub(super) async fn last_requests(
    to: &SignedIn<'_>,
    id: Id<Token>,
) -> Result<Vec<AnsweredRequest>, Error> {
    let filter = RequestFilter {
        token: Some(id),
        ..RequestFilter::default()
    };
    let found = to.connect.requests(to.account().id, &filter, None, SHOWN);
    Ok(found.await?.data)
}

/// Shows the last requests of a token, with a link to all of them.
pub(super) fn short_list(id: Id<Token>, found: &[AnsweredRequest]) -> Markup {
    html! {
        @if found.is_empty() {
            (components::empty(&text!("tokens-requests-empty"), html! {}))
        } @else {
            (requests::short_table(found))
            p { a href=(requests::of_token(id)) { (text!("tokens-all-requests")) } }
        }
    }
}
