//! The account: business name, and the user's own name, address and password.

use connect_core::{Error, OpenSession, Reason, UserRight};
use maud::{Markup, html};
use uuid::Uuid;

use super::{passkeys, second_factor, single_sign_on, users};
use crate::{
    commands::{
        accounts::{AccountCommand, SecondFactorDemand},
        users::UserCommand,
    },
    dashboard::{
        Answer, components,
        inputs::{self, Field, Problem},
        layout, new_password,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

const PATH: &str = "/dashboard/account";
const PROFILE: &str = "/dashboard/account/profile";
const SESSIONS: &str = "/dashboard/account/sessions";
const EMAIL: &str = "/dashboard/account/email";
/// The field with the demand of a second factor.
const DEMAND: &str = "requiresSecondFactor";
const PASSWORD: &str = "/dashboard/account/password";

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None, None).await
}

/// Ends one session of the user.
pub(super) async fn end_session(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id = Uuid::try_parse(id).map_err(|_| components::gone())?;
    to.connect.end_session(&to.session, id).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::SessionClosed)))
}

/// Ends all sessions of the user but this one.
pub(super) async fn end_other_sessions(to: &SignedIn<'_>) -> Result<Answer, Error> {
    to.connect.end_other_sessions(&to.session).await?;
    Ok(Answer::redirect(&notices::at(PATH, Notice::SessionsClosed)))
}

/// Changes the name of the business.
pub(super) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let demand = match to.form.get(DEMAND) {
        "required" => SecondFactorDemand::Required,
        _ => SecondFactorDemand::Optional,
    };
    let change = AccountCommand::Change {
        id: to.account().id,
        name: Some(to.form.get("name").to_owned()),
        second_factor: Some(demand),
    };
    match to.execute(change).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::AccountChanged))),
        Err(error) => {
            components::again(error, async |reason| page(to, Some(reason), None).await).await
        }
    }
}

/// Changes the user's own name and language.
pub(super) async fn change_profile(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let changed = match users::language(to) {
        Ok(language) => {
            let change = UserCommand::Change {
                id: to.user().id,
                name: Some(to.form.get("name").to_owned()),
                email: None,
                language: Some(language),
                roles: Vec::new(),
            };
            to.execute(change).await.map(|_| ())
        }
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match changed {
        Ok(()) => Ok(Answer::redirect(&notices::at(PATH, Notice::AccountChanged))),
        Err(error) => {
            components::again(error, async |reason| page(to, None, Some(reason)).await).await
        }
    }
}

/// Makes the page, with the input and the problem of a refused form.
async fn page(
    to: &SignedIn<'_>,
    business: Option<&Reason>,
    profile: Option<&Reason>,
) -> Result<Answer, Error> {
    let sessions = to.connect.sessions(&to.session).await?;
    let name = |label, stored, autocomplete, refused: Option<&Reason>, id| {
        let field = Field {
            label,
            name: "name",
            kind: "text",
            value: if refused.is_some() {
                to.form.get("name")
            } else {
                stored
            },
            hint: "",
            autocomplete,
        };
        field.render_as(id, refused)
    };
    let language = match profile {
        Some(_) => to.form.get("language"),
        None => users::tag(to.user().language),
    };
    let content = html! {
        @if to.session.has(UserRight::ManageAccount) {
            @let account = &to.account().name;
            (components::problem(business, &["name", DEMAND]))
            (components::form(PATH, &to.csrf, html! {
                (name("Name of the business", account, "organization", business, "name"))
                fieldset {
                    legend { "Signing in" }
                    (demand(to, business))
                }
                button { "Save" }
            }))
        }
        @if to.session.has(UserRight::ManageAccount) {
            h2 { "Single sign-on" }
            p.hint { "Users sign in through the provider of your company." }
            p { a.button.quiet href=(single_sign_on::PATH) { "Set up single sign-on" } }
        }
        h2 { "You" }
        (components::problem(profile, &["name", "language"]))
        (components::form(PROFILE, &to.csrf, html! {
            (name("Your name", &to.user().name, "name", profile, "own-name"))
            (users::languages(language, profile))
            button { "Save" }
        }))
        h2 { "E-mail address" }
        p { (to.user().email) }
        p.hint {
            "You sign in with it."
            @if to.user().is_owner() {
                " If a webhook is switched off, a message is sent to the first owner."
            }
        }
        p { a.button.quiet href=(EMAIL) { "Change e-mail address" } }
        h2 { "Password" }
        p { a.button.quiet href=(PASSWORD) { "Change password" } }
        h2 { "Second factor" }
        p {
            @if to.user().second_factor { "A sign-in needs more than your password." }
            @else { "A sign-in needs your password alone." }
        }
        p { a.button.quiet href=(second_factor::PATH) { "Authenticator app" } }
        p { a.button.quiet href=(passkeys::PATH) { "Passkeys" } }
        h2 { "Sessions" }
        p.hint {
            "You are signed in on this browser until " (components::time(to.session.ends_at()))
            ", or for a day without use."
        }
        (sessions_table(to, &sessions))
    };
    Ok(layout::page(to, PATH, "Account", content))
}

/// The check box to demand a second factor of all users.
fn demand(to: &SignedIn<'_>, refused: Option<&Reason>) -> Markup {
    let problem = Problem::of(DEMAND, refused);
    let is_on = match refused {
        Some(_) => to.form.get(DEMAND) == "required",
        None => to.account().requires_second_factor,
    };
    html! {
        (inputs::check_box(DEMAND, "required", is_on, html! { "Demand a second factor of all users" }, &problem))
        p.hint { "A user without one can do nothing until one is set up." }
        (problem.render("This"))
    }
}

fn sessions_table(to: &SignedIn<'_>, sessions: &[OpenSession]) -> Markup {
    let head = html! {
        th { "Browser" } th { "Address" } th { "Signed in" } th { "Last used" }
        th { span.hidden { "Actions" } }
    };
    let rows = html! {
        @for session in sessions {
            tr {
                td { (session.device.as_deref().unwrap_or("Unknown")) }
                td { @if let Some(address) = session.address { code { (address) } } }
                td { (components::time(session.signed_in_at)) }
                td { (components::time(session.used_at)) }
                td {
                    @if session.is_own { "This browser" } @else {
                        @let path = format!("{SESSIONS}/{}/end", session.id);
                        (components::form(&path, &to.csrf, html! { button.quiet { "End" } }))
                    }
                }
            }
        }
    };
    html! {
        (components::table("Sessions", head, rows))
        @if sessions.len() > 1 {
            @let path = format!("{SESSIONS}/end-others");
            (components::form(&path, &to.csrf, html! { button.quiet { "End all other sessions" } }))
        }
    }
}

/// Shows the form to change the e-mail address.
pub(super) fn email(to: &SignedIn<'_>) -> Answer {
    email_form(to, "", None)
}

/// Changes the e-mail address.
pub(super) async fn change_email(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let email = to.form.get("email");
    let current = to.form.secret("currentPassword");
    let changed = to.connect.change_email(&to.session, current, email);
    match changed.await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::EmailChanged))),
        Err(error) => {
            let form = async |reason: &Reason| Ok(email_form(to, email, Some(reason)));
            components::again(error, form).await
        }
    }
}

fn email_form(to: &SignedIn<'_>, email: &str, refused: Option<&Reason>) -> Answer {
    let email = Field {
        label: "New e-mail address",
        name: "email",
        kind: "email",
        value: email,
        hint: "",
        autocomplete: "email",
    };
    let fields = html! {
        (components::problem(refused, &["email", "currentPassword"]))
        (email.render(refused))
        (inputs::current_password().render(refused))
        div.actions {
            button { "Change e-mail address" }
            a.button.quiet href=(PATH) { "Cancel" }
        }
    };
    let content = html! {
        p { "You sign in as " strong { (to.user().email) } "." }
        (components::form(EMAIL, &to.csrf, fields))
    };
    layout::page(to, PATH, "Change e-mail address", content)
}

/// Shows the form to change the password.
pub(super) fn password(to: &SignedIn<'_>) -> Answer {
    password_form(to, None)
}

/// Changes the password.
pub(super) async fn change_password(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let changed = match new_password::read(&to.form) {
        Ok(password) => {
            let current = to.form.secret("currentPassword");
            let changed = to.connect.change_password(&to.session, current, password);
            changed.await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => Ok(Answer::redirect(&notices::at(
            PATH,
            Notice::PasswordChanged,
        ))),
        Err(error) => {
            components::again(error, async |reason| Ok(password_form(to, Some(reason)))).await
        }
    }
}

fn password_form(to: &SignedIn<'_>, refused: Option<&Reason>) -> Answer {
    let [password, repeated] = new_password::NAMES;
    let fields = html! {
        (components::problem(refused, &["currentPassword", password, repeated]))
        (inputs::username(&to.user().email))
        (inputs::current_password().render(refused))
        (new_password::fields("New password", refused))
        div.actions {
            button { "Change password" }
            a.button.quiet href=(PATH) { "Cancel" }
        }
    };
    let content = html! {
        p.hint { "You are signed out everywhere else." }
        (components::form(PASSWORD, &to.csrf, fields))
    };
    layout::page(to, PATH, "Change password", content)
}
