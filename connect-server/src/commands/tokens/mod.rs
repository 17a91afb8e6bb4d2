//! Tokens: made, listed and revoked.

mod command;
mod text;
mod view;

use connect_core::{
    Account, Connect, Error, Grant, NewToken, Token,
    wire::{Id, Location, Scope, Timestamp},
};
use serde_json::Value;

pub use self::{
    command::{Rights, TokenCommand},
    view::{NewTokenView, TokenState, TokenView},
};
use super::execution::{Execution, OfAccount, Shown, known, missing, not_found, shown};
use crate::telemetry::audit::Action;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

impl OfAccount for Token {
    const NAME: &'static str = "token";
    const ADVICE: &'static str = "; `connect-server token list` lists them";

    async fn is_of(id: Id<Self>, account: Id<Account>, connect: &Connect) -> Result<bool, Error> {
        let tokens = connect.tokens(account).await?;
        Ok(tokens.iter().any(|(token, _)| token.id == id))
    }
}

/// Executes a command.
///
/// # Errors
/// There is no such account, location or token, or a value is not allowed.
pub(super) async fn execute<'a>(
    command: &TokenCommand,
    to: &mut Execution<'a>,
) -> Result<Shown<'a>, Error> {
    let connect = to.connect;
    Ok(match command {
        TokenCommand::Create {
            name,
            rights,
            locations,
            account,
            expires_in,
            expires_at,
        } => {
            let named = rights.grants.iter().map(|grant| grant.location_id);
            let named: Vec<_> = locations.iter().copied().chain(named).collect();
            let account = to.new_in(Action::CreateToken, *account, &named).await?;
            let account = connect.account(account).await?;
            let new = NewToken {
                name: name.clone(),
                expires_at: expires_at.or(expires_in.map(|days| in_days(connect, days))),
                grants: grants(rights, locations, &account)?,
            };
            let issued = connect.create_token(account.id, new).await?;
            to.subject.is(issued.token.id);
            known(NewTokenView {
                made: issued.token,
                value: to.show_once(&issued.secret),
                api_available: !account.screens.is_empty(),
            })
        }
        TokenCommand::List { all } => {
            let mut listed = Vec::new();
            for account in to.accounts().await? {
                listed.extend(views(connect, account).await?);
            }
            listed.retain(|view| *all || view.token.revoked_at.is_none());
            known(listed)
        }
        TokenCommand::Revoke { id } => {
            let account = to.on(Action::RevokeToken, *id).await?;
            connect.revoke_token(account, *id).await?;
            let id = *id;
            shown(async move {
                let found = views(connect, account).await?;
                let found = found.into_iter().find(|view| view.token.id == id);
                found.ok_or_else(|| missing(id))
            })
        }
    })
}

fn in_days(connect: &Connect, days: u16) -> Timestamp {
    connect
        .now()
        .plus_seconds(i64::from(days) * SECONDS_PER_DAY)
}

/// Returns the rights of a new token, location by location.
///
/// # Errors
/// The account has no such location, or none at all.
fn grants(
    rights: &Rights,
    locations: &[Id<Location>],
    account: &Account,
) -> Result<Vec<Grant>, Error> {
    let of_account: Vec<_> = account.locations.iter().map(|at| at.id).collect();
    if of_account.is_empty() {
        let problem = "the account has no location; `connect-server location create` makes one";
        return Err(not_found(problem.to_owned()));
    }
    let grants = if rights.grants.is_empty() {
        let scopes = if rights.all_scopes {
            Scope::KNOWN
        } else {
            &rights.scopes
        };
        let at = |location_id: &Id<Location>| Grant {
            location_id: *location_id,
            scopes: scopes.to_vec(),
        };
        let chosen = if locations.is_empty() {
            &of_account
        } else {
            locations
        };
        chosen.iter().map(at).collect()
    } else {
        rights.grants.clone()
    };
    match grants
        .iter()
        .find(|grant| !of_account.contains(&grant.location_id))
    {
        None => Ok(grants),
        Some(Grant { location_id, .. }) => {
            let (id, name) = (account.id, &account.name);
            let problem = format!(
                "there is no location {location_id} in account {id} ({name}); \
                 `connect-server location list` lists them"
            );
            Err(not_found(problem))
        }
    }
}

/// Returns the tokens of an account, oldest first.
async fn views(connect: &Connect, account: Id<Account>) -> Result<Vec<TokenView>, Error> {
    let tokens = connect.tokens(account).await?.into_iter();
    let view = |(token, last_used_at)| TokenView {
        state: TokenState::of(&token, connect),
        token,
        last_used_at,
    };
    Ok(tokens.map(view).collect())
}

/// Returns the result of a command as text.
///
/// # Errors
/// It is not a result of this command.
pub(super) fn text(command: &TokenCommand, result: Value) -> serde_json::Result<String> {
    use serde_json::from_value;
    Ok(match command {
        TokenCommand::Create { .. } => text::created(&from_value(result)?),
        TokenCommand::List { .. } => text::tokens(&from_value::<Vec<_>>(result)?),
        TokenCommand::Revoke { .. } => text::token(&from_value(result)?),
    })
}
