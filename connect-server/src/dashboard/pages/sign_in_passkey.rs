//! Signing in with a passkey, after a password or without.

use connect_core::{AwaitingSignIn, Error, IssuedSession, Reason, Secret};
use maud::{Markup, html};

use super::sign_in::{self, NEXT, PASSKEY};
use crate::{
    dashboard::{
        Answer, PageRequest, components, layout,
        messages::problems,
        passkeys::{self, RelyingParty, SignInAnswer, Unverified},
        sections::ROOT,
    },
    telemetry::audit::{self, Action, Person, Subject},
};

/// Shows the page to ask the browser for a passkey.
pub(super) async fn show(request: &PageRequest) -> Result<Answer, Error> {
    page(request, None).await
}

/// Signs a user in by the browser's answer.
pub(super) async fn finish(request: &PageRequest) -> Result<Answer, Error> {
    let (action, subject) = (Action::SignInByPasskey, Subject::default());
    match signed_in(request).await {
        Ok(session) => {
            request.audit_session(action, &session, subject).await?;
            let path = sign_in::next(request).unwrap_or_else(|| ROOT.to_owned());
            request.begin_session(&session, &path).await
        }
        Err(error) => {
            request.audit(action, &Person::Unknown, subject, audit::status_of(&error));
            if let Error::Unauthorized(reason) | Error::ForbiddenScope(reason) = &error {
                return Ok(page(request, Some(reason)).await?.refused(&error));
            }
            let form = async |reason: &Reason| page(request, Some(reason)).await;
            components::again(error, form).await
        }
    }
}

async fn signed_in(request: &PageRequest) -> Result<IssuedSession, Error> {
    request.check_form()?;
    let party = RelyingParty::at(&request.context.owner_url).ok_or_else(components::gone)?;
    let unauthorized = |Unverified(problem)| Error::Unauthorized(Reason::of("passkey", problem));
    let answer = SignInAnswer::read(request.form.get("answer"));
    let (answer, claim) = answer.map_err(unauthorized)?;
    let challenge = request.form.get("challenge");
    let core = request.visitor_core();
    let verify = |state: &str, credential: &str| {
        let used = party.used((state, credential), &answer);
        used.map_err(unauthorized)
    };
    core.sign_in_by_passkey(request.address, (&claim, challenge), verify)
        .await
}

async fn page(request: &PageRequest, refused: Option<&Reason>) -> Result<Answer, Error> {
    let value = request.session_cookie().unwrap_or_default();
    let awaiting = request.connect.awaiting_code(value).await?;
    let owner_url = &request.context.owner_url;
    let party = RelyingParty::at(owner_url);
    let begun = party.ok_or_else(|| passkeys::no_passkeys(owner_url));
    let begun = begun.and_then(|party| begin(request, party));
    let (party, options, challenge) = match begun {
        Ok(begun) => begun,
        Err(problem) => {
            let content = html! {
                p.problem role="alert" { (problem) }
                (other_ways(request, awaiting.as_ref()))
            };
            let title = text!("sign-in-with-passkey");
            return Ok(layout::open_page(request, &title, content));
        }
    };
    let (cookie, csrf) = request.visitor_forms();
    let fields = html! {
        (components::hidden(&csrf))
        input type="hidden" name="challenge" value=(challenge.expose());
        @if let Some(next) = sign_in::next(request) { input type="hidden" name=(NEXT) value=(next); }
        button { (text!("sign-in-use-passkey")) }
    };
    let content = html! {
        @match awaiting {
            Some(_) => p { (text!("sign-in-confirm-by-passkey")) },
            None => p { (text!("sign-in-passkey-explained")) },
        }
        (components::problem(refused, &[]))
        (passkeys::asking(&party, (PASSKEY, &options), false, fields))
        (other_ways(request, awaiting.as_ref()))
    };
    let mut answer =
        layout::open_page(request, &text!("sign-in-with-passkey"), content).with_script();
    answer.cookies.extend(cookie);
    Ok(answer)
}

/// Begins a sign-in: the options for the browser, and the sealed challenge.
fn begin(
    request: &PageRequest,
    party: RelyingParty,
) -> Result<(RelyingParty, String, Secret), String> {
    let begun = party.begin_sign_in();
    let shown = |problem: &str| components::sentence(&problems::translated(problem));
    let begun = begun.map_err(|Unverified(problem)| shown(problem))?;
    let challenge = request.connect.passkey_challenge(begun.state);
    let challenge = challenge.map_err(|error| shown(&error.problem().problem))?;
    Ok((party, begun.options, challenge))
}

/// The ways in without a passkey at hand.
fn other_ways(request: &PageRequest, awaiting: Option<&AwaitingSignIn>) -> Markup {
    let Some(awaiting) = awaiting else {
        let path = sign_in::with_next(sign_in::PATH, sign_in::next(request));
        return html! { p { a href=(path) { (text!("sign-in-with-own-password")) } } };
    };
    html! {
        @if awaiting.has_codes {
            p {
                a href=(sign_in::code_path(sign_in::next(request))) {
                    (text!("sign-in-code-instead"))
                }
            }
        }
        p.hint { (text!("sign-in-without-passkey")) }
        p { a href=(sign_in::PATH) { (text!("sign-in-as-other")) } }
    }
}
