//! Forgotten passwords: a visitor asks for a link by mail.

use std::borrow::Cow;

use connect_core::{Error, Reason};
use maud::html;

use crate::{
    dashboard::{Answer, PageRequest, components, inputs::Field, layout},
    telemetry::audit::{self, Action, Person},
};

const PATH: &str = "/dashboard/forgotten";

/// Shows the form.
pub(super) fn show(request: &PageRequest) -> Answer {
    form(request, None)
}

/// Sends a link to the typed address, if a user has it.
/// The answer is the same for every address, and does not wait for the look at it.
pub(super) async fn ask(request: &PageRequest) -> Result<Answer, Error> {
    let email = request.form.get("email");
    let asked = match request.check_form() {
        Ok(()) => {
            let core = request.visitor_core();
            core.forget_password(request.address, email)
        }
        Err(error) => Err(error),
    };
    let subject = audit::account_of_email(&request.connect, email).await;
    let status = audit::status_of_result(&asked);
    request.audit(Action::ForgetPassword, &Person::Unknown, subject, status);
    match asked {
        Ok(sending) => {
            tokio::spawn(sending);
            let content = html! {
                p { (text!("forgotten-on-its-way")) }
                p { (text!("forgotten-no-message")) }
                p { a href="/dashboard/sign-in" { (text!("word-sign-in")) } }
            };
            Ok(layout::open_page(
                request,
                &text!("forgotten-look"),
                content,
            ))
        }
        Err(error @ Error::ForbiddenScope(_)) => {
            Ok(form(request, Some(&error.problem())).refused(&error))
        }
        Err(error) => {
            components::again(error, async |reason| Ok(form(request, Some(reason)))).await
        }
    }
}

fn form(request: &PageRequest, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = request.visitor_forms();
    let email = Field {
        label: text!("word-email"),
        name: "email",
        kind: "email",
        value: request.form.get("email"),
        hint: Cow::default(),
        autocomplete: "username",
    };
    let content = html! {
        @if request.connect.queues_mail() {
            (components::form(PATH, &csrf, html! {
                (components::problem(refused, &["email"]))
                (email.render(refused))
                button { (text!("forgotten-send")) }
            }))
        } @else {
            p { (text!("forgotten-no-mail")) }
        }
        p { a href="/dashboard/sign-in" { (text!("word-sign-in")) } }
    };
    let mut answer = layout::open_page(request, &text!("forgotten-title"), content);
    answer.cookies.extend(cookie);
    answer
}
