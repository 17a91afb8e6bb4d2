//! One search over everything of a user, exact hits first.

mod catalog;
mod hits;
mod hooks;
mod people;
mod places;
mod requests;
mod sales;
mod sought;
mod tokens;

use std::borrow::Cow;

use connect_core::{
    Error, Reason,
    UserRight::{ManageTokens, ManageUsers, ManageWebhooks, ReadCatalog, ReadSales},
    wire::limits::MAX_SEARCH,
};
use maud::{Markup, html};

use self::{
    hits::{HitGroup, MOST_HITS},
    places::Places,
    sought::Sought,
};
use crate::dashboard::{
    Answer, components, layout,
    page_request::SignedIn,
    search_form::{self, QUERY},
    sections::SEARCH,
};

/// Shows the hits of the typed text, or hints without one.
pub(super) async fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    places::check_named(to)?;
    let text = to.query.get(QUERY);
    if text.chars().count() > MAX_SEARCH {
        let problem = text!("search-too-long", most = MAX_SEARCH);
        let error = Error::Invalid(Reason::of(QUERY, problem));
        return components::again(error, async |reason| Ok(page(to, Some(reason), hints(to))))
            .await;
    }
    if text.is_empty() {
        return Ok(page(to, None, hints(to)));
    }
    let (places, groups) = find(to, &Sought::new(text)).await?;
    let content = html! {
        @for group in &groups { (group.render()) }
        @if groups.is_empty() {
            (components::empty(&text!("search-nothing", text = text), html! {}))
            (hints(to))
        }
        @if let Some(hint) = places.hint() { p.hint { (hint) } }
    };
    Ok(page(to, None, content))
}

fn page(to: &SignedIn<'_>, refused: Option<&Reason>, content: Markup) -> Answer {
    let content = html! { (search_form::on_page(to, refused)) (content) };
    layout::page(to, SEARCH, &text!("search-title"), content)
}

/// Finds records of all kinds within the rights of the user.
/// Kinds with an exact hit come first.
async fn find(to: &SignedIn<'_>, sought: &Sought<'_>) -> Result<(Places, Vec<HitGroup>), Error> {
    let has = |right| to.session.has(right);
    let mut groups = Vec::new();
    let shops = Places::find(to, ReadCatalog)?;
    groups.push(catalog::products(&shops, sought).await?);
    groups.push(catalog::categories(&shops, sought).await?);
    groups.push(catalog::option_groups(&shops, sought).await?);
    let tills = Places::find(to, ReadSales)?;
    groups.push(sales::receipts(&tills, sought).await?);
    groups.push(sales::orders(&tills, sought).await?);
    if has(ManageWebhooks) {
        groups.push(hooks::webhooks(to, sought).await?);
        groups.push(hooks::deliveries(to, sought).await?);
    }
    if has(ManageTokens) {
        groups.push(tokens::tokens(to, sought).await?);
        let found = requests::requests(to, sought.text).await?;
        groups.push(HitGroup::of(text!("section-requests"), found, None));
    }
    if has(ManageUsers) {
        groups.push(people::users(to, sought));
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| !group.has_exact());
    Ok((shops.or(tills), groups))
}

/// Lists the kinds this user can search for.
fn hints(to: &SignedIn<'_>) -> Markup {
    let by_right = [
        (ReadCatalog, text!("search-hint-catalog")),
        (ReadSales, text!("search-hint-sales")),
        (ManageWebhooks, text!("search-hint-webhooks")),
        (ManageTokens, text!("search-hint-tokens")),
        (ManageUsers, text!("search-hint-users")),
    ];
    let may = by_right
        .into_iter()
        .filter(|(right, _)| to.session.has(*right));
    let may: Vec<Cow<'_, str>> = may.map(|(_, hint)| hint).collect();
    html! {
        @if !may.is_empty() {
            p { (text!("search-hints")) }
            ul {
                @for hint in &may { li { (hint) } }
                li { (text!("search-hint-ids")) }
            }
            p.hint { (text!("search-most", most = MOST_HITS)) }
        }
    }
}
