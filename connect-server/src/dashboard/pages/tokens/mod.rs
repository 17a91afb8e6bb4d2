//! Tokens: listed, made for tasks, shown with requests, and revoked.

mod created;
mod form;
mod last_use;
mod list;
mod presets;
mod requests;
mod scopes;
mod show;
mod status;

use connect_core::{
    Error, Token,
    wire::{Id, Timestamp},
};
use maud::{Markup, html};

pub(super) use form::{create, fill_in};
pub(super) use list::list;
pub(super) use scopes::tasks;
pub(super) use show::show;

use crate::{
    commands::tokens::TokenCommand,
    dashboard::{
        Answer, components,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

const PATH: &str = "/dashboard/tokens";

const NEW: &str = "/dashboard/tokens/new";

/// A token, and the time of its last use.
type UsedToken = (Token, Option<Timestamp>);

/// The button to revoke a token, behind a step of its own.
fn revoke_button(to: &SignedIn<'_>, token: &Token) -> Markup {
    let action = format!("{PATH}/{}/revoke", token.id);
    let button = html! { button.danger { (text!("tokens-revoke", name = &token.name)) } };
    components::confirmed(
        &text!("tokens-revoke-open-of", name = &token.name),
        &text!("tokens-revoke-open"),
        &text!("tokens-revoke-consequence"),
        components::form(&action, &to.csrf, button),
    )
}

/// Revokes a token.
pub(super) async fn revoke(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    to.execute(TokenCommand::Revoke { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::TokenRevoked)))
}
