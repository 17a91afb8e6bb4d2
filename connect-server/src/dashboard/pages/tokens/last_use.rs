//! The last use of a token: when, with what, and from where.

use std::collections::HashMap;

use connect_core::{AnsweredRequest, Error, Token, wire::Id};
use maud::{Markup, html};

use super::UsedToken;
use crate::dashboard::{components, page_request::SignedIn};

/// The last requests of tokens.
pub(super) struct LastUses(HashMap<Id<Token>, AnsweredRequest>);

impl LastUses {
    /// Finds the last request of each token of the account.
    pub(super) async fn find(to: &SignedIn<'_>) -> Result<Self, Error> {
        let found = to.connect.last_requests(to.account().id).await?;
        let found = found.into_iter().map(|request| (request.token_id, request));
        Ok(Self(found.collect()))
    }

    /// Takes the last request of each token among these, newest first.
    pub(super) fn among(requests: &[AnsweredRequest]) -> Self {
        let oldest_first = requests.iter().rev().cloned();
        let by_token = oldest_first.map(|request| (request.token_id, request));
        Self(by_token.collect())
    }

    /// Shows the last use of a token.
    pub(super) fn of(&self, (token, used): &UsedToken) -> Markup {
        html! {
            @match used { Some(at) => (components::time(*at)), None => (text!("word-never")) }
            @if let Some(request) = self.0.get(&token.id) {
                p.hint {
                    code { (request.method) " " (request.path) } " "
                    (text!("tokens-used-from", address = request.address.to_string()))
                    @if let Some(client) = &request.client { " (" (client) ")" }
                }
            }
        }
    }
}
