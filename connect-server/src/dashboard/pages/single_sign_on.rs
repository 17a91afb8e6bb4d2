//! Single sign-on: the account's provider, and the way through it.

use std::borrow::Cow;

use connect_core::{Account, Error, NewProvider, Provider, Reason, Secret, wire::Id};
use http::StatusCode;
use maud::html;

use crate::{
    dashboard::{
        Answer, PageRequest, components,
        cookies::Cookie,
        inputs::Field,
        layout,
        messages::{markup, problems},
        notices::{self, Notice},
        page_request::SignedIn,
        sections::ROOT,
    },
    telemetry::audit::{self, Action, Person, Subject},
    workers::providers::{KeptSignIn, ProviderAnswer, ProviderError},
};

const ACCOUNT: &str = "/dashboard/account";
pub(super) const PATH: &str = "/dashboard/account/single-sign-on";
const REMOVE: &str = "/dashboard/account/single-sign-on/remove";
const BEGIN: &str = "/dashboard/sign-in/with";
const CALLBACK: &str = "/dashboard/sign-in/callback";

/// The time for a sign-in at the provider: ten minutes.
const KEPT_SECONDS: i64 = 600;

/// Shows the settings.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Sets the provider.
pub(super) async fn change(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let secret = to.form.secret("clientSecret");
    let new = NewProvider {
        issuer: to.form.get("issuer").to_owned(),
        client_id: to.form.get("clientId").to_owned(),
        client_secret: (!secret.is_empty()).then(|| Secret::from(secret.to_owned())),
    };
    match to.connect.set_provider(to.account().id, new).await {
        Ok(_) => Ok(Answer::redirect(&notices::at(PATH, Notice::ProviderSet))),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Removes the provider.
pub(super) async fn remove(to: &SignedIn<'_>) -> Result<Answer, Error> {
    to.connect.remove_provider(to.account().id).await?;
    Ok(Answer::redirect(&notices::at(
        PATH,
        Notice::ProviderRemoved,
    )))
}

async fn page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Result<Answer, Error> {
    let account = to.account().id;
    let provider = to.connect.provider(account).await?;
    let owner_url = &to.context.owner_url;
    let stored = |of: fn(&connect_core::Provider) -> &str| provider.as_ref().map_or("", of);
    let value = |name, stored| match refused {
        Some(_) => to.form.get(name),
        None => stored,
    };
    let issuer = Field {
        label: text!("field-issuer"),
        name: "issuer",
        kind: "url",
        value: value("issuer", stored(|of| &of.issuer)),
        hint: text!("single-sign-on-issuer-hint"),
        autocomplete: "off",
    };
    let client_id = Field {
        label: text!("field-clientId"),
        name: "clientId",
        kind: "text",
        value: value("clientId", stored(|of| &of.client_id)),
        hint: Cow::default(),
        autocomplete: "off",
    };
    let client_secret = Field {
        label: text!("field-clientSecret"),
        name: "clientSecret",
        kind: "password",
        value: "",
        hint: match provider {
            Some(_) => text!("single-sign-on-present-secret-hint"),
            None => text!("single-sign-on-client-secret-hint"),
        },
        autocomplete: "off",
    };
    let content = html! {
        p { (text!("single-sign-on-explained")) }
        ol {
            li {
                (marked!(
                    "single-sign-on-register",
                    [address = callback(to, account)],
                    code = markup::code,
                ))
            }
            li { (text!("single-sign-on-fill-in")) }
        }
        (components::form(PATH, &to.csrf, html! {
            (components::problem(refused, &["issuer", "clientId", "clientSecret"]))
            (issuer.render(refused))
            (client_id.render(refused))
            (client_secret.render_optional(provider.is_some(), refused))
            div.actions {
                button { (text!("word-save")) }
                a.button.quiet href=(ACCOUNT) { (text!("word-cancel")) }
            }
        }))
        @if let Some(provider) = &provider {
            h2 { (text!("single-sign-on-address")) }
            p { (text!("single-sign-on-give-address")) }
            p { code { (owner_url) (BEGIN) "/" (account) } }
            p.hint {
                (marked!(
                    "single-sign-on-passwords",
                    time = |_: &str| components::time(provider.set_at),
                ))
            }
            h2 { (text!("account-remove-heading")) }
            (components::confirmed(
                &text!("single-sign-on-remove-full"),
                &text!("word-remove-open"),
                &text!("single-sign-on-remove-consequence"),
                components::form(REMOVE, &to.csrf, html! {
                    button.danger { (text!("single-sign-on-remove")) }
                }),
            ))
        }
    };
    Ok(layout::page(
        to,
        ACCOUNT,
        &text!("single-sign-on-title"),
        content,
    ))
}

/// Shows the way to the provider of an account.
pub(super) async fn ask(request: &PageRequest, id: &str) -> Result<Answer, Error> {
    let account = components::id::<Account>(id)?;
    let counted = request.connect.count_anonymous(request.address);
    counted.map_err(|denied| denied.error)?;
    let provider = request.connect.provider_for_sign_in(account).await?;
    Ok(way(request, account, &provider, None))
}

fn way(
    request: &PageRequest,
    account: Id<Account>,
    provider: &Provider,
    refused: Option<&Reason>,
) -> Answer {
    let (cookie, csrf) = request.visitor_forms();
    let issuer = provider.issuer.split("://").last().unwrap_or_default();
    let content = html! {
        (components::problem(refused, &[]))
        p {
            (marked!(
                "single-sign-on-at",
                [issuer = issuer],
                strong = |words: &str| html! { strong { (words) } },
            ))
        }
        (components::form(&format!("{BEGIN}/{account}"), &csrf, html! {
            button { (text!("single-sign-on-continue")) }
        }))
        p { a href="/dashboard/sign-in" { (text!("single-sign-on-with-password")) } }
    };
    let mut answer = layout::open_page(request, &text!("word-sign-in"), content);
    answer.cookies.extend(cookie);
    answer
}

/// Sends a visitor to the provider of an account.
/// The form is of a page of ours: another site can sign nobody in to an account of its own.
pub(super) async fn begin(request: &PageRequest, id: &str) -> Result<Answer, Error> {
    let account = components::id::<Account>(id)?;
    let counted = request.connect.count_anonymous(request.address);
    counted.map_err(|denied| denied.error)?;
    let provider = request.connect.provider_for_sign_in(account).await?;
    if let Err(error) = request.check_form() {
        let answer = way(request, account, &provider, Some(&error.problem()));
        return Ok(answer.refused(&error));
    }
    let client = request.context.providers.as_ref();
    let client = client.ok_or_else(components::gone)?;
    match client.begin(&provider, &callback(request, account)).await {
        Ok(begun) => {
            let kept = format!("{account}~{}", begun.kept.value());
            // Not a redirect: browsers send forms to this server alone.
            let content = html! {
                p { a.button href=(begun.url) { (text!("single-sign-on-continue")) } }
            };
            let title = text!("word-sign-in");
            let mut answer = layout::onward_page(request, &title, begun.url.as_str(), content);
            answer.set_cookie(Cookie::Provider.keep(&kept, KEPT_SECONDS, request.tls));
            Ok(answer)
        }
        Err(error) => Ok(failed(
            request,
            account,
            StatusCode::BAD_GATEWAY,
            &problems::translated(&error.to_string()),
        )),
    }
}

/// Signs in a visitor back from a provider.
/// Each account has an address of its own for it, so that no answer goes to another provider.
pub(super) async fn come_back(request: &PageRequest, id: &str) -> Result<Answer, Error> {
    let counted = request.connect.count_anonymous(request.address);
    counted.map_err(|denied| denied.error)?;
    let kept = Cookie::Provider.find(&request.headers, request.tls);
    let kept = kept.and_then(|kept| kept.split_once('~'));
    let kept = kept.and_then(|(account, kept)| {
        let account = components::id::<Account>(account).ok()?;
        let is_own = components::id::<Account>(id).is_ok_and(|of| of == account);
        Some((account, KeptSignIn::read(kept)?)).filter(|_| is_own)
    });
    let Some((account, kept)) = kept else {
        let again = html! {
            p { (text!("single-sign-on-too-old")) }
            p { a href="/dashboard/sign-in" { (text!("word-sign-in")) } }
        };
        let answer = layout::open_page(request, &text!("single-sign-on-failed"), again);
        return Ok(answer.with_status(StatusCode::BAD_REQUEST));
    };
    let signed_in = sign_in(request, account, kept).await;
    let (status, problem) = match &signed_in {
        Ok(session) => {
            let mut subject = Subject::default();
            subject.is_of(account);
            request
                .audit_session(Action::SignInThroughProvider, session, subject)
                .await?;
            let mut answer = request.begin_session(session, ROOT).await?;
            answer.set_cookie(Cookie::Provider.forget(request.tls));
            return Ok(answer);
        }
        Err(Failed::AtProvider(error)) => {
            let problem = error.to_string();
            let problem = problems::translated(&problem).into_owned();
            (StatusCode::UNAUTHORIZED, problem)
        }
        Err(Failed::Here(
            error @ (Error::Unauthorized(_) | Error::NotFound(_) | Error::Conflict(_)),
        )) => (audit::status_of(error), problems::reason(&error.problem())),
        Err(Failed::Here(error)) => return Err(error.clone()),
    };
    let mut subject = Subject::default();
    subject.is_of(account);
    request.audit(
        Action::SignInThroughProvider,
        &Person::Unknown,
        subject,
        status,
    );
    let mut answer = failed(request, account, status, &problem);
    answer.set_cookie(Cookie::Provider.forget(request.tls));
    Ok(answer)
}

/// The reason of a failed sign-in.
enum Failed {
    AtProvider(ProviderError),
    Here(Error),
}

async fn sign_in(
    request: &PageRequest,
    account: Id<Account>,
    kept: KeptSignIn,
) -> Result<connect_core::IssuedSession, Failed> {
    let connect = &request.connect;
    let found = connect.provider_with_secret(account).await;
    let (provider, secret) = found.map_err(Failed::Here)?;
    let client = request.context.providers.as_ref();
    let client = client.ok_or_else(|| Failed::Here(components::gone()))?;
    let answer = ProviderAnswer {
        code: request.query.get("code"),
        state: request.query.get("state"),
        issuer: request.query.get("iss"),
        error: request.query.get("error"),
    };
    let person = client
        .finish(
            (&provider, &secret),
            &callback(request, account),
            kept,
            answer,
        )
        .await
        .map_err(Failed::AtProvider)?;
    let core = request.visitor_core();
    let signed_in = core.sign_in_by_provider(request.address, account, &person);
    signed_in.await.map_err(Failed::Here)
}

/// The address for the provider to come back to.
fn callback(request: &PageRequest, account: Id<Account>) -> String {
    format!("{}{CALLBACK}/{account}", request.context.owner_url)
}

fn failed(
    request: &PageRequest,
    account: Id<Account>,
    status: StatusCode,
    problem: &str,
) -> Answer {
    let content = html! {
        p.problem role="alert" { (components::sentence(problem)) }
        p { a.button href={ (BEGIN) "/" (account) } { (text!("single-sign-on-again")) } }
        p { a href="/dashboard/sign-in" { (text!("single-sign-on-with-password")) } }
    };
    let answer = layout::open_page(request, &text!("single-sign-on-failed"), content);
    answer.with_status(status)
}
