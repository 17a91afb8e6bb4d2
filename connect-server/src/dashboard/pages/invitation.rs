//! The link by which an owner sets a password.

use connect_core::{Account, Error, MIN_PASSWORD, Reason};
use http::StatusCode;
use maud::html;

use crate::dashboard::{
    Answer, Visit,
    components::{self, Field},
    layout,
    notices::{self, Notice},
    places::ROOT,
};

/// Shows the form of an open invitation.
pub(super) async fn show(visit: &Visit, value: &str) -> Result<Answer, Error> {
    match visit.connect.invited_account(value).await {
        Ok(account) => Ok(form(visit, value, &account, None)),
        Err(Error::Unauthorized(_)) => Ok(gone(visit)),
        Err(error) => Err(error),
    }
}

/// Sets the password, and signs the owner in.
pub(super) async fn accept(visit: &Visit, value: &str) -> Result<Answer, Error> {
    let account = match visit.connect.invited_account(value).await {
        Ok(account) => account,
        Err(Error::Unauthorized(_)) => return Ok(gone(visit)),
        Err(error) => return Err(error),
    };
    if let Err(error) = visit.check_form() {
        let again = form(visit, value, &account, Some(&error.problem()));
        return Ok(again.with_status(StatusCode::FORBIDDEN));
    }
    let password = visit.form.secret("password");
    if password != visit.form.secret("repeated") {
        let reason = Reason::of("repeated", "must be the same as above");
        return Ok(refused(form(visit, value, &account, Some(&reason))));
    }
    match visit.connect.accept_invitation(value, password).await {
        Ok(session) => Ok(visit.begin_session(&session, &notices::at(ROOT, Notice::PasswordSet))),
        Err(Error::Unauthorized(_)) => Ok(gone(visit)),
        Err(error) => {
            let reason = components::mendable(error)?;
            Ok(refused(form(visit, value, &account, Some(&reason))))
        }
    }
}

fn refused(answer: Answer) -> Answer {
    answer.with_status(StatusCode::UNPROCESSABLE_ENTITY)
}

fn gone(visit: &Visit) -> Answer {
    let content = html! {
        p {
            "This link was used, was replaced by a newer one, or is more than three days old. Whoever \
             runs this server can send another one."
        }
        p { a href="/dashboard/sign-in" { "Sign in" } }
    };
    let answer = layout::open_page(visit, "This invitation is no longer good", content);
    answer.with_status(StatusCode::GONE)
}

fn form(visit: &Visit, value: &str, account: &Account, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = visit.visitor_forms();
    let hint = format!("At least {MIN_PASSWORD} characters. A few words are easy to remember.");
    let password = Field {
        label: "Password",
        name: "password",
        kind: "password",
        value: "",
        hint: &hint,
        autocomplete: "new-password",
    };
    let repeated = Field {
        label: "Password once more",
        name: "repeated",
        hint: "",
        ..password
    };
    let fields = html! {
        (components::problem(refused, &["password", "repeated"]))
        // For password managers, which keep the password with it.
        input type="hidden" name="username" autocomplete="username" value=(account.owner_email);
        (password.render(refused))
        (repeated.render(refused))
        button { "Set the password" }
    };
    let content = html! {
        p {
            "You were invited to the dashboard of " strong { (account.name) } ". You will sign in as "
            strong { (account.owner_email) } "."
        }
        (components::form(&format!("/dashboard/invitations/{value}"), &csrf, fields))
    };
    let mut answer = layout::open_page(visit, "Set your password", content);
    answer.cookies.extend(cookie);
    answer
}
