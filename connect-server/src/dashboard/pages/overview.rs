//! The first page: what there is, and what to do next.

use connect_core::Error;
use maud::html;

use crate::dashboard::{Answer, layout, places::ROOT, visit::SignedIn};

/// Shows the page.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let account = to.owner.account();
    let tokens = to.connect.tokens(account.id).await?;
    let now = to.connect.now();
    let good = tokens
        .iter()
        .filter(|(token, _)| {
            token.revoked_at.is_none() && token.expires_at.is_none_or(|expiry| expiry > now)
        })
        .count();
    let content = html! {
        @if account.screens.is_empty() {
            p.warning role="status" {
                "The API is not available: this account has no register, kiosk or Scan & Order page. \
                 Every call is answered with " code { "api_not_available" } " until it has one."
            }
        }
        dl.figures {
            div { dt { "Locations" } dd { (account.locations.len()) } }
            div { dt { "Screens" } dd { (account.screens.len()) } }
            div { dt { a href="/dashboard/tokens" { "Tokens" } } dd { (good) } }
        }
        h2 { "Address of the API" }
        p { code { (to.setting.api_url) } }
        p { a href=(format!("{}/docs", to.setting.api_url)) { "Read the API reference" } }
        h2 { "Locations" }
        div.scroll tabindex="0" role="group" aria-label="Table" { table {
            thead { tr { th { "Name" } th { "Id" } th { "Currency" } } }
            tbody {
                @for location in &account.locations {
                    tr { td { (location.name) } td { code { (location.id) } } td { (location.currency) } }
                }
            }
        } }
    };
    Ok(layout::page(to, ROOT, "Overview", content))
}
