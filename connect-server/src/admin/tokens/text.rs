//! The results of commands about tokens, as people get them.

use connect_core::{
    Token,
    wire::{Scope, Timestamp},
};

use super::view::{NewTokenView, TokenView};

/// Shows a new token with its value.
pub(super) fn created(new: &NewTokenView) -> String {
    let (id, name, value) = (new.made.id, &new.made.name, new.value.expose());
    let mut text = format!("{id}  {name}  token {value}  (shown this once)");
    if !new.api_available {
        text.push_str(
            "\nThe API answers it once its account has a screen: `connect-server screen create`.",
        );
    }
    text
}

/// Shows tokens.
pub(super) fn tokens(tokens: &[TokenView], now: Timestamp) -> String {
    if tokens.is_empty() {
        return "There are no tokens. `connect-server token create` makes one.".to_owned();
    }
    let each: Vec<_> = tokens.iter().map(|view| token(view, now)).collect();
    each.join("\n\n")
}

/// Shows a token: its name and prefix, and a line for each of its facts.
pub(super) fn token(view: &TokenView, now: Timestamp) -> String {
    let token = &view.token;
    let last_use = match view.last_used_at {
        Some(at) => at.to_string(),
        None => "never".to_owned(),
    };
    let mut text = format!("{}  {}  {}...", token.id, token.name, token.prefix);
    let facts = [
        ("account", token.account_id.to_string()),
        ("status", status(token, now)),
        ("last use", last_use),
    ];
    for (name, value) in facts {
        text.push_str(&format!("\n  {name:<8}  {value}"));
    }
    for grant in &token.grants {
        let scopes: Vec<_> = grant.scopes.iter().map(Scope::as_str).collect();
        let scopes = scopes.join(", ");
        text.push_str(&format!("\n  at {}  {scopes}", grant.location_id));
    }
    text
}

fn status(token: &Token, now: Timestamp) -> String {
    match (token.revoked_at, token.expires_at) {
        (Some(at), _) => format!("revoked on {at}"),
        (None, Some(at)) if at <= now => format!("expired on {at}"),
        (None, Some(at)) => format!("good until {at}"),
        (None, None) => "good".to_owned(),
    }
}
