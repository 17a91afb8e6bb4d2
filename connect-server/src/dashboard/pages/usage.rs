//! The address of the API, and the used part of the limits.

use connect_core::{Account, AccountLocation, AccountStored, Error, UserRight};
use maud::{Markup, html};

use crate::dashboard::{
    Answer, components, layout,
    messages::{markup, numbers::bytes},
    page_request::SignedIn,
    sections::USAGE,
};

/// Shows what keeps the account from working, with the next step.
pub(super) async fn warnings(to: &SignedIn<'_>) -> Result<Markup, Error> {
    let account = to.account();
    Ok(warnings_about(
        account,
        &to.connect.stored(account.id).await?,
    ))
}

fn warnings_about(account: &Account, stored: &AccountStored) -> Markup {
    html! {
        @if account.screens.is_empty() {
            p.warning role="status" {
                (marked!(
                    "overview-no-screen",
                    a = |words: &str| html! { a href="/dashboard/screens" { (words) } },
                    code = markup::code,
                ))
            }
        }
        @if stored.is_near_limit() {
            p.warning role="status" { (marked!("overview-near-limit", code = markup::code)) }
        }
    }
}

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.account();
    let in_use = match to.session.has(UserRight::ManageTokens) {
        true => {
            let tokens = to.connect.tokens(account.id).await?;
            let in_use = tokens
                .iter()
                .filter(|(token, _)| !to.connect.has_ended(token));
            Some(in_use.count())
        }
        false => None,
    };
    let shown = |location: &AccountLocation| to.has_role_at(location.id);
    let stored = to.connect.stored(account.id).await?;
    let limits = &stored.limits;
    let head = html! {
        th { (text!("word-name")) } th { (text!("overview-id")) }
        th { (text!("overview-currency")) } th { (text!("section-products")) }
        th { (text!("overview-categories")) } th { (text!("overview-option-groups")) }
        th { (text!("overview-stored")) }
    };
    let of = |used: String, most: String| text!("overview-of", used = used, most = most);
    let count = |used: u64, most: u64| of(used.to_string(), most.to_string());
    let rows = html! {
        @for (location, its) in account.locations.iter().zip(&stored.locations).filter(|(at, _)| shown(at)) {
            tr {
                td { (location.name) } td { code { (location.id) } } td { (location.currency) }
                @if its.is_counted {
                    td { (count(its.products, limits.products)) }
                    td { (count(its.categories, limits.categories)) }
                    td { (count(its.option_groups, limits.option_groups)) }
                    td { (bytes(its.bytes)) }
                } @else {
                    td colspan="4" { (text!("overview-uncounted")) }
                }
            }
        }
    };
    let content = html! {
        (warnings_about(account, &stored))
        dl.figures {
            div {
                dt { (text!("word-locations")) }
                dd { (account.locations.iter().filter(|at| shown(at)).count()) }
            }
            @if to.session.has(UserRight::ManageScreens) {
                div {
                    dt { a href="/dashboard/screens" { (text!("section-screens")) } }
                    dd { (to.screens().len()) }
                }
            }
            @if let Some(in_use) = in_use {
                div {
                    dt { a href="/dashboard/tokens" { (text!("section-tokens")) } }
                    dd { (in_use) }
                }
            }
            div {
                dt { (text!("overview-stored")) }
                dd { (of(bytes(stored.bytes), bytes(limits.account_bytes))) }
            }
        }
        h2 { (text!("overview-api-address")) }
        p { code { (to.context.api_url) } }
        p { a href=(format!("{}/docs", to.context.api_url)) { (text!("overview-api-reference")) } }
        h2 { (text!("word-locations")) }
        @if account.locations.is_empty() {
            (components::empty(&text!("overview-no-locations"), html! {}))
        } @else { (components::table(&text!("word-locations"), head, rows)) }
    };
    Ok(layout::page(to, USAGE, &text!("section-usage"), content))
}
