//! The user's own second factor: set-up with a QR code, recovery codes, removal.

use connect_core::{Error, NewSecondFactor, Reason, SecondFactor, Secret};
use maud::{Markup, PreEscaped, html};
use qrcode::{QrCode, render::svg};

use crate::dashboard::{
    Answer, components, inputs, layout,
    notices::{self, Notice},
    page_request::SignedIn,
};

const ACCOUNT: &str = "/dashboard/account";
pub(super) const PATH: &str = "/dashboard/account/second-factor";
const ADD: &str = "/dashboard/account/second-factor/add";
const CODES: &str = "/dashboard/account/second-factor/codes";
const REMOVE: &str = "/dashboard/account/second-factor/remove";

/// The title of the page.
const TITLE: &str = "Second factor";

/// Shows the second factor, or the way to one.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    page(to, None).await
}

/// Makes a seed, and shows it for the user's app.
pub(super) async fn begin(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let current = to.form.secret("currentPassword");
    match to.connect.begin_second_factor(&to.session, current).await {
        Ok(begun) => Ok(first_code(to, Some(&begun), None)),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Adds the second factor with its first code, and shows the recovery codes.
pub(super) async fn add(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let code = to.form.get("code");
    match to.connect.add_second_factor(&to.session, code).await {
        Ok(codes) => Ok(recovery_codes(to, &codes)),
        Err(error) => {
            components::again(error, async |reason| Ok(first_code(to, None, Some(reason)))).await
        }
    }
}

/// Replaces the recovery codes, and shows them.
pub(super) async fn renew_codes(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let current = to.form.secret("currentPassword");
    match to.connect.renew_recovery_codes(&to.session, current).await {
        Ok(codes) => Ok(recovery_codes(to, &codes)),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

/// Removes the second factor.
pub(super) async fn remove(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let current = to.form.secret("currentPassword");
    match to.connect.remove_second_factor(&to.session, current).await {
        Ok(()) => Ok(Answer::redirect(&notices::at(
            ACCOUNT,
            Notice::SecondFactorRemoved,
        ))),
        Err(error) => components::again(error, async |reason| page(to, Some(reason)).await).await,
    }
}

async fn page(to: &SignedIn<'_>, refused: Option<&Reason>) -> Result<Answer, Error> {
    let content = match to.connect.second_factor(&to.session).await? {
        None => html! {
            p {
                "With a second factor, a sign-in needs your password and a code of an app on your phone. Any "
                "authenticator app will do, also the one in a password manager. "
                a href="/dashboard/account/passkeys" { "A passkey" } " needs no code, and is a second factor too."
            }
            (hint_of_provider(to))
            (components::form(PATH, &to.csrf, html! {
                (components::problem(refused, &["currentPassword"]))
                (inputs::username(&to.user().email))
                (inputs::current_password().render(refused))
                div.actions {
                    button { "Set up" }
                    a.button.quiet href=(ACCOUNT) { "Cancel" }
                }
            }))
        },
        Some(factor) => present(to, &factor, refused),
    };
    Ok(layout::page(to, ACCOUNT, TITLE, content))
}

/// The hint about the password of a user of a provider.
pub(super) fn hint_of_provider(to: &SignedIn<'_>) -> Markup {
    html! {
        @if to.user().single_sign_on {
            p.hint {
                "You sign in through the provider of your company. If you have no password here, ask another owner, or the "
                "operator of this server, for an invitation first."
            }
        }
    }
}

/// The hint about an account with a demand of a second factor.
pub(super) fn hint_of_demand(to: &SignedIn<'_>) -> Markup {
    html! {
        @if to.account().requires_second_factor {
            p.hint {
                "Your account demands a second factor: without an app and a passkey you see your own account and little "
                "else."
            }
        }
    }
}

/// The part of a user with a second factor.
fn present(to: &SignedIn<'_>, factor: &SecondFactor, refused: Option<&Reason>) -> Markup {
    let left = factor.recovery_codes;
    html! {
        p {
            "Added " (components::time(factor.added_at)) ". A sign-in needs your password and a code of your app, or a passkey."
        }
        (components::problem(refused, &["currentPassword"]))
        @if let Some(reason) = refused.filter(|reason| inputs::is_about(reason, "currentPassword")) {
            p.problem role="alert" { (components::sentence(&format!("The current password {}", reason.problem))) }
        }
        h2 { "Recovery codes" }
        p.hint {
            @if left == 1 { "One recovery code is left." } @else { (left) " recovery codes are left." }
            " New ones replace all of them, used or not."
        }
        (components::form(CODES, &to.csrf, html! {
            (inputs::username(&to.user().email))
            (inputs::current_password().render_as("password-of-codes", None))
            button.quiet { "Make new recovery codes" }
        }))
        h2 { "Remove" }
        (hint_of_demand(to))
        (components::confirmed(
            "Remove… the second factor",
            "Remove…",
            "From then on your password needs no code. You are signed out everywhere else.",
            components::form(REMOVE, &to.csrf, html! {
                (inputs::username(&to.user().email))
                (inputs::current_password().render_as("password-of-removal", None))
                button.danger { "Remove the second factor" }
            }),
        ))
        p { a href=(ACCOUNT) { "Back to the account" } }
    }
}

/// The form for the first code of an app, with a new seed.
fn first_code(
    to: &SignedIn<'_>,
    begun: Option<&NewSecondFactor>,
    refused: Option<&Reason>,
) -> Answer {
    let content = html! {
        @match begun {
            Some(begun) => {
                p { "1. Read this code with your authenticator app." }
                (qr_code(begun.app_url.expose()))
                details {
                    summary { "The app cannot read it?" }
                    p { "Type this key into the app instead:" }
                    p { code { (begun.seed.expose()) } }
                }
                p { "2. Type the six digits that the app shows." }
            }
            None => p { "Type the six digits that the app shows now." },
        }
        (components::form(ADD, &to.csrf, html! {
            (components::problem(refused, &["code"]))
            (inputs::code().render(refused))
            div.actions {
                button { "Turn on" }
                a.button.quiet href=(PATH) { "Begin again" }
            }
        }))
    };
    layout::page(to, ACCOUNT, TITLE, content)
}

/// A QR code of an address, drawn in the page: no image has to be loaded.
fn qr_code(address: &str) -> Markup {
    let drawn = QrCode::new(address).map(|code| {
        let mut image = code.render::<svg::Color<'_>>();
        image.min_dimensions(240, 240);
        image.build()
    });
    let drawn = drawn.unwrap_or_default();
    let drawn = drawn.split_once("?>").map_or("", |(_, svg)| svg);
    html! { div.qr role="img" aria-label="QR code" { (PreEscaped(drawn)) } }
}

fn recovery_codes(to: &SignedIn<'_>, codes: &[Secret]) -> Answer {
    let content = html! {
        p {
            "These are your recovery codes. Each signs you in once, in place of a code of your app: keep them where "
            "you find them without your phone, such as on paper. They are not shown again."
        }
        ul.codes { @for code in codes { li { code { (code.expose()) } } } }
        p { a.button href=(ACCOUNT) { "I have kept them" } }
    };
    layout::page(to, ACCOUNT, "Your recovery codes", content)
}
