//! The page of a token: tasks, times and last requests.

use connect_core::{AccountLocation, Error, Grant, Token, wire::Id};
use maud::{Markup, html};

use super::{
    PATH, UsedToken,
    last_use::LastUses,
    requests::{last_requests, short_list},
    revoke_button, scopes, status,
};
use crate::dashboard::{
    Answer, components, layout, page_request::SignedIn, pages::activity::changes_line,
};

/// Shows the page.
pub(crate) async fn show(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    let tokens = to.connect.tokens(to.account().id).await?;
    let found = tokens.into_iter().find(|(token, _)| token.id == id);
    let found = found.ok_or_else(components::gone)?;
    let (token, _) = &found;
    let requests = last_requests(to, id).await?;
    let uses = LastUses::among(&requests);
    let content = html! {
        (facts(to, &found, &uses))
        @if !to.connect.has_ended(token) { div.actions { (revoke_button(to, token)) } }
        h2 { (text!("tokens-last-requests")) }
        (short_list(id, &requests))
        (changes_line(to, id, &token.name))
        p { a href=(PATH) { (text!("tokens-back")) } }
    };
    Ok(layout::page(to, PATH, &token.name, content))
}

fn facts(to: &SignedIn<'_>, found: &UsedToken, uses: &LastUses) -> Markup {
    let (token, _) = found;
    html! {
        dl.facts {
            dt { (text!("word-status")) }
            dd {
                @match token.revoked_at {
                    Some(at) => (marked!("tokens-revoked-at", time = |_: &str| components::time(at))),
                    None => (status::badge(to, token)),
                }
            }
            dt { (text!("field-token")) } dd { code { (token.prefix) "…" } }
            @for grant in &token.grants {
                dt { (text!("tokens-tasks-of", location = name(to, grant))) }
                dd { @for scope in &grant.scopes { div { (scopes::task_with_scope(scope)) } } }
            }
            dt { (text!("tokens-made")) } dd { (components::time(token.created_at)) }
            dt { (text!("tokens-expires")) }
            dd { @match token.expires_at { Some(at) => (components::time(at)), None => (text!("word-never")) } }
            dt { (text!("word-last-used")) } dd { (uses.of(found)) }
        }
    }
}

/// The name of the location of a grant.
fn name<'t>(to: &'t SignedIn<'_>, grant: &Grant) -> &'t str {
    let is_it = |location: &&AccountLocation| location.id == grant.location_id;
    let location = to.account().locations.iter().find(is_it);
    location.map_or("", |location| &location.name)
}
