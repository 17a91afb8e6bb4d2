//! The user's second factor: set-up by QR code, recovery codes, removal.

use connect_core::{Error, NewSecondFactor, Reason, SecondFactor, Secret};
use maud::{Markup, PreEscaped, html};
use qrcode::{QrCode, render::svg};

use crate::dashboard::{
    Answer, components, inputs, layout,
    messages::problems,
    notices::{self, Notice},
    page_request::SignedIn,
};

const ACCOUNT: &str = "/dashboard/account";
pub(super) const PATH: &str = "/dashboard/account/second-factor";
const ADD: &str = "/dashboard/account/second-factor/add";
const CODES: &str = "/dashboard/account/second-factor/codes";
const REMOVE: &str = "/dashboard/account/second-factor/remove";

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

/// Adds the second factor by its first code; shows recovery codes.
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
                (marked!(
                    "second-factor-explained",
                    a = |words: &str| html! { a href="/dashboard/account/passkeys" { (words) } },
                ))
            }
            (hint_of_provider(to))
            (components::form(PATH, &to.csrf, html! {
                (components::problem(refused, &["currentPassword"]))
                (inputs::username(&to.user().email))
                (inputs::current_password().render(refused))
                div.actions {
                    button { (text!("second-factor-set-up")) }
                    a.button.quiet href=(ACCOUNT) { (text!("word-cancel")) }
                }
            }))
        },
        Some(factor) => present(to, &factor, refused),
    };
    Ok(layout::page(
        to,
        ACCOUNT,
        &text!("second-factor-title"),
        content,
    ))
}

/// The hint about the password of a user of a provider.
pub(super) fn hint_of_provider(to: &SignedIn<'_>) -> Markup {
    html! {
        @if to.user().single_sign_on {
            p.hint { (text!("second-factor-hint-of-provider")) }
        }
    }
}

/// The hint about an account with a demand of a second factor.
pub(super) fn hint_of_demand(to: &SignedIn<'_>) -> Markup {
    html! {
        @if to.account().requires_second_factor {
            p.hint { (text!("second-factor-hint-of-demand")) }
        }
    }
}

/// The part of a user with a second factor.
fn present(to: &SignedIn<'_>, factor: &SecondFactor, refused: Option<&Reason>) -> Markup {
    let left = factor.recovery_codes;
    html! {
        p {
            (marked!("second-factor-added", time = |_: &str| components::time(factor.added_at)))
        }
        (components::problem(refused, &["currentPassword"]))
        @if let Some(reason) = refused.filter(|reason| inputs::is_about(reason, "currentPassword")) {
            @let problem = problems::translated(&reason.problem);
            @let problem = text!("second-factor-problem-of-password", problem = problem);
            p.problem role="alert" { (components::sentence(&problem)) }
        }
        h2 { (text!("second-factor-recovery-codes")) }
        p.hint { (text!("second-factor-codes-left", count = left)) }
        (components::form(CODES, &to.csrf, html! {
            (inputs::username(&to.user().email))
            (inputs::current_password().render_as("password-of-codes", None))
            button.quiet { (text!("second-factor-renew-codes")) }
        }))
        h2 { (text!("account-remove-heading")) }
        (hint_of_demand(to))
        (components::confirmed(
            &text!("second-factor-remove-full"),
            &text!("word-remove-open"),
            &text!("second-factor-remove-consequence"),
            components::form(REMOVE, &to.csrf, html! {
                (inputs::username(&to.user().email))
                (inputs::current_password().render_as("password-of-removal", None))
                button.danger { (text!("second-factor-remove")) }
            }),
        ))
        p { a href=(ACCOUNT) { (text!("account-back")) } }
    }
}

/// The form for an app's first code, with a new seed.
fn first_code(
    to: &SignedIn<'_>,
    begun: Option<&NewSecondFactor>,
    refused: Option<&Reason>,
) -> Answer {
    let content = html! {
        @match begun {
            Some(begun) => {
                p { (text!("second-factor-read-code")) }
                (qr_code(begun.app_url.expose()))
                details {
                    summary { (text!("second-factor-cannot-read")) }
                    p { (text!("second-factor-type-key")) }
                    p { code { (begun.seed.expose()) } }
                }
                p { (text!("second-factor-type-digits")) }
            }
            None => p { (text!("second-factor-type-digits-now")) },
        }
        (components::form(ADD, &to.csrf, html! {
            (components::problem(refused, &["code"]))
            (inputs::code().render(refused))
            div.actions {
                button { (text!("second-factor-turn-on")) }
                a.button.quiet href=(PATH) { (text!("second-factor-begin-again")) }
            }
        }))
    };
    layout::page(to, ACCOUNT, &text!("second-factor-title"), content)
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
    html! {
        div.qr role="img" aria-label=(text!("second-factor-qr-code")) { (PreEscaped(drawn)) }
    }
}

fn recovery_codes(to: &SignedIn<'_>, codes: &[Secret]) -> Answer {
    let content = html! {
        p { (text!("second-factor-codes-explained")) }
        ul.codes { @for code in codes { li { code { (code.expose()) } } } }
        p { a.button href=(ACCOUNT) { (text!("second-factor-codes-kept")) } }
    };
    layout::page(to, ACCOUNT, &text!("second-factor-your-codes"), content)
}
