//! The user's own passkeys.

use connect_core::{Error, Passkey, Reason, wire::read::Invalid};
use maud::{Markup, html};
use uuid::Uuid;

use super::second_factor;
use crate::dashboard::{
    Answer, components,
    inputs::{self, Field},
    layout,
    notices::{self, Notice},
    page_request::SignedIn,
    passkeys::{self, RelyingParty, Unverified},
};

const ACCOUNT: &str = "/dashboard/account";
pub(super) const PATH: &str = "/dashboard/account/passkeys";
const ADD: &str = "/dashboard/account/passkeys/add";

/// Shows the passkeys, and the way to another one.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Begins to add a passkey.
pub(super) async fn begin(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let party = RelyingParty::at(&to.context.owner_url).ok_or_else(components::gone)?;
    let present = to.connect.passkeys(&to.session).await?;
    let challenge = party.begin_to_add(&to.session, &present);
    let challenge = challenge.map_err(invalid)?;
    let (current, name) = (to.form.secret("currentPassword"), to.form.get("name"));
    let begun = to
        .connect
        .begin_passkey(&to.session, current, name, &challenge.state);
    match begun.await {
        Ok(()) => Ok(asking(to, &party, &challenge.options)),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Adds the passkey of the browser's answer.
pub(super) async fn add(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let party = RelyingParty::at(&to.context.owner_url).ok_or_else(components::gone)?;
    let answer = to.form.get("answer");
    let added = to.connect.add_passkey(&to.session, |state| {
        party.added(state, answer).map_err(invalid)
    });
    match added.await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::PasskeyAdded))),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Removes a passkey.
pub(super) async fn remove(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = Uuid::try_parse(id).map_err(|_| components::gone())?;
    let current = to.form.secret("currentPassword");
    match to.connect.remove_passkey(&to.session, current, id).await {
        Ok(()) => Ok(Answer::redirect(&notices::at(PATH, Notice::PasskeyRemoved))),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

fn invalid(Unverified(problem): Unverified) -> Error {
    Invalid::new("passkey", problem).into()
}

async fn page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Result<Answer, Error> {
    let passkeys = to.connect.passkeys(&to.session).await?;
    let content = html! {
        p { (text!("passkeys-explained")) }
        p {
            (marked!(
                "passkeys-add-two",
                a = |words: &str| html! { a href=(second_factor::PATH) { (words) } },
            ))
        }
        (components::problem(refused, &["name", "currentPassword"]))
        @if passkeys.is_empty() {
            p { (text!("passkeys-none")) }
        } @else {
            (list(to, &passkeys))
            (second_factor::hint_of_demand(to))
        }
        h2 { (text!("passkeys-add")) }
        (adding(to, refused))
        p { a href=(ACCOUNT) { (text!("account-back")) } }
    };
    Ok(layout::page(to, ACCOUNT, &text!("passkeys-title"), content))
}

fn list(to: &SignedIn<'_>, passkeys: &[Passkey]) -> Markup {
    let head = html! {
        th { (text!("word-name")) } th { (text!("passkeys-added")) }
        th { (text!("passkeys-last-sign-in")) } th { span.hidden { (text!("word-action")) } }
    };
    let rows = html! {
        @for (number, passkey) in passkeys.iter().enumerate() {
            tr {
                td { (passkey.name) }
                td { (components::time(passkey.added_at)) }
                td {
                    @match passkey.used_at {
                        Some(at) => (components::time(at)),
                        None => (text!("word-never")),
                    }
                }
                td { (removing(to, passkey, number)) }
            }
        }
    };
    components::table(&text!("passkeys-yours"), head, rows)
}

fn removing(to: &SignedIn<'_>, passkey: &Passkey, number: usize) -> Markup {
    components::confirmed(
        &text!("word-remove-open-of", name = passkey.name.as_str()),
        &text!("word-remove-open"),
        &text!("passkeys-remove-consequence"),
        components::form(
            &format!("{PATH}/{}/remove", passkey.id),
            &to.csrf,
            html! {
                (inputs::username(&to.user().email))
                (inputs::current_password().render_as(&format!("password-of-{number}"), None))
                button.danger { (text!("passkeys-remove")) }
            },
        ),
    )
}

/// The form for another passkey, or the reason why there is none.
fn adding(to: &SignedIn<'_>, refused: Option<&Reason>) -> Markup {
    let name = Field {
        label: text!("passkeys-name"),
        name: "name",
        kind: "text",
        value: to.form.get("name"),
        hint: text!("passkeys-name-hint"),
        autocomplete: "off",
    };
    let owner_url = &to.context.owner_url;
    html! {
        @if to.user().needs_provider() {
            p { (text!("passkeys-not-needed")) }
        } @else if RelyingParty::at(owner_url).is_none() {
            p { (passkeys::no_passkeys(owner_url)) }
        } @else {
            (second_factor::hint_of_provider(to))
            (components::form(PATH, &to.csrf, html! {
                (name.render(refused))
                (inputs::username(&to.user().email))
                (inputs::current_password().render(refused))
                button { (text!("passkeys-go-on")) }
            }))
        }
    }
}

/// The page to ask the browser for a new passkey.
fn asking(to: &SignedIn<'_>, party: &RelyingParty, options: &str) -> Answer {
    let fields = html! {
        (components::hidden(&to.csrf))
        div.actions {
            button { (text!("passkeys-make")) }
            a.button.quiet href=(PATH) { (text!("word-cancel")) }
        }
    };
    let content = html! {
        p { (text!("passkeys-press-button")) }
        (passkeys::asking(party, (ADD, options), true, fields))
    };
    layout::page(to, ACCOUNT, &text!("passkeys-add"), content).with_script()
}
