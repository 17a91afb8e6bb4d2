//! Tokens: listed, made with scopes per location, and revoked.

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
    },
    telemetry::recent_requests::RecentRequest,
};

const PATH: &str = "/dashboard/tokens";

/// A token of the list, and the time of its last use.
type Listed = (Token, Option<Timestamp>);

/// The most ended tokens shown.
const MOST_ENDED: usize = 100;

/// The choices of a token's lifetime: value, and label.
const EXPIRIES: &[(&str, &str)] = &[
    ("30", "After 30 days"),
    ("90", "After 90 days"),
    ("365", "After 1 year"),
    ("", "Never"),
];

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let tokens = to.connect.tokens(to.account().id).await?;
    let has_ended = |(token, _): &&Listed| to.connect.has_ended(token);
    let (ended, in_use): (Vec<_>, Vec<_>) = tokens.iter().partition(has_ended);
    let newest: Vec<_> = ended.iter().rev().take(MOST_ENDED).copied().collect();
    let new = html! { a.button href="/dashboard/tokens/new" { "Create token" } };
    let content = html! {
        p.hint { "With a token, other software uses the API at the locations and with the scopes you choose." }
        @if !tokens.is_empty() {
            p.hint {
                "“Last used” is exact for requests to this server. If several servers run, it may be a minute \
                 late for requests to the others."
            }
        }
        @if in_use.is_empty() {
            (components::empty("No tokens yet. Create one for each program that uses the API.", new))
        } @else {
            p { (new) }
            (table(to, "Tokens in use", &in_use, true))
        }
        @if !ended.is_empty() {
            details {
                summary { (ended.len()) " revoked or expired" }
                p.hint {
                    @if ended.len() > newest.len() { "The newest " (MOST_ENDED) " of them are shown. " }
                    "A token is removed from this list after " (ENDED_TOKEN_DAYS) " days."
                }
                (table(to, "Revoked and expired tokens", &newest, false))
            }
        }
    };
    Ok(layout::page(to, PATH, "Tokens", content))
}

fn table(to: &SignedIn<'_>, caption: &str, tokens: &[&Listed], in_use: bool) -> Markup {
    let head = html! {
        th { "Name" } th { "Token" } th { "Scopes" } th { "Last used" } th { "Expires" }
        @if in_use { th { span.hidden { "Actions" } } }
    };
    let rows = html! {
        @for (token, used) in tokens {
            tr {
                td { a href={ (PATH) "/" (token.id) } { (token.name) } }
                td { code { (token.prefix) "…" } }
                td { (grants(to, token)) }
                td { @match used { Some(at) => (components::time(*at)), None => "Never" } }
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
                @if grant.scopes.len() == Scope::KNOWN.len() { "everything" } @else {
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
        @if let Some(at) = token.revoked_at { "Revoked " (components::time(at)) }
        @else if let Some(at) = token.expires_at { (components::time(at)) }
        @else { "Never" }
    }
}

fn revoke_button(to: &SignedIn<'_>, token: &Token) -> Markup {
    let action = format!("{PATH}/{}/revoke", token.id);
    let button = html! { button.danger { "Revoke " (token.name) } };
    components::confirmed(
        &format!("Revoke… {}", token.name),
        "Revoke…",
        "Programs that use it are refused at once. This cannot be undone.",
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
            Some(days.ok_or_else(|| Reason::of("expiresAt", "must be a number of days"))?)
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
        let problem = "must be chosen: at least one, at a location";
        return Err(Reason::of("grants", problem));
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

fn form(to: &SignedIn<'_>, refused: Option<&Reason>) -> Answer {
    let locations = to.locations(UserRight::ManageTokens);
    let name = Field {
        label: "Name",
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: "The program that will use it. Changes made with it are shown under this name.",
        autocomplete: "off",
    };
    let expiry = if refused.is_none() {
        EXPIRIES[1].0
    } else {
        to.form.get("expiresAt")
    };
    let expiries = EXPIRIES.iter().copied();
    let problem = Problem::of("grants", refused);
    let fields = html! {
        (components::problem(refused, &["name", "expiresAt", "grants"]))
        (name.render(refused))
        (inputs::choice("Expires", "expiresAt", expiries, expiry, refused))
        (problem.render("Scopes"))
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
        button { "Create token" }
    };
    let content = html! {
        @if locations.is_empty() {
            (components::empty(
                "A token is for locations, and this account has none yet. Ask the operator of this server \
                 to add one.",
                html! {},
            ))
        } @else { (components::form(PATH, &to.csrf, fields)) }
    };
    layout::page(to, PATH, "Create token", content)
}

fn created(to: &SignedIn<'_>, done: &Execution<'_>) -> Answer {
    let value = done.secret.as_ref();
    let call = format!(
        "curl -H \"Authorization: Bearer {}\" {}/locations",
        value.map(ShownOnce::expose).unwrap_or_default(),
        to.context.api_url
    );
    let content = html! {
        (components::shown_once("Token", value))
        h2 { "Try it" }
        pre { code { (call) } }
        p { a href=(PATH) { "Back to the tokens" } }
    };
    let title = format!("Token “{}” created", to.form.get("name").trim());
    layout::page(to, PATH, &title, content)
}

/// Revokes a token.
pub(super) async fn revoke(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    to.execute(TokenCommand::Revoke { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::TokenRevoked)))
}

/// Shows the last requests of a token.
pub(super) async fn requests(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    let tokens = to.connect.tokens(to.account().id).await?;
    let found = tokens.into_iter().find(|(token, _)| token.id == id);
    let (token, _) = found.ok_or_else(components::gone)?;
    let mut requests = to.context.recent.of(id);
    if let Some(days) = to.account().retention.request_days {
        let since = to.connect.now().plus_seconds(-i64::from(days) * 24 * 3600);
        requests.retain(|request| request.at >= since);
    }
    let content = html! {
        p.hint { "The last 100 requests with this token since the server was started." }
        @if requests.is_empty() {
            (components::empty("No requests with this token yet.", html! {}))
        } @else { (request_table(&requests)) }
        p { a href=(PATH) { "Back to the tokens" } }
    };
    Ok(layout::page(
        to,
        PATH,
        &format!("Requests of “{}”", token.name),
        content,
    ))
}

fn request_table(requests: &[RecentRequest]) -> Markup {
    let head = html! {
        th { "Time" } th { "Request" } th { "Status" } th { "Idempotency key" } th { "Request ID" }
    };
    let rows = html! {
        @for request in requests {
            @let failed = request.status.is_client_error() || request.status.is_server_error();
            tr {
                td { (components::time(request.at)) }
                td { code { (request.method) " " (request.path) } }
                td { span.tag.bad[failed] { (request.status.as_u16()) } }
                td { @if let Some(key) = &request.key { code { (key) } } }
                td { code { (request.request_id) } }
            }
        }
    };
    components::table("Last requests", head, rows)
}
