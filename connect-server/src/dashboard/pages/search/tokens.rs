//! Hits among tokens.

use connect_core::{Error, Token};

use super::{
    hits::{Hit, HitGroup},
    sought::Sought,
};
use crate::dashboard::page_request::SignedIn;

const PATH: &str = "/dashboard/tokens";

/// Finds tokens by a part of their name, visible beginning or id.
/// Those in use come first.
pub(super) async fn tokens(to: &SignedIn<'_>, sought: &Sought<'_>) -> Result<HitGroup, Error> {
    let all = to.connect.tokens(to.account().id).await?;
    let mut found: Vec<_> = all.iter().map(|(token, _)| token).collect();
    found.retain(|token| is_hit(token, sought));
    found.reverse();
    found.sort_by_key(|token| to.connect.has_ended(token));
    let hits = found.iter().map(|token| {
        let beginning = format!("{}…", token.prefix);
        let is_exact = sought.is_id(token.id) || token.prefix == sought.text;
        Hit::new(&*token.name, format!("{PATH}/{}", token.id))
            .with([&*beginning])
            .exact(is_exact)
    });
    let title = text!("section-tokens");
    Ok(HitGroup::of(title, hits.collect(), Some(PATH)))
}

/// Returns whether a token is found.
/// Nothing is known of its value beyond the visible beginning.
fn is_hit(token: &Token, sought: &Sought<'_>) -> bool {
    sought.is_id(token.id) || sought.is_in(&token.name) || token.prefix.starts_with(sought.text)
}
