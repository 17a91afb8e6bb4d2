//! Screens: registers, kiosks and Scan & Order pages.
//! They make the API available, and write with keys.

use std::borrow::Cow;

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
        messages::markup,
        notices::{self, Notice},
        page_request::SignedIn,
        pages::activity::changes_link,
        table::{self, Cell, Column, Table, Value},
    },
};

const PATH: &str = "/dashboard/screens";

/// The types of screens, with their values.
const TYPES: [(ScreenType, &str); 3] = [
    (ScreenType::Pos, "pos"),
    (ScreenType::OrderKiosk, "order_kiosk"),
    (ScreenType::ScanAndOrder, "scan_and_order"),
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
        p { (text!("screens-former-key")) }
        (components::shown_once(&text!("word-key"), done.secret.as_ref()))
        p { a href=(PATH) { (text!("screens-back")) } }
    };
    Ok(layout::page(
        to,
        PATH,
        &text!("screens-key-created"),
        content,
    ))
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
    let unchosen = |field: &str| Error::Invalid(Reason::of(field, text!("word-must-be-chosen")));
    let location: Result<Id<_>, _> = to.form.get("locationId").parse();
    let mut types = TYPES.into_iter();
    let kind = types.find(|(_, value)| *value == to.form.get("type"));
    let (kind, _) = kind.ok_or_else(|| unchosen("type"))?;
    Ok(ScreenCommand::Create {
        location: location.map_err(|_| unchosen("locationId"))?,
        kind,
        name: to.form.get("name").to_owned(),
        no_key: true,
    })
}

async fn page(to: &SignedIn<'_>, reason: Option<&Reason>) -> Result<Answer, Error> {
    let account = to.account();
    let screens = to.connect.screens(account.id).await?;
    let table = table(to, &screens);
    if table::is_file(to) {
        return Ok(table.file(to, "screens").await);
    }
    let content = html! {
        p.hint { (text!("screens-about")) }
        @if account.screens.is_empty() {
            p.warning { (marked!("screens-none", code = markup::code)) }
        } @else { (table.render(to)) }
        p { a href="/dashboard/screens/names" { (text!("screens-rename")) } }
        h2 { (text!("screens-add")) }
        @if to.locations(UserRight::ManageScreens).is_empty() {
            (components::empty(&text!("screens-no-locations"), html! {}))
        } @else { (form(to, reason)) }
    };
    Ok(layout::page(to, PATH, &text!("section-screens"), content))
}

fn table(to: &SignedIn<'_>, screens: &[(Screen, Option<ScreenKey>)]) -> Table {
    let columns = [
        Column::text("name", text!("word-name")),
        Column::text("type", text!("screens-type")),
        Column::text("location", text!("word-location")),
        Column::text("key", text!("word-key")),
        Column::action(text!("word-actions")),
    ];
    let mut table = Table::new(PATH, text!("section-screens"), columns);
    for (screen, key) in screens {
        let actions = html! {
            div.actions {
                (actions(to, screen, key.is_some()))
                (changes_link(to, screen.id, &screen.name))
            }
        };
        let cells = [
            Cell::text(&*screen.name),
            Cell::text(words(screen.kind)),
            Cell::text(place(to, screen)),
            key_cell(key.as_ref()),
            Cell::action(actions),
        ];
        // The activity links to it.
        table.add_as(format!("screen-{}", screen.id), cells);
    }
    table
}

/// The beginning of a key, and its age.
fn key_cell(key: Option<&ScreenKey>) -> Cell {
    let Some(key) = key else {
        return Cell::of(html! { (text!("screens-no-key")) }, Value::Empty);
    };
    let beginning = format!("{}…", key.prefix);
    let shown = html! {
        code { (beginning) } br;
        span.hint {
            (marked!("screens-key-created-at", time = |_: &str| components::time(key.created_at)))
        }
    };
    Cell::of(shown, Value::Text(beginning))
}

fn actions(to: &SignedIn<'_>, screen: &Screen, has_key: bool) -> Markup {
    let (id, name) = (screen.id, &screen.name);
    let form = |action: &str, button: Markup| {
        components::form(&format!("{PATH}/{id}/{action}"), &to.csrf, button)
    };
    html! {
        @if has_key {
            (components::confirmed(
                &text!("screens-replace-key-open-of", name = name),
                &text!("screens-replace-key-open"),
                &text!("screens-replace-key-consequence"),
                form("key", html! {
                    button.danger { (text!("screens-replace-key", name = name)) }
                }),
            ))
            (components::confirmed(
                &text!("screens-revoke-key-open-of", name = name),
                &text!("screens-revoke-key-open"),
                &text!("screens-revoke-key-consequence"),
                form("revoke", html! {
                    button.danger { (text!("screens-revoke-key", name = name)) }
                }),
            ))
        } @else {
            // There is nothing to lose.
            (form("key", html! {
                button.quiet aria-label=(text!("screens-create-key-for", name = name)) {
                    (text!("screens-create-key"))
                }
            }))
        }
        (components::confirmed(
            &text!("word-remove-open-of", name = name),
            &text!("word-remove-open"),
            &text!("screens-remove-consequence"),
            form("delete", html! { button.danger { (text!("word-remove-of", name = name)) } }),
        ))
    }
}

/// The type of a screen, as people write it.
pub(super) fn words(kind: ScreenType) -> Cow<'static, str> {
    match kind {
        ScreenType::Pos => text!("word-register"),
        ScreenType::OrderKiosk => text!("screens-kiosk"),
        ScreenType::ScanAndOrder => text!("screens-scan-and-order"),
    }
}

fn place<'t>(to: &'t SignedIn<'_>, screen: &Screen) -> &'t str {
    let is_it = |location: &&AccountLocation| location.id == screen.location_id;
    let found = to.account().locations.iter().find(is_it);
    found.map_or("", |location| &location.name)
}

fn form(to: &SignedIn<'_>, reason: Option<&Reason>) -> Markup {
    let name = Field {
        label: text!("word-name"),
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: text!("screens-name-hint"),
        autocomplete: "off",
    };
    let kinds = TYPES.map(|(kind, value)| (value, words(kind)));
    let locations = to.locations(UserRight::ManageScreens);
    let locations: Vec<_> = locations
        .iter()
        .map(|at| (at.id.to_string(), &at.name))
        .collect();
    let locations = locations.iter().map(|(id, name)| (&**id, &***name));
    let fields = html! {
        (components::problem(reason, &["name", "type", "locationId"]))
        (name.render(reason))
        (inputs::choice(&text!("screens-type"), "type", kinds, to.form.get("type"), reason))
        (inputs::choice(
            &text!("word-location"),
            "locationId",
            locations,
            to.form.get("locationId"),
            reason,
        ))
        button { (text!("screens-add")) }
    };
    components::form(PATH, &to.csrf, fields)
}
