//! The invitation link, for an owner to set a password.

use connect_core::{Error, Invited, Reason};
use http::StatusCode;
use maud::html;

use super::sign_in;
use crate::{
    dashboard::{
        Answer, PageRequest, components, inputs, layout, new_password,
        notices::{self, Notice},
        sections::ROOT,
    },
    telemetry::audit::{self, Action, Person, Subject},
};

/// Shows the form of an open invitation.
pub(super) async fn show(request: &PageRequest, value: &str) -> Result<Answer, Error> {
    match request.connect.invited_user(value).await {
        Ok(invited) => Ok(form(request, value, &invited, None)),
        Err(Error::Unauthorized(_)) => Ok(gone(request)),
        Err(error) => Err(error),
    }
}

/// Sets the password, and signs the owner in.
pub(super) async fn accept(request: &PageRequest, value: &str) -> Result<Answer, Error> {
    let refused = |invited: Option<&Invited>, error: &Error| {
        let mut subject = Subject::default();
        if let Some(invited) = invited {
            subject.is_of(invited.account.id);
        }
        let status = audit::status_of(error);
        request.audit(Action::AcceptInvitation, &Person::Unknown, subject, status);
    };
    let invited = match request.connect.invited_user(value).await {
        Ok(invited) => invited,
        Err(error) => {
            refused(None, &error);
            return match error {
                Error::Unauthorized(_) => Ok(gone(request)),
                error => Err(error),
            };
        }
    };
    if let Err(error) = request.check_form() {
        refused(Some(&invited), &error);
        let answer = form(request, value, &invited, Some(&error.problem()));
        return Ok(answer.refused(&error));
    }
    let accepted = match new_password::read(&request.form) {
        Ok(password) => {
            let core = request.visitor_core();
            core.accept_invitation(value, password).await
        }
        Err(error) => Err(error),
    };
    let error = match accepted {
        Ok(session) => {
            let mut subject = Subject::default();
            subject.is_of(invited.account.id);
            let action = Action::AcceptInvitation;
            request.audit_session(action, &session, subject).await?;
            let first = if session.awaits_code {
                sign_in::CODE.to_owned()
            } else {
                notices::at(ROOT, Notice::PasswordSet)
            };
            return request.begin_session(&session, &first).await;
        }
        Err(error @ Error::Unauthorized(_)) => {
            refused(Some(&invited), &error);
            let reason = error.problem();
            return Ok(match reason.field.as_deref() {
                Some("provider") => form(request, value, &invited, Some(&reason)).refused(&error),
                _ => gone(request),
            });
        }
        Err(Error::Conflict(_)) => Error::Conflict(Reason::new(text!("invitation-address-taken"))),
        Err(error) => error,
    };
    refused(Some(&invited), &error);
    let form = async |reason: &Reason| Ok(form(request, value, &invited, Some(reason)));
    components::again(error, form).await
}

fn gone(request: &PageRequest) -> Answer {
    let content = html! {
        p { (text!("invitation-gone-explained")) }
        p { a href="/dashboard/sign-in" { (text!("word-sign-in")) } }
    };
    let answer = layout::open_page(request, &text!("invitation-gone"), content);
    answer.with_status(StatusCode::GONE)
}

fn form(request: &PageRequest, value: &str, invited: &Invited, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = request.visitor_forms();
    let fields = html! {
        (components::problem(refused, &new_password::NAMES))
        (inputs::username(&invited.user.email))
        (new_password::fields(&text!("word-password"), refused))
        button { (text!("invitation-set")) }
    };
    let content = html! {
        p {
            (marked!(
                "invitation-explained",
                [name = invited.account.name.as_str(), email = invited.user.email.as_str()],
                strong = |words: &str| html! { strong { (words) } },
            ))
        }
        (components::form(&format!("/dashboard/invitations/{value}"), &csrf, fields))
    };
    let mut answer = layout::open_page(request, &text!("invitation-title"), content);
    answer.cookies.extend(cookie);
    answer
}
