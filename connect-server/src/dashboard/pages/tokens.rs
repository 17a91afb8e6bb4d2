//! Tokens: listed, made with scopes per location, and revoked.

use connect_core::{
    AccountLocation, Error, Grant, IssuedToken, NewToken, Reason, Token,
    wire::{Id, Scope, Timestamp},
};
use http::StatusCode;
use maud::{Markup, html};

use crate::{
    dashboard::{
        Answer,
        components::{self, Field},
        layout,
        notices::{self, Notice},
        visit::SignedIn,
    },
    recent_requests::RecentRequest,
};

const PATH: &str = "/dashboard/tokens";

const DAY: i64 = 24 * 3600;

/// The choices of how long a token is good: value, and words.
const EXPIRIES: &[(&str, &str)] = &[
    ("30", "After 30 days"),
    ("90", "After 90 days"),
    ("365", "After a year"),
    ("", "Never"),
];

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let tokens = to.connect.tokens(to.owner.account().id).await?;
    let now = to.connect.now();
    let (good, ended): (Vec<_>, Vec<_>) = tokens.iter().partition(|(token, _)| {
        token.revoked_at.is_none() && token.expires_at.is_none_or(|expiry| expiry > now)
    });
    let new = html! { a.button href="/dashboard/tokens/new" { "New token" } };
    let content = html! {
        p.hint { "A token lets other software use the API at the locations and for the scopes you choose." }
        @if good.is_empty() {
            (components::empty("There is no token yet. Make one for each program that uses the API.", new))
        } @else {
            p { (new) }
            (table(to, &good, true))
        }
        @if !ended.is_empty() {
            details {
                summary { (ended.len()) " revoked or expired" }
                (table(to, &ended, false))
            }
        }
    };
    Ok(layout::page(to, PATH, "Tokens", content))
}

fn table(to: &SignedIn<'_>, tokens: &[&(Token, Option<Timestamp>)], good: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Table" { table {
            thead { tr {
                th { "Name" } th { "Begins with" } th { "Scopes" } th { "Last used" } th { "Ends" }
                @if good { th { span.skip { "Action" } } }
            } }
            tbody {
                @for (token, used) in tokens {
                    tr {
                        td { a href={ (PATH) "/" (token.id) } { (token.name) } }
                        td { code { (token.prefix) "…" } }
                        td { (grants(to, token)) }
                        td { @match used { Some(at) => (components::time(*at)), None => "Never" } }
                        td { (end(token)) }
                        @if good { td { (revoke_button(to, token)) } }
                    }
                }
            }
        } }
    }
}

/// The scopes of a token, a line for each location.
fn grants(to: &SignedIn<'_>, token: &Token) -> Markup {
    let name = |grant: &Grant| {
        let locations = &to.owner.account().locations;
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
    let button = html! {
        button.danger aria-label={ "Revoke " (token.name) } { "Revoke" }
    };
    components::form(&action, &to.csrf, button)
}

/// Shows the form for a new token.
pub(super) fn fill_in(to: &SignedIn<'_>) -> Answer {
    form(to, None)
}

/// Makes a token, and shows its value this once.
pub(super) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let new = match new_token(to) {
        Ok(new) => new,
        Err(reason) => return Ok(refused(to, &reason)),
    };
    match to.connect.create_token(to.owner.account().id, new).await {
        Ok(issued) => Ok(made(to, &issued)),
        Err(error) => Ok(refused(to, &components::mendable(error)?)),
    }
}

/// Reads the form.
fn new_token(to: &SignedIn<'_>) -> Result<NewToken, Reason> {
    let expires_at = match to.form.get("expiry") {
        "" => None,
        days => {
            let days: Option<u16> = days.parse().ok();
            let days = days.ok_or_else(|| Reason::of("expiry", "must be a number of days"))?;
            Some(to.connect.now().plus_seconds(i64::from(days) * DAY))
        }
    };
    let mut grants = Vec::new();
    for location in &to.owner.account().locations {
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
        return Err(Reason::new("choose at least one scope at a location"));
    }
    Ok(NewToken {
        name: to.form.get("name").to_owned(),
        expires_at,
        grants,
    })
}

/// The value of the check box of a scope at a location.
fn choice(location: &AccountLocation, scope: &Scope) -> String {
    format!("{} {scope}", location.id)
}

fn refused(to: &SignedIn<'_>, reason: &Reason) -> Answer {
    form(to, Some(reason)).with_status(StatusCode::UNPROCESSABLE_ENTITY)
}

fn form(to: &SignedIn<'_>, reason: Option<&Reason>) -> Answer {
    let locations = &to.owner.account().locations;
    let name = Field {
        label: "Name",
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: "The program that will use it. Changes made with it are shown under this name.",
        autocomplete: "off",
    };
    let is_new = reason.is_none();
    let expiry = if is_new {
        EXPIRIES[1].0
    } else {
        to.form.get("expiry")
    };
    let fields = html! {
        (components::problem(reason, &["name"]))
        (name.render(reason))
        div.field {
            label for="expiry" { "Ends" }
            select id="expiry" name="expiry" {
                @for (value, words) in EXPIRIES {
                    option value=(value) selected[*value == expiry] { (words) }
                }
            }
        }
        @for location in locations {
            fieldset {
                legend { (location.name) }
                div.choices {
                    @for scope in Scope::KNOWN {
                        @let value = choice(location, scope);
                        label {
                            input type="checkbox" name="grant" value=(value)
                                checked[to.form.has("grant", &value)];
                            code { (scope) }
                        }
                    }
                }
            }
        }
        button { "Make the token" }
    };
    let content = html! {
        @if locations.is_empty() {
            (components::empty(
                "A token is for the locations of an account, and this account has none yet.",
                html! {},
            ))
        } @else { (components::form(PATH, &to.csrf, fields)) }
    };
    layout::page(to, PATH, "New token", content)
}

fn made(to: &SignedIn<'_>, issued: &IssuedToken) -> Answer {
    let value = issued.secret.expose();
    let call = format!(
        "curl -H \"Authorization: Bearer {value}\" {}/locations",
        to.setting.api_url
    );
    let content = html! {
        (components::shown_once("The token", value))
        h2 { "Try it" }
        pre { code { (call) } }
        p { a href=(PATH) { "Back to the tokens" } }
    };
    let title = format!("Token “{}” was made", issued.token.name);
    layout::page(to, PATH, &title, content)
}

/// Revokes a token.
pub(super) async fn revoke(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    to.connect.revoke_token(to.owner.account().id, id).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::TokenRevoked)))
}

/// Shows the last requests of a token.
pub(super) async fn requests(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Token> = components::id(id)?;
    let tokens = to.connect.tokens(to.owner.account().id).await?;
    let found = tokens.into_iter().find(|(token, _)| token.id == id);
    let (token, _) = found.ok_or_else(components::gone)?;
    let requests = to.setting.recent.of(id);
    let content = html! {
        p.hint { "The last 100 requests with this token since the server was started." }
        @if requests.is_empty() {
            (components::empty("No request was made with this token yet.", html! {}))
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
    html! {
        div.scroll tabindex="0" role="group" aria-label="Table" { table {
            thead { tr {
                th { "Time" } th { "Request" } th { "Answer" } th { "Idempotency key" } th { "Request id" }
            } }
            tbody {
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
            }
        } }
    }
}
