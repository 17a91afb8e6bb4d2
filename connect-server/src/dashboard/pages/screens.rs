//! Screens: registers, kiosks and Scan & Order pages.
//! They make the API available, and write with keys.

use connect_core::{
    AccountLocation, Error, Reason, Screen, ScreenKey, ScreenType, UserRight, wire::Id,
};
use maud::{Markup, html};

use crate::{
    commands::screens::ScreenCommand,
    dashboard::{
        Answer, components,
        inputs::{self, Field},
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

const PATH: &str = "/dashboard/screens";

/// The types of screens, with value and label.
const TYPES: &[(ScreenType, &str, &str)] = &[
    (ScreenType::Pos, "pos", "Register"),
    (ScreenType::OrderKiosk, "order_kiosk", "Order kiosk"),
    (
        ScreenType::ScanAndOrder,
        "scan_and_order",
        "Scan & Order page",
    ),
];

/// Shows the list.
pub(super) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Makes a screen.
pub(super) async fn create(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let made = match new_screen(to) {
        Ok(new) => to.execute(new).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(done) => {
            let list = notices::at(PATH, Notice::ScreenMade);
            Ok(Answer::redirect(&list).made(done.subject))
        }
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Gives a screen a new key, and shows it once.
pub(super) async fn roll(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    let done = to.execute(ScreenCommand::Roll { id }).await?;
    let content = html! {
        p { "If the screen had a key before, that is refused from now on." }
        (components::shown_once("Key", done.secret.as_ref()))
        p { a href=(PATH) { "Back to the screens" } }
    };
    Ok(layout::page(to, PATH, "Key created", content))
}

/// Revokes the key of a screen.
pub(super) async fn revoke(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.execute(ScreenCommand::Revoke { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::KeyRevoked)))
}

/// Removes a screen.
pub(super) async fn delete(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = components::id(id)?;
    to.execute(ScreenCommand::Delete { id }).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::ScreenDeleted)))
}

/// Reads the form.
fn new_screen(to: &SignedIn<'_>) -> Result<ScreenCommand, Error> {
    let unchosen = |field: &str| Error::Invalid(Reason::of(field, "must be chosen"));
    let location: Result<Id<_>, _> = to.form.get("locationId").parse();
    let kind = TYPES
        .iter()
        .find(|(_, value, _)| *value == to.form.get("type"));
    let (kind, ..) = kind.ok_or_else(|| unchosen("type"))?;
    Ok(ScreenCommand::Create {
        location: location.map_err(|_| unchosen("locationId"))?,
        kind: *kind,
        name: to.form.get("name").to_owned(),
        no_key: true,
    })
}

async fn page(to: &SignedIn<'_>, reason: Option<&Reason>) -> Result<Answer, Error> {
    let account = to.account();
    let screens = to.connect.screens(account.id).await?;
    let content = html! {
        p.hint {
            "Registers write sales, kiosks and Scan & Order pages write orders, each with a key of its own. \
             The API is available as long as there is at least one screen."
        }
        @if account.screens.is_empty() {
            p.warning {
                "The API is not available, because there is no screen: every call is answered with "
                code { "api_not_available" } ". Add one below."
            }
        } @else { (table(to, &screens)) }
        p { a href="/dashboard/screens/names" { "Rename screens and locations" } }
        h2 { "Add screen" }
        @if to.locations(UserRight::ManageScreens).is_empty() {
            (components::empty("A screen belongs to a location, and this account has none yet. \
                 Ask the operator of this server to add one.", html! {}))
        } @else { (form(to, reason)) }
    };
    Ok(layout::page(to, PATH, "Screens", content))
}

fn table(to: &SignedIn<'_>, screens: &[(Screen, Option<ScreenKey>)]) -> Markup {
    let head = html! {
        th { "Name" } th { "Type" } th { "Location" } th { "Key" }
        th { span.hidden { "Actions" } }
    };
    let rows = html! {
        @for (screen, key) in screens {
            tr {
                td { (screen.name) }
                td { (words(screen.kind)) }
                td { (place(to, screen)) }
                td {
                    @match key {
                        Some(key) => {
                            code { (key.prefix) "…" } br;
                            span.hint { "Created " (components::time(key.created_at)) }
                        }
                        None => "No key",
                    }
                }
                td { div.actions { (actions(to, screen, key.is_some())) } }
            }
        }
    };
    components::table("Screens", head, rows)
}

fn actions(to: &SignedIn<'_>, screen: &Screen, has_key: bool) -> Markup {
    let (id, name) = (screen.id, &screen.name);
    let form = |action: &str, button: Markup| {
        components::form(&format!("{PATH}/{id}/{action}"), &to.csrf, button)
    };
    html! {
        @if has_key {
            (components::confirmed(
                &format!("Replace key… of {name}"),
                "Replace key…",
                "The key that it has now is refused at once.",
                form("key", html! { button.danger { "Replace key of " (name) } }),
            ))
            (components::confirmed(
                &format!("Revoke key… of {name}"),
                "Revoke key…",
                "The screen cannot write until it has another key.",
                form("revoke", html! { button.danger { "Revoke key of " (name) } }),
            ))
        } @else {
            // There is nothing to lose.
            (form("key", html! { button.quiet aria-label={ "Create key for " (name) } { "Create key" } }))
        }
        (components::confirmed(
            &format!("Remove… {name}"),
            "Remove…",
            "Its records stay. Its key is refused at once.",
            form("delete", html! { button.danger { "Remove " (name) } }),
        ))
    }
}

fn words(kind: ScreenType) -> &'static str {
    let found = TYPES.iter().find(|(other, ..)| *other == kind);
    found.map_or("", |(.., words)| words)
}

fn place<'t>(to: &'t SignedIn<'_>, screen: &Screen) -> &'t str {
    let is_it = |location: &&AccountLocation| location.id == screen.location_id;
    let found = to.account().locations.iter().find(is_it);
    found.map_or("", |location| &location.name)
}

fn form(to: &SignedIn<'_>, reason: Option<&Reason>) -> Markup {
    let name = Field {
        label: "Name",
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: "Such as “Till 1” or “Kiosk at the door”.",
        autocomplete: "off",
    };
    let kinds = TYPES.iter().map(|(_, value, words)| (*value, *words));
    let locations = to.locations(UserRight::ManageScreens);
    let locations: Vec<_> = locations
        .iter()
        .map(|at| (at.id.to_string(), &at.name))
        .collect();
    let locations = locations.iter().map(|(id, name)| (&**id, &***name));
    let fields = html! {
        (components::problem(reason, &["name", "type", "locationId"]))
        (name.render(reason))
        (inputs::choice("Type", "type", kinds, to.form.get("type"), reason))
        (inputs::choice("Location", "locationId", locations, to.form.get("locationId"), reason))
        button { "Add screen" }
    };
    components::form(PATH, &to.csrf, fields)
}
