//! Signing in and out.

use connect_core::{Error, Reason};
use maud::html;

use crate::dashboard::{
    Answer, Visit, components,
    inputs::Field,
    layout,
    notices::{self, Notice},
    places::ROOT,
    visit::SignedIn,
};

const PATH: &str = "/dashboard/sign-in";

/// Shows the form.
pub(super) fn show(visit: &Visit) -> Answer {
    form(visit, "", None)
}

/// Signs an owner in.
pub(super) async fn sign_in(visit: &Visit) -> Result<Answer, Error> {
    let email = visit.form.get("email");
    if let Err(error) = visit.check_form() {
        // The page is shown anew, with a form that is good.
        return Ok(form(visit, email, Some(&error.problem())).refused(&error));
    }
    let password = visit.form.secret("password");
    match visit.connect.sign_in(visit.address, email, password).await {
        Ok(session) => visit.begin_session(&session, ROOT).await,
        Err(error @ Error::Unauthorized(_)) => {
            let reason = Reason::new(
                "the e-mail address or the password is wrong; if you forgot your password, ask the \
                 operator of this server for a new invitation",
            );
            Ok(form(visit, email, Some(&reason)).refused(&error))
        }
        Err(error) => components::again(error, |reason| form(visit, email, Some(reason))),
    }
}

/// Signs an owner out.
pub(super) async fn sign_out(to: &SignedIn<'_>) -> Result<Answer, Error> {
    to.connect.sign_out(&to.owner).await?;
    Ok(to.end_session(&notices::at(PATH, Notice::SignedOut)))
}

fn form(visit: &Visit, email: &str, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = visit.visitor_forms();
    let email = Field {
        label: "E-mail address",
        name: "email",
        kind: "email",
        value: email,
        hint: "",
        autocomplete: "username",
    };
    let password = Field {
        label: "Password",
        name: "password",
        kind: "password",
        value: "",
        hint: "",
        autocomplete: "current-password",
    };
    let fields = html! {
        (components::problem(refused, &[]))
        (email.render(None))
        (password.render(None))
        button { "Sign in" }
    };
    let content = html! {
        (components::form(PATH, &csrf, fields))
        p.hint { "No password yet? Ask the operator of this server for an invitation." }
    };
    let mut answer = layout::open_page(visit, "Sign in", content);
    answer.cookies.extend(cookie);
    answer
}
