//! The results of token commands as text.

use connect_core::wire::Scope;

use super::view::{NewTokenView, TokenState, TokenView};

/// Formats a new token with its value.
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

/// Formats tokens.
pub(super) fn tokens(tokens: &[TokenView]) -> String {
    if tokens.is_empty() {
        return "There are no tokens. `connect-server token create` makes one.".to_owned();
    }
    let each: Vec<_> = tokens.iter().map(token).collect();
    each.join("\n\n")
}

/// Formats a token: name and prefix, then a line per property.
pub(super) fn token(view: &TokenView) -> String {
    let token = &view.token;
    let last_use = match view.last_used_at {
        Some(at) => at.to_string(),
        None => "never".to_owned(),
    };
    let mut text = format!("{}  {}  {}...", token.id, token.name, token.prefix);
    let facts = [
        ("account", token.account_id.to_string()),
        ("status", status(view)),
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

fn status(view: &TokenView) -> String {
    let (revoked, expires) = (view.token.revoked_at, view.token.expires_at);
    let (words, at) = match view.state {
        TokenState::Revoked => ("revoked on", revoked),
        TokenState::Expired => ("expired on", expires),
        TokenState::Good => ("good until", expires),
    };
    at.map_or_else(|| "good".to_owned(), |at| format!("{words} {at}"))
}
