//! The first page: what there is, and what to do next.

use connect_core::Error;
use maud::html;

use crate::dashboard::{Answer, components, layout, places::ROOT, visit::SignedIn};

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.owner.account();
    let tokens = to.connect.tokens(account.id).await?;
    let in_use = tokens
        .iter()
        .filter(|(token, _)| !to.connect.has_ended(token));
    let in_use = in_use.count();
    let head = html! {
        th { "Name" } th { "ID" } th { "Currency" }
    };
    let rows = html! {
        @for location in &account.locations {
            tr { td { (location.name) } td { code { (location.id) } } td { (location.currency) } }
        }
    };
    let content = html! {
        @if account.screens.is_empty() {
            p.warning role="status" {
                "The API is not available, because this account has no screen: no register, kiosk or \
                 Scan & Order page. Until you " a href="/dashboard/screens" { "add one" } ", every call \
                 is answered with " code { "api_not_available" } "."
            }
        }
        dl.figures {
            div { dt { "Locations" } dd { (account.locations.len()) } }
            div { dt { a href="/dashboard/screens" { "Screens" } } dd { (account.screens.len()) } }
            div { dt { a href="/dashboard/tokens" { "Tokens" } } dd { (in_use) } }
        }
        h2 { "API address" }
        p { code { (to.setting.api_url) } }
        p { a href=(format!("{}/docs", to.setting.api_url)) { "API reference" } }
        h2 { "Locations" }
        @if account.locations.is_empty() {
            (components::empty(
                "This account has no locations yet. Ask the operator of this server to add one.",
                html! {},
            ))
        } @else { (components::table("Locations", head, rows)) }
    };
    Ok(layout::page(to, ROOT, "Overview", content))
}
