//! The account: business name, and the user's own name, address and password.

use std::borrow::Cow;

use connect_core::{Error, OpenSession, Reason, UserRight};
use maud::{Markup, html};
use uuid::Uuid;

use super::{activity::changes_line, passkeys, second_factor, single_sign_on, users};
use crate::{
    commands::{
        accounts::{AccountCommand, SecondFactorDemand},
        users::UserCommand,
    },
    dashboard::{
        Answer, components,
        inputs::{self, Field, Problem},
        layout, messages, new_password,
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

/// Makes the page, with input and problem of a refused form.
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
            hint: Cow::default(),
            autocomplete,
        };
        field.render_as(id, refused)
    };
    let language = match profile {
        Some(_) => to.form.get("language"),
        None => messages::tag(to.user().language),
    };
    let content = html! {
        @if to.session.has(UserRight::ManageAccount) {
            @let account = &to.account().name;
            (components::problem(business, &["name", DEMAND]))
            (components::form(PATH, &to.csrf, html! {
                (name(text!("account-business-name"), account, "organization", business, "name"))
                fieldset {
                    legend { (text!("account-signing-in")) }
                    (demand(to, business))
                }
                button { (text!("word-save")) }
            }))
        }
        @if to.session.has(UserRight::ManageAccount) {
            h2 { (text!("single-sign-on-title")) }
            p.hint { (text!("account-single-sign-on-hint")) }
            p {
                a.button.quiet href=(single_sign_on::PATH) { (text!("account-set-up-single-sign-on")) }
            }
        }
        (changes_line(to, to.account().id, &to.account().name))
        h2 { (text!("account-you")) }
        (components::problem(profile, &["name", "language"]))
        (components::form(PROFILE, &to.csrf, html! {
            (name(text!("account-own-name"), &to.user().name, "name", profile, "own-name"))
            (users::languages(language, profile))
            button { (text!("word-save")) }
        }))
        h2 { (text!("word-email")) }
        p { (to.user().email) }
        p.hint {
            @if to.user().is_owner() { (text!("account-email-hint-owner")) }
            @else { (text!("account-email-hint")) }
        }
        p { a.button.quiet href=(EMAIL) { (text!("account-change-email")) } }
        h2 { (text!("word-password")) }
        p { a.button.quiet href=(PASSWORD) { (text!("account-change-password")) } }
        h2 { (text!("second-factor-title")) }
        p {
            @if to.user().second_factor { (text!("account-factor-needed")) }
            @else { (text!("account-factor-not-needed")) }
        }
        p { a.button.quiet href=(second_factor::PATH) { (text!("account-authenticator-app")) } }
        p { a.button.quiet href=(passkeys::PATH) { (text!("passkeys-title")) } }
        h2 { (text!("account-sessions")) }
        p.hint {
            (marked!(
                "account-sessions-hint",
                time = |_: &str| components::time(to.session.ends_at()),
            ))
        }
        (sessions_table(to, &sessions))
    };
    Ok(layout::page(to, PATH, &text!("section-account"), content))
}

/// The check box to demand a second factor of all users.
fn demand(to: &SignedIn<'_>, refused: Option<&Reason>) -> Markup {
    let problem = Problem::of(DEMAND, refused);
    let is_on = match refused {
        Some(_) => to.form.get(DEMAND) == "required",
        None => to.account().requires_second_factor,
    };
    html! {
        (inputs::check_box(
            DEMAND,
            "required",
            is_on,
            html! { (text!("account-demand")) },
            &problem,
        ))
        p.hint { (text!("account-demand-hint")) }
        (problem.render(&text!("account-demand-label")))
    }
}

fn sessions_table(to: &SignedIn<'_>, sessions: &[OpenSession]) -> Markup {
    let head = html! {
        th { (text!("account-browser")) } th { (text!("word-address")) }
        th { (text!("account-signed-in")) } th { (text!("word-last-used")) }
        th { span.hidden { (text!("word-actions")) } }
    };
    let rows = html! {
        @for session in sessions {
            tr {
                td {
                    @match session.device.as_deref() {
                        Some(device) => (device),
                        None => (text!("account-unknown-browser")),
                    }
                }
                td { @if let Some(address) = session.address { code { (address) } } }
                td { (components::time(session.signed_in_at)) }
                td { (components::time(session.used_at)) }
                td {
                    @if session.is_own { (text!("account-this-browser")) } @else {
                        @let path = format!("{SESSIONS}/{}/end", session.id);
                        (components::form(&path, &to.csrf, html! {
                            button.quiet { (text!("account-end")) }
                        }))
                    }
                }
            }
        }
    };
    html! {
        (components::table(&text!("account-sessions"), head, rows))
        @if sessions.len() > 1 {
            @let path = format!("{SESSIONS}/end-others");
            (components::form(&path, &to.csrf, html! {
                button.quiet { (text!("account-end-others")) }
            }))
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
        label: text!("account-new-email"),
        name: "email",
        kind: "email",
        value: email,
        hint: Cow::default(),
        autocomplete: "email",
    };
    let fields = html! {
        (components::problem(refused, &["email", "currentPassword"]))
        (email.render(refused))
        (inputs::current_password().render(refused))
        div.actions {
            button { (text!("account-change-email")) }
            a.button.quiet href=(PATH) { (text!("word-cancel")) }
        }
    };
    let content = html! {
        p {
            (marked!(
                "account-current-email",
                [email = to.user().email.as_str()],
                strong = |words: &str| html! { strong { (words) } },
            ))
        }
        (components::form(EMAIL, &to.csrf, fields))
    };
    layout::page(to, PATH, &text!("account-change-email"), content)
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
        (new_password::fields(&text!("account-new-password"), refused))
        div.actions {
            button { (text!("account-change-password")) }
            a.button.quiet href=(PATH) { (text!("word-cancel")) }
        }
    };
    let content = html! {
        p.hint { (text!("account-password-hint")) }
        (components::form(PASSWORD, &to.csrf, fields))
    };
    layout::page(to, PATH, &text!("account-change-password"), content)
}
