//! The form for a new token: its name, its expiry, and its tasks at locations.

use std::{borrow::Cow, fmt::Display};

use connect_core::{AccountLocation, Error, Grant, Reason, UserRight, wire::Scope};
use maud::{Markup, html};

use super::{
    PATH,
    created::created,
    presets::{self, TokenPreset},
    scopes,
};
use crate::{
    commands::tokens::{Rights, TokenCommand},
    dashboard::{
        Answer, components,
        inputs::{self, Field, Problem},
        layout,
        page_request::SignedIn,
    },
};

/// The name of the check boxes for tasks.
const GRANT: &str = "grant";

/// All locations of the user, in the value of a check box.
const ALL: &str = "all";

/// The lifetime of a token, unless another is chosen.
const DEFAULT_EXPIRY: &str = "90";

/// Shows the form for a new token.
pub(crate) fn fill_in(to: &SignedIn<'_>) -> Answer {
    form(to, None)
}

/// Makes a token, and shows its value once.
pub(crate) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
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
    let grants = grants(to);
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

/// Reads the chosen tasks, location by location.
fn grants(to: &SignedIn<'_>) -> Vec<Grant> {
    let mut grants = Vec::new();
    for location in to.locations(UserRight::ManageTokens) {
        let is_chosen = |scope: &&Scope| {
            let places = [choice(ALL, scope), choice(location.id, scope)];
            places.iter().any(|value| to.form.has(GRANT, value))
        };
        let scopes: Vec<Scope> = Scope::KNOWN.iter().filter(is_chosen).cloned().collect();
        if !scopes.is_empty() {
            grants.push(Grant {
                location_id: location.id,
                scopes,
            });
        }
    }
    grants
}

/// The value of the check box of a scope at a location, or at all of them.
fn choice(place: impl Display, scope: &Scope) -> String {
    format!("{place} {scope}")
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
        (problem.render(&text!("tokens-tasks")))
        (tasks(to, &locations, &problem))
        button { (text!("tokens-create")) }
    };
    let content = html! {
        @if locations.is_empty() {
            (components::empty(&text!("tokens-no-locations"), html! {}))
        } @else {
            // Another preset would take away what was filled in.
            @if refused.is_none() { (presets::links(to)) }
            (components::form(PATH, &to.csrf, fields))
        }
    };
    layout::page(to, PATH, &text!("tokens-create"), content)
}

/// The tasks to choose: at the only location, or at all of them and then at single ones.
fn tasks(to: &SignedIn<'_>, locations: &[&AccountLocation], problem: &Problem<'_>) -> Markup {
    let boxes = |place: &dyn Display, is_explained| task_boxes(to, place, is_explained, problem);
    let is_of_one = |location: &&AccountLocation| {
        let mut scopes = Scope::KNOWN.iter();
        scopes.any(|scope| to.form.has(GRANT, &choice(location.id, scope)))
    };
    html! {
        @if let [only] = locations {
            fieldset { legend { (only.name) } (boxes(&only.id, true)) }
        } @else {
            fieldset {
                legend { (text!("tokens-all-locations")) }
                p.hint { (text!("tokens-all-locations-hint")) }
                (boxes(&ALL, true))
            }
            details.more open[problem.id().is_some() || locations.iter().any(is_of_one)] {
                summary { (text!("tokens-single-locations")) }
                @for location in locations {
                    fieldset { legend { (location.name) } (boxes(&location.id, false)) }
                }
            }
        }
    }
}

/// A check box for each task at a place.
/// A preset ticks those of the first place, which has the explanations.
fn task_boxes(
    to: &SignedIn<'_>,
    place: &dyn Display,
    is_explained: bool,
    problem: &Problem<'_>,
) -> Markup {
    let preset = TokenPreset::chosen(to).filter(|_| is_explained);
    html! {
        div.tasks {
            @for scope in Scope::KNOWN {
                @let value = choice(place, scope);
                @let is_preset = preset.is_some_and(|preset| preset.scopes.contains(scope));
                @let words = html! {
                    span {
                        (scopes::task_with_scope(scope))
                        @if is_explained { span.hint { (scopes::allowed(scope)) } }
                    }
                };
                (inputs::check_box(GRANT, &value, is_preset || to.form.has(GRANT, &value), words, problem))
            }
        }
    }
}
