//! Forgotten passwords: a visitor asks for a link by mail.

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
                p {
                    "If someone signs in with this address, a message with a link is on its way. The link sets another "
                    "password; it is good for an hour, and for one use."
                }
                p {
                    "No message? Look among the unwanted ones, and check the address. Another message is sent after "
                    "five minutes."
                }
                p { a href="/dashboard/sign-in" { "Sign in" } }
            };
            Ok(layout::open_page(
                request,
                "Look into your mailbox",
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
        label: "E-mail address",
        name: "email",
        kind: "email",
        value: request.form.get("email"),
        hint: "",
        autocomplete: "username",
    };
    let content = html! {
        @if request.connect.queues_mail() {
            (components::form(PATH, &csrf, html! {
                (components::problem(refused, &["email"]))
                (email.render(refused))
                button { "Send me a link" }
            }))
        } @else {
            p {
                "This server sends no mail. Ask an owner of your account, or the operator of this server, for a new "
                "invitation: it sets another password."
            }
        }
        p { a href="/dashboard/sign-in" { "Sign in" } }
    };
    let mut answer = layout::open_page(request, "Set another password", content);
    answer.cookies.extend(cookie);
    answer
}
