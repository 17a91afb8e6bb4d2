//! The names of locations and screens.

use std::borrow::Cow;

use connect_core::{Error, Reason, UserRight};
use maud::{Markup, html};

use crate::{
    commands::{
        OwnerCommand,
        locations::{LocationChanges, LocationCommand},
        screens::ScreenCommand,
    },
    dashboard::{
        Answer, components,
        inputs::Field,
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

/// The page's part of the navigation.
const SECTION: &str = "/dashboard/screens";

const PATH: &str = "/dashboard/screens/names";

/// The fields of each form: the record's kind, ID and name.
const KIND: &str = "kind";
const ID: &str = "id";
const NAME: &str = "name";

/// The kinds of records with a name.
const LOCATION: &str = "location";
const SCREEN: &str = "screen";

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Renames a location or a screen.
pub(super) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let (id, name) = (to.form.get(ID), to.form.get(NAME).to_owned());
    let command: OwnerCommand = match to.form.get(KIND) {
        LOCATION => LocationCommand::Change {
            id: components::id(id)?,
            changes: LocationChanges {
                name: Some(name),
                vat_rate: None,
            },
        }
        .into(),
        SCREEN => ScreenCommand::Change {
            id: components::id(id)?,
            name,
        }
        .into(),
        _ => return Err(components::gone()),
    };
    match to.execute(command).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::NameChanged))),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

async fn page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Result<Answer, Error> {
    let locations = to.locations(UserRight::ManageLocations);
    let screens = to.connect.screens(to.account().id).await?;
    let content = html! {
        p.hint { (text!("names-about")) }
        h2 { (text!("word-locations")) }
        @if locations.is_empty() {
            (components::empty(&text!("overview-no-locations"), html! {}))
        }
        @for location in locations {
            (form(to, LOCATION, &location.id.to_string(), &location.name, refused))
        }
        h2 { (text!("section-screens")) }
        @if screens.is_empty() {
            (components::empty(
                &text!("names-no-screens"),
                html! { a.button href=(SECTION) { (text!("names-add-screen")) } },
            ))
        }
        @for (screen, _) in &screens {
            (form(to, SCREEN, &screen.id.to_string(), &screen.name, refused))
        }
        p { a href=(SECTION) { (text!("screens-back")) } }
    };
    Ok(layout::page(to, SECTION, &text!("names-title"), content))
}

/// The form of one name, with the problem if sent.
fn form(to: &SignedIn<'_>, kind: &str, id: &str, name: &str, refused: Option<&Reason>) -> Markup {
    let is_sent = to.form.get(KIND) == kind && to.form.get(ID) == id;
    let problem = refused.filter(|_| is_sent);
    let typed = if is_sent { to.form.get(NAME) } else { name };
    let field = Field {
        label: text!("names-name-of", name = name),
        name: NAME,
        kind: "text",
        value: typed,
        hint: Cow::default(),
        autocomplete: "off",
    };
    let fields = html! {
        input type="hidden" name=(KIND) value=(kind);
        input type="hidden" name=(ID) value=(id);
        (components::problem(problem, &[NAME]))
        div.row {
            (field.render_as(&format!("{kind}-{id}"), problem))
            button.quiet aria-label=(text!("names-rename-of", name = name)) {
                (text!("names-rename"))
            }
        }
    };
    components::form(PATH, &to.csrf, fields)
}
