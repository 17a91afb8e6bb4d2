//! Tokens: listed, made with scopes per location, and revoked.

use std::borrow::Cow;

use connect_core::{
    AccountLocation, Error, Grant, Reason, Token, UserRight,
    wire::{Id, Scope, Timestamp, limits::ENDED_TOKEN_DAYS},
};
use maud::{Markup, html};

use crate::{
    commands::{
        Execution, ShownOnce,
        tokens::{Rights, TokenCommand},
    },
    dashboard::{
        Answer, components,
        inputs::{self, Field, Problem},
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
        pages::{activity::changes_line, requests},
    },
};

const PATH: &str = "/dashboard/tokens";

/// A token of the list, and the time of its last use.
type Listed = (Token, Option<Timestamp>);

/// The most ended tokens shown.
const MOST_ENDED: usize = 100;

/// The lifetime of a token, unless another is chosen.
const DEFAULT_EXPIRY: &str = "90";

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let tokens = to.connect.tokens(to.account().id).await?;
    let has_ended = |(token, _): &&Listed| to.connect.has_ended(token);
    let (ended, in_use): (Vec<_>, Vec<_>) = tokens.iter().partition(has_ended);
    let newest: Vec<_> = ended.iter().rev().take(MOST_ENDED).copied().collect();
    let new = html! { a.button href="/dashboard/tokens/new" { (text!("tokens-create")) } };
    let content = html! {
        p.hint { (text!("tokens-about")) }
        @if !tokens.is_empty() {
            p.hint { (text!("tokens-last-used-hint")) }
        }
        @if in_use.is_empty() {
            (components::empty(&text!("tokens-empty"), new))
        } @else {
            p { (new) }
            (table(to, &text!("tokens-in-use"), &in_use, true))
        }
        @if !ended.is_empty() {
            details {
                summary { (text!("tokens-ended", count = ended.len())) }
                p.hint {
                    @if ended.len() > newest.len() {
                        (text!("tokens-ended-newest", count = MOST_ENDED)) " "
                    }
                    (text!("tokens-ended-removed", days = ENDED_TOKEN_DAYS))
                }
                (table(to, &text!("tokens-ended-table"), &newest, false))
            }
        }
    };
    Ok(layout::page(to, PATH, &text!("section-tokens"), content))
}

fn table(to: &SignedIn<'_>, caption: &str, tokens: &[&Listed], in_use: bool) -> Markup {
    let head = html! {
        th { (text!("word-name")) } th { (text!("field-token")) } th { (text!("tokens-scopes")) }
        th { (text!("word-last-used")) } th { (text!("tokens-expires")) }
        @if in_use { th { span.hidden { (text!("word-actions")) } } }
    };
    let rows = html! {
        @for (token, used) in tokens {
            tr {
                td { a href={ (PATH) "/" (token.id) } { (token.name) } }
                td { code { (token.prefix) "…" } }
                td { (grants(to, token)) }
                td { @match used { Some(at) => (components::time(*at)), None => (text!("word-never")) } }
                td { (end(token)) }
                @if in_use { td { (revoke_button(to, token)) } }
            }
        }
    };
    components::table(caption, head, rows)
}

/// The scopes of a token, a line for each location.
fn grants(to: &SignedIn<'_>, token: &Token) -> Markup {
    let name = |grant: &Grant| {
        let locations = &to.account().locations;
        let found = locations
            .iter()
            .find(|location| location.id == grant.location_id);
        found
            .map(|location| location.name.clone())
            .unwrap_or_default()
    };
    html! {
        @for grant in &token.grants {
            div {
                (name(grant)) ": "
                @if grant.scopes.len() == Scope::KNOWN.len() { (text!("tokens-everything")) } @else {
                    @for (place, scope) in grant.scopes.iter().enumerate() {
                        @if place > 0 { ", " }
                        code { (scope) }
                    }
                }
            }
        }
    }
}

fn end(token: &Token) -> Markup {
    html! {
        @if let Some(at) = token.revoked_at {
            (marked!("tokens-revoked-at", time = |_: &str| components::time(at)))
        }
        @else if let Some(at) = token.expires_at { (components::time(at)) }
        @else { (text!("word-never")) }
    }
}

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

/// Shows the form for a new token.
pub(super) fn fill_in(to: &SignedIn<'_>) -> Answer {
    form(to, None)
}

/// Makes a token, and shows its value once.
pub(super) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let made = match new_token(to) {
        Ok(new) => to.execute(new).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match made {
        Ok(done) => Ok(created(to, &done).made(done.subject)),
        Err(error) => components::again(error, async |reason| Ok(form(to, Some(reason)))).await,
    }
}

/// Reads the form.
fn new_token(to: &SignedIn<'_>) -> Result<TokenCommand, Reason> {
    let expires_in = match to.form.get("expiresAt") {
        "" => None,
        days => {
            let days = days.parse().ok();
            Some(days.ok_or_else(|| Reason::of("expiresAt", text!("word-must-be-days")))?)
        }
    };
    let mut grants = Vec::new();
    for location in to.locations(UserRight::ManageTokens) {
        let is_chosen = |scope: &&Scope| to.form.has("grant", &choice(location, scope));
        let scopes: Vec<Scope> = Scope::KNOWN.iter().filter(is_chosen).cloned().collect();
        if !scopes.is_empty() {
            grants.push(Grant {
                location_id: location.id,
                scopes,
            });
        }
    }
    if grants.is_empty() {
        return Err(Reason::of("grants", text!("tokens-scopes-problem")));
    }
    Ok(TokenCommand::Create {
        name: to.form.get("name").to_owned(),
        rights: Rights {
            grants,
            ..Rights::default()
        },
        locations: Vec::new(),
        account: None,
        expires_in,
        expires_at: None,
    })
}

/// The value of the check box of a scope at a location.
fn choice(location: &AccountLocation, scope: &Scope) -> String {
    format!("{} {scope}", location.id)
}

/// The choices of a token's lifetime: value, and label.
fn expiries() -> [(&'static str, Cow<'static, str>); 4] {
    [
        ("30", text!("tokens-after-days", days = 30_u32)),
        (DEFAULT_EXPIRY, text!("tokens-after-days", days = 90_u32)),
        ("365", text!("tokens-after-year")),
        ("", text!("word-never")),
    ]
}

fn form(to: &SignedIn<'_>, refused: Option<&Reason>) -> Answer {
    let locations = to.locations(UserRight::ManageTokens);
    let name = Field {
        label: text!("word-name"),
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: text!("tokens-name-hint"),
        autocomplete: "off",
    };
    let expiry = if refused.is_none() {
        DEFAULT_EXPIRY
    } else {
        to.form.get("expiresAt")
    };
    let problem = Problem::of("grants", refused);
    let fields = html! {
        (components::problem(refused, &["name", "expiresAt", "grants"]))
        (name.render(refused))
        (inputs::choice(&text!("tokens-expires"), "expiresAt", expiries(), expiry, refused))
        (problem.render(&text!("tokens-scopes")))
        @for location in &locations {
            fieldset {
                legend { (location.name) }
                div.choices {
                    @for scope in Scope::KNOWN {
                        @let value = choice(location, scope);
                        @let checked = to.form.has("grant", &value);
                        (inputs::check_box("grant", &value, checked, html! { code { (scope) } }, &problem))
                    }
                }
            }
        }
        button { (text!("tokens-create")) }
    };
    let content = html! {
        @if locations.is_empty() {
            (components::empty(&text!("tokens-no-locations"), html! {}))
        } @else { (components::form(PATH, &to.csrf, fields)) }
    };
    layout::page(to, PATH, &text!("tokens-create"), content)
}

fn created(to: &SignedIn<'_>, done: &Execution<'_>) -> Answer {
    let value = done.secret.as_ref();
    let call = format!(
        "curl -H \"Authorization: Bearer {}\" {}/locations",
        value.map(ShownOnce::expose).unwrap_or_default(),
        to.context.api_url
    );
    let content = html! {
        (components::shown_once(&text!("field-token"), value))
        h2 { (text!("tokens-try")) }
        pre { code { (call) } }
        p { a href=(PATH) { (text!("tokens-back")) } }
    };
    let title = text!("tokens-created", name = to.form.get("name").trim());
    layout::page(to, PATH, &title, content)
}

/// Revokes a token.
pub(super) async fn revoke(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    to.execute(TokenCommand::Revoke { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::TokenRevoked)))
}

/// Shows a token and its changes, with a link to its requests.
pub(super) async fn requests(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    let tokens = to.connect.tokens(to.account().id).await?;
    let found = tokens.into_iter().find(|(token, _)| token.id == id);
    let (token, _) = found.ok_or_else(components::gone)?;
    let content = html! {
        p { a href=(requests::of_token(id)) { (text!("tokens-last-requests")) } }
        (changes_line(to, id, &token.name))
        p { a href=(PATH) { (text!("tokens-back")) } }
    };
    let title = text!("tokens-requests-of", name = &token.name);
    Ok(layout::page(to, PATH, &title, content))
}
