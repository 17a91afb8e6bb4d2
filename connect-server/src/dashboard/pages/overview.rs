//! The first page: an overview, and the next steps.

use connect_core::{AccountLocation, Error, UserRight};
use maud::html;

use crate::dashboard::{Answer, components, layout, page_request::SignedIn, sections::ROOT};

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
    let shown = |location: &AccountLocation| {
        to.user()
            .roles
            .iter()
            .any(|of| of.location_id.is_none_or(|id| id == location.id))
    };
    let stored = to.connect.stored(account.id).await?;
    let limits = &stored.limits;
    let head = html! {
        th { "Name" } th { "ID" } th { "Currency" }
        th { "Products" } th { "Categories" } th { "Option groups" } th { "Stored" }
    };
    let of = |used: u64, most: u64| format!("{used} of {most}");
    let rows = html! {
        @for (location, its) in account.locations.iter().zip(&stored.locations).filter(|(at, _)| shown(at)) {
            tr {
                td { (location.name) } td { code { (location.id) } } td { (location.currency) }
                @if its.is_counted {
                    td { (of(its.products, limits.products)) }
                    td { (of(its.categories, limits.categories)) }
                    td { (of(its.option_groups, limits.option_groups)) }
                    td { (bytes(its.bytes)) }
                } @else {
                    td colspan="4" { "Not counted yet" }
                }
            }
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
        @if stored.is_near_limit() {
            p.warning role="status" {
                "This account has almost reached a storage limit. Writes beyond it are refused \
                 with "
                code { "limit_reached" } ": delete records that you do not need, or ask the \
                 operator of this server for more. Deleting frees the room of events after 30 \
                 days."
            }
        }
        dl.figures {
            div { dt { "Locations" } dd { (account.locations.iter().filter(|at| shown(at)).count()) } }
            @if to.session.has(UserRight::ManageScreens) {
                div { dt { a href="/dashboard/screens" { "Screens" } } dd { (account.screens.len()) } }
            }
            @if let Some(in_use) = in_use {
                div { dt { a href="/dashboard/tokens" { "Tokens" } } dd { (in_use) } }
            }
            div { dt { "Stored" } dd { (bytes(stored.bytes)) " of " (bytes(limits.account_bytes)) } }
        }
        h2 { "API address" }
        p { code { (to.context.api_url) } }
        p { a href=(format!("{}/docs", to.context.api_url)) { "API reference" } }
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

/// Formats a number of bytes in a fitting unit, such as `1.0 KiB`.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut shown = bytes as f64;
    let mut unit = 0;
    while shown >= 1023.95 && unit + 1 < UNITS.len() {
        shown /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{shown:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_a_unit_that_fits() {
        for (number, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_524, "1023.9 KiB"),
            (1_048_575, "1.0 MiB"),
            (10 * 1024 * 1024 * 1024, "10.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(number), expected);
        }
    }
}
