//! Signing in with a passkey, with a password or without.

use connect_core::{AwaitingSignIn, Error, IssuedSession, Reason};
use maud::html;

use super::sign_in::{self, NEXT};
use crate::{
    dashboard::{
        Answer, PageRequest, components, layout,
        notices::{self, Notice},
        passkeys::{self, RelyingParty, SignInAnswer, Unverified},
        sections::ROOT,
    },
    telemetry::audit::{self, Action, Person, Subject},
};

pub(super) const PATH: &str = "/dashboard/sign-in/passkey";

/// Shows the page to ask the browser for a passkey.
pub(super) async fn show(request: &PageRequest) -> Result<Answer, Error> {
    let awaiting = awaiting(request).await?;
    page(request, awaiting.as_ref(), None)
}

/// Signs a user in by the browser's answer.
pub(super) async fn finish(request: &PageRequest) -> Result<Answer, Error> {
    let awaiting = awaiting(request).await?;
    let mut subject = Subject::default();
    if let Some(awaiting) = &awaiting {
        subject.is_of(awaiting.account);
    }
    let error = match signed_in(request, awaiting.is_some()).await {
        Ok(session) => {
            request
                .audit_session(Action::SignInByPasskey, &session, subject)
                .await?;
            let path = sign_in::next(request).unwrap_or_else(|| ROOT.to_owned());
            return request.begin_session(&session, &path).await;
        }
        Err(error) => error,
    };
    let status = audit::status_of(&error);
    request.audit(Action::SignInByPasskey, &Person::Unknown, subject, status);
    match &error {
        Error::Unauthorized(reason) if reason.field.as_deref() == Some("session") => {
            Ok(request.end_session(&notices::at(sign_in::PATH, Notice::SignInEnded)))
        }
        Error::Unauthorized(_) | Error::ForbiddenScope(_) => {
            let page = page(request, awaiting.as_ref(), Some(&error.problem()))?;
            Ok(page.refused(&error))
        }
        _ => {
            let form = async |reason: &Reason| page(request, awaiting.as_ref(), Some(reason));
            components::again(error, form).await
        }
    }
}

/// The sign-in of this browser awaiting a code, if there is one.
async fn awaiting(request: &PageRequest) -> Result<Option<AwaitingSignIn>, Error> {
    let value = request.session_cookie().unwrap_or_default();
    request.connect.awaiting_code(value).await
}

async fn signed_in(request: &PageRequest, is_awaited: bool) -> Result<IssuedSession, Error> {
    request.check_form()?;
    let party = RelyingParty::at(&request.context.owner_url).ok_or_else(components::gone)?;
    let unauthorized = |Unverified(problem)| Error::Unauthorized(Reason::of("passkey", problem));
    let answer = SignInAnswer::read(request.form.get("answer"));
    let (answer, claim) = answer.map_err(unauthorized)?;
    let awaiting = request.session_cookie().filter(|_| is_awaited);
    let challenge = request.form.get("challenge");
    let core = request.visitor_core();
    let verify = |state: &str, credential: &str| {
        let used = party.used((state, credential), &answer);
        used.map_err(unauthorized)
    };
    core.sign_in_by_passkey(request.address, (&claim, challenge), awaiting, verify)
        .await
}

fn page(
    request: &PageRequest,
    awaiting: Option<&AwaitingSignIn>,
    refused: Option<&Reason>,
) -> Result<Answer, Error> {
    let party = RelyingParty::at(&request.context.owner_url).ok_or_else(components::gone)?;
    let begun = party.begin_sign_in();
    let begun =
        begun.map_err(|Unverified(problem)| Error::Conflict(Reason::of("passkey", problem)))?;
    let challenge = request.connect.passkey_challenge(begun.state)?;
    let (cookie, csrf) = request.visitor_forms();
    let content = html! {
        @match awaiting {
            Some(_) => p { "Your password is right. Confirm it is you with your passkey." },
            None => p { "Use the fingerprint, face or PIN of this device, of your phone, or a security key." },
        }
        (components::problem(refused, &[]))
        form method="post" action=(PATH) data-options=(begun.options) hidden {
            (components::hidden(&csrf))
            input type="hidden" name="challenge" value=(challenge.expose());
            input type="hidden" name="answer";
            @if let Some(next) = sign_in::next(request) { input type="hidden" name=(NEXT) value=(next); }
            button { "Use a passkey" }
        }
        (passkeys::script())
        @match awaiting {
            Some(awaiting) => {
                @if awaiting.has_codes { p { a href=(sign_in::code_path(sign_in::next(request))) { "Type a code instead" } } }
                p.hint {
                    "Without your passkey, ask an owner of your account, or the operator of this server, to remove your "
                    "second factor."
                }
                p { a href=(sign_in::PATH) { "Sign in as someone else" } }
            }
            None => p { a href=(sign_in::PATH) { "Sign in with your password" } },
        }
    };
    let mut answer = layout::open_page(request, "Sign in with a passkey", content).with_script();
    answer.cookies.extend(cookie);
    Ok(answer)
}
