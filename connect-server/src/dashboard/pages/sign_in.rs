//! Signing in and out.

use std::borrow::Cow;

use connect_core::{Error, Reason};
use http::Method;
use maud::html;
use url::form_urlencoded::Serializer;

use crate::{
    dashboard::{
        Answer, PageRequest, components,
        cookies::Cookie,
        inputs::{self, Field},
        layout,
        notices::{self, Notice},
        page_request::SignedIn,
        passkeys::RelyingParty,
        sections::{ROOT, page_at},
    },
    telemetry::audit::{self, Action, Person, Subject},
};

pub(super) const PATH: &str = "/dashboard/sign-in";

/// The form for a code of the second factor.
pub(super) const CODE: &str = "/dashboard/sign-in/code";

/// The page to ask the browser for a passkey.
pub(super) const PASSKEY: &str = "/dashboard/sign-in/passkey";

/// The field with the page to show after signing in.
pub(super) const NEXT: &str = "next";

/// Redirects a signed-out visitor to the form.
/// A requested page is shown after signing in. A sent form is lost, and a notice says so.
pub(super) fn first(request: &PageRequest) -> Answer {
    match (&request.method, &request.segments()[..]) {
        (&Method::POST, ["sign-out"]) => Answer::redirect(&notices::at(PATH, Notice::SignedOut)),
        (&Method::POST, _) => Answer::redirect(&notices::at(PATH, Notice::SessionEnded)),
        // The first page is shown in any case.
        (_, []) => Answer::redirect(PATH),
        _ => {
            let asked = format!("{}?{}", request.path, request.query.query());
            let asked = asked.trim_end_matches('?').to_owned();
            Answer::redirect(&with_next(PATH, Some(asked)))
        }
    }
}

/// The page to show after signing in, from form or address.
pub(super) fn next(request: &PageRequest) -> Option<String> {
    let named = [request.form.get(NEXT), request.query.get(NEXT)];
    named.into_iter().find_map(page_at)
}

/// Shows the form, for anyone at this browser.
/// A sign-in awaiting a code is forgotten here.
pub(super) fn show(request: &PageRequest) -> Answer {
    let mut answer = form(request, "", None);
    if request.session_cookie().is_some() {
        answer.set_cookie(Cookie::Session.forget(request.tls));
    }
    answer
}

/// Redirects a signed-in owner onward from the form.
pub(super) fn onward(request: &PageRequest) -> Answer {
    Answer::redirect(&next(request).unwrap_or_else(|| ROOT.to_owned()))
}

/// Signs an owner in.
pub(super) async fn sign_in(request: &PageRequest) -> Result<Answer, Error> {
    let email = request.form.get("email");
    let refused = async |error: &Error| {
        let subject = audit::account_of_email(&request.connect, email).await;
        let status = audit::status_of(error);
        request.audit(Action::SignIn, &Person::Unknown, subject, status);
    };
    if let Err(error) = request.check_form() {
        refused(&error).await;
        // The page is shown anew, with a form that is good.
        return Ok(form(request, email, Some(&error.problem())).refused(&error));
    }
    let password = request.form.secret("password");
    let core = request.visitor_core();
    match core.sign_in(request.address, email, password).await {
        Ok(session) => {
            let subject = match session.awaits_code {
                true => audit::account_of_email(&request.connect, email).await,
                false => Subject::default(),
            };
            request
                .audit_session(Action::SignIn, &session, subject)
                .await?;
            let path = match (session.awaits_code, next(request)) {
                (true, next) => code_path(next),
                (false, next) => next.unwrap_or_else(|| ROOT.to_owned()),
            };
            request.begin_session(&session, &path).await
        }
        Err(error @ Error::Unauthorized(_)) => {
            refused(&error).await;
            let mut reason = error.problem();
            // That of a right password is shown.
            if reason.field.as_deref() != Some("provider") {
                reason = Reason::new(text!("sign-in-wrong"));
            }
            Ok(form(request, email, Some(&reason)).refused(&error))
        }
        Err(error) => {
            refused(&error).await;
            components::again(error, async |reason| Ok(form(request, email, Some(reason)))).await
        }
    }
}

/// Shows the form for a code of the second factor.
pub(super) async fn code(request: &PageRequest) -> Result<Answer, Error> {
    let value = request.session_cookie().unwrap_or_default();
    match request.connect.awaiting_code(value).await? {
        Some(awaiting) if awaiting.has_codes => Ok(code_form(request, awaiting.has_passkeys, None)),
        Some(_) => Ok(Answer::redirect(&with_next(PASSKEY, next(request)))),
        None => Ok(Answer::redirect(PATH)),
    }
}

/// Ends a sign-in with a code of the second factor, or a recovery code.
pub(super) async fn finish(request: &PageRequest) -> Result<Answer, Error> {
    let value = request.session_cookie().unwrap_or_default();
    let mut subject = Subject::default();
    let awaiting = request.connect.awaiting_code(value).await?;
    if let Some(awaiting) = &awaiting {
        subject.is_of(awaiting.account);
    }
    let has_passkeys = awaiting.is_some_and(|awaiting| awaiting.has_passkeys);
    let finished = match request.check_form() {
        Ok(()) => {
            let core = request.visitor_core();
            core.finish_sign_in(value, request.form.secret("code"))
                .await
        }
        Err(error) => Err(error),
    };
    let error = match finished {
        Ok(session) => {
            request
                .audit_session(Action::SignInCode, &session, subject)
                .await?;
            let path = next(request).unwrap_or_else(|| ROOT.to_owned());
            return request.begin_session(&session, &path).await;
        }
        Err(error) => error,
    };
    let status = audit::status_of(&error);
    let nobody = Person::Unknown;
    request.audit(Action::SignInCode, &nobody, subject, status);
    match &error {
        Error::Unauthorized(reason) if reason.field.as_deref() != Some("code") => {
            Ok(request.end_session(&notices::at(PATH, Notice::SignInEnded)))
        }
        Error::Unauthorized(_) | Error::ForbiddenScope(_) => {
            Ok(code_form(request, has_passkeys, Some(&error.problem())).refused(&error))
        }
        _ => {
            let form = async |reason: &Reason| Ok(code_form(request, has_passkeys, Some(reason)));
            components::again(error, form).await
        }
    }
}

/// The address of the form for a code, with the page to show after it.
pub(super) fn code_path(next: Option<String>) -> String {
    with_next(CODE, next)
}

/// An address with the page to show after it.
pub(super) fn with_next(path: &str, next: Option<String>) -> String {
    let Some(next) = next else {
        return path.to_owned();
    };
    let mut query = Serializer::new(String::new());
    query.append_pair(NEXT, &next);
    format!("{path}?{}", query.finish())
}

fn code_form(request: &PageRequest, has_passkeys: bool, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = request.visitor_forms();
    let content = html! {
        p { (text!("sign-in-type-digits")) }
        (components::form(CODE, &csrf, html! {
            (components::problem(refused, &["code"]))
            (inputs::code().render(refused))
            @if let Some(next) = next(request) { input type="hidden" name=(NEXT) value=(next); }
            button { (text!("word-sign-in")) }
        }))
        @if has_passkeys {
            p {
                a.button.quiet href=(with_next(PASSKEY, next(request))) {
                    (text!("sign-in-use-passkey"))
                }
            }
        }
        p.hint { (text!("sign-in-without-phone")) }
        p { a href=(PATH) { (text!("sign-in-as-other")) } }
    };
    let mut answer = layout::open_page(request, &text!("second-factor-title"), content);
    answer.cookies.extend(cookie);
    answer
}

/// Signs an owner out.
pub(super) async fn sign_out(to: &SignedIn<'_>) -> Result<Answer, Error> {
    to.connect.sign_out(&to.session).await?;
    Ok(to.end_session(&notices::at(PATH, Notice::SignedOut)))
}

fn form(request: &PageRequest, email: &str, refused: Option<&Reason>) -> Answer {
    let (cookie, csrf) = request.visitor_forms();
    let email = Field {
        label: text!("word-email"),
        name: "email",
        kind: "email",
        value: email,
        hint: Cow::default(),
        autocomplete: "username",
    };
    let password = Field {
        label: text!("word-password"),
        name: "password",
        kind: "password",
        value: "",
        hint: Cow::default(),
        autocomplete: "current-password",
    };
    let fields = html! {
        (components::problem(refused, &[]))
        (email.render(None))
        (password.render(None))
        @if let Some(next) = next(request) { input type="hidden" name=(NEXT) value=(next); }
        button { (text!("word-sign-in")) }
    };
    let content = html! {
        (components::form(PATH, &csrf, fields))
        @if RelyingParty::at(&request.context.owner_url).is_some() {
            p {
                a.button.quiet href=(with_next(PASSKEY, next(request))) {
                    (text!("sign-in-with-passkey"))
                }
            }
        }
        p { a href="/dashboard/forgotten" { (text!("sign-in-forgotten")) } }
        p.hint { (text!("sign-in-no-password")) }
    };
    let mut answer = layout::open_page(request, &text!("word-sign-in"), content);
    answer.cookies.extend(cookie);
    answer
}
