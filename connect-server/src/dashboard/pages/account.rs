//! The account, and the owner's password.

use connect_core::{AccountChange, Error, MIN_PASSWORD, Reason};
use http::StatusCode;
use maud::html;

use crate::dashboard::{
    Answer,
    components::{self, Field},
    layout,
    notices::{self, Notice},
    visit::SignedIn,
};

const PATH: &str = "/dashboard/account";

/// The names of the forms' fields.
const FIELDS: &[&str] = &[
    "name",
    "ownerEmail",
    "currentPassword",
    "password",
    "repeated",
];

/// Shows the page.
pub(super) fn show(to: &SignedIn<'_>) -> Answer {
    let account = to.owner.account();
    page(to, &account.name, &account.owner_email, None)
}

/// Changes the account.
pub(super) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let (name, email) = (to.form.get("name"), to.form.get("ownerEmail"));
    let change = AccountChange {
        name: Some(name.to_owned()),
        owner_email: Some(email.to_owned()),
    };
    match to
        .connect
        .change_account(to.owner.account().id, change)
        .await
    {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::AccountChanged))),
        Err(error) => Ok(refused(page(
            to,
            name,
            email,
            Some(&components::mendable(error)?),
        ))),
    }
}

/// Changes the password.
pub(super) async fn change_password(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.owner.account();
    let again =
        |reason: &Reason| refused(page(to, &account.name, &account.owner_email, Some(reason)));
    let password = to.form.secret("password");
    if password != to.form.secret("repeated") {
        return Ok(again(&Reason::of("repeated", "must be the same as above")));
    }
    let current = to.form.secret("currentPassword");
    let changed = to
        .connect
        .change_password(&to.owner, to.address, current, password);
    match changed.await {
        Ok(()) => Ok(Answer::redirect(&notices::at(
            PATH,
            Notice::PasswordChanged,
        ))),
        Err(error) => Ok(again(&components::mendable(error)?)),
    }
}

fn refused(answer: Answer) -> Answer {
    answer.with_status(StatusCode::UNPROCESSABLE_ENTITY)
}

fn page(to: &SignedIn<'_>, name: &str, email: &str, reason: Option<&Reason>) -> Answer {
    let name = Field {
        label: "Name of the business",
        name: "name",
        kind: "text",
        value: name,
        hint: "",
        autocomplete: "organization",
    };
    let email = Field {
        label: "E-mail address",
        name: "ownerEmail",
        kind: "email",
        value: email,
        hint: "You sign in with it, and are written to at it when a webhook is switched off.",
        autocomplete: "email",
    };
    let hint = format!("At least {MIN_PASSWORD} characters.");
    let current = Field {
        label: "Current password",
        name: "currentPassword",
        kind: "password",
        value: "",
        hint: "",
        autocomplete: "current-password",
    };
    let password = Field {
        label: "New password",
        name: "password",
        hint: &hint,
        autocomplete: "new-password",
        ..current
    };
    let repeated = Field {
        label: "New password once more",
        name: "repeated",
        hint: "",
        ..password
    };
    let business = html! {
        (name.render(reason)) (email.render(reason))
        button { "Save" }
    };
    let secret = html! {
        (current.render(reason)) (password.render(reason)) (repeated.render(reason))
        button { "Change the password" }
    };
    let content = html! {
        (components::problem(reason, FIELDS))
        (components::form(PATH, &to.csrf, business))
        h2 { "Password" }
        (components::form("/dashboard/account/password", &to.csrf, secret))
        p.hint { "You are signed in here until " (components::time(to.owner.session_ends())) "." }
    };
    layout::page(to, PATH, "Account", content)
}
