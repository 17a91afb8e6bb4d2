//! The account: business name, the owner's e-mail address and password.

use connect_core::{Error, Reason};
use maud::html;

use crate::{
    commands::accounts::{AccountChanges, AccountCommand},
    dashboard::{
        Answer, components,
        inputs::{self, Field},
        layout, new_password,
        notices::{self, Notice},
        page_request::SignedIn,
    },
};

const PATH: &str = "/dashboard/account";
const EMAIL: &str = "/dashboard/account/email";
const PASSWORD: &str = "/dashboard/account/password";

/// Shows the page.
pub(super) fn show(to: &SignedIn<'_>) -> Answer {
    page(to, &to.owner.account().name, None)
}

/// Changes the name of the business.
pub(super) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let name = to.form.get("name");
    let change = AccountCommand::Change {
        id: to.owner.account().id,
        changes: AccountChanges {
            name: Some(name.to_owned()),
            email: None,
        },
    };
    match to.execute(change).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::AccountChanged))),
        Err(error) => {
            components::again(error, async |reason| Ok(page(to, name, Some(reason)))).await
        }
    }
}

fn page(to: &SignedIn<'_>, name: &str, refused: Option<&Reason>) -> Answer {
    let name = Field {
        label: "Name of the business",
        name: "name",
        kind: "text",
        value: name,
        hint: "",
        autocomplete: "organization",
    };
    let business = html! {
        (name.render(refused))
        button { "Save" }
    };
    let content = html! {
        (components::problem(refused, &["name"]))
        (components::form(PATH, &to.csrf, business))
        h2 { "E-mail address" }
        p { (to.owner.account().owner_email) }
        p.hint { "You sign in with it. If one of your webhooks is switched off, a message is sent to it." }
        p { a.button.quiet href=(EMAIL) { "Change e-mail address" } }
        h2 { "Password" }
        p { a.button.quiet href=(PASSWORD) { "Change password" } }
        h2 { "Session" }
        p.hint { "You are signed in on this browser until " (components::time(to.owner.session_ends())) "." }
    };
    layout::page(to, PATH, "Account", content)
}

/// Shows the form to change the e-mail address.
pub(super) fn email(to: &SignedIn<'_>) -> Answer {
    email_form(to, "", None)
}

/// Changes the e-mail address.
pub(super) async fn change_email(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let email = to.form.get("ownerEmail");
    let current = to.form.secret("currentPassword");
    let changed = to.connect.change_owner_email(&to.owner, current, email);
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
        name: "ownerEmail",
        kind: "email",
        value: email,
        hint: "",
        autocomplete: "email",
    };
    let fields = html! {
        (components::problem(refused, &["ownerEmail", "currentPassword"]))
        (email.render(refused))
        (current_password().render(refused))
        div.actions {
            button { "Change e-mail address" }
            a.button.quiet href=(PATH) { "Cancel" }
        }
    };
    let content = html! {
        p { "You sign in as " strong { (to.owner.account().owner_email) } "." }
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
            let changed = to.connect.change_password(&to.owner, current, password);
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
        (inputs::username(&to.owner.account().owner_email))
        (current_password().render(refused))
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

fn current_password() -> Field<'static> {
    Field {
        label: "Current password",
        name: "currentPassword",
        kind: "password",
        value: "",
        hint: "",
        autocomplete: "current-password",
    }
}
