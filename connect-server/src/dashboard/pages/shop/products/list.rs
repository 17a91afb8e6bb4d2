//! The list of products, with its filters.

use connect_core::{Error, Reason, UserRight, wire::Product};
use maud::{Markup, html};

use super::{
    CATEGORY, EDIT, NEW, PATH, SEARCH, actions::actions, edited_row::EditedRow, find::find, here,
    last_bulk::bar, may_change, row,
};
use crate::dashboard::{
    Answer, components,
    messages::problems,
    page_request::{AT, SignedIn},
    pages::shop::{
        PageLocation,
        categories::{self, Categories},
        next, nothing, nowhere, page,
    },
    table::{self, SORT, Table},
};

/// The part of a page besides the list itself.
#[derive(Default)]
pub(super) struct Beside {
    /// The problem of a refused form.
    pub(super) problem: Option<Markup>,
    /// The row with inputs.
    pub(super) edited: Option<EditedRow>,
}

/// Shows a page of the list, or saves all.
pub(crate) async fn list(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = PageLocation::find(to, UserRight::ReadCatalog)? else {
        return Ok(nowhere(to, PATH, &text!("section-products")));
    };
    let is_edited = may_change(&shop) && !table::is_file(to);
    let edited = match is_edited {
        true => EditedRow::of_address(to, &shop).await?,
        false => None,
    };
    let beside = Beside {
        edited,
        ..Beside::default()
    };
    show(to, &shop, beside).await
}

/// Shows the page again, with the problem of a refused form.
pub(super) async fn refused(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    error: Error,
) -> Result<Answer, Error> {
    let form = async |reason: &Reason| {
        let problem = components::sentence(&problems::reason(reason));
        let unchanged = text!("products-unchanged", reason = problem);
        let beside = Beside {
            problem: Some(html! { p.problem role="alert" { (unchanged) } }),
            edited: None,
        };
        show(to, shop, beside).await
    };
    components::again(error, form).await
}

/// Shows the page with the input, and the problem if refused.
pub(super) async fn show(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    beside: Beside,
) -> Result<Answer, Error> {
    let Beside { problem, edited } = beside;
    let (code, chosen) = (to.query.get(SEARCH), to.query.get(CATEGORY));
    let found = table::rows(to, |cursor| find(to, shop, cursor)).await?;
    let in_rows = found.data.iter().filter_map(|product| product.category_id);
    let named = chosen.parse().ok().into_iter();
    let named = named.chain(edited.as_ref().and_then(EditedRow::category));
    let categories = categories::find(shop, in_rows.chain(named)).await?;
    let next_cursor = found.next_cursor.as_deref();
    let table = rows(to, shop, &found.data, &categories, edited.as_ref());
    if table::is_file(to) {
        return Ok(table.file(to, "products").await);
    }
    let table = table.part(table::is_part(to, next_cursor));
    let content = html! {
        @if let Some(problem) = problem { (problem) }
        @if let Some(edited) = &edited { (edited.problem()) }
        (bar(to, shop).await?)
        @if may_change(shop) {
            p.toolbar {
                a.button href={ (here(to, shop, PATH)) "&" (EDIT) "=" (NEW) } { (text!("products-new")) }
                a.button.quiet href=(shop.at("/dashboard/products/import")) { (text!("import-link")) }
            }
        }
        (filters(to, shop, &categories))
        @if found.data.is_empty() && edited.is_none() {
            @let text = if code.is_empty() && chosen.is_empty() {
                text!("products-none-yet")
            } else { text!("products-none") };
            (nothing(to, next_cursor, &text))
        } @else {
            @if let Some(edited) = &edited { (edited.form(to, shop)) }
            (form(to, shop, table, &categories))
        }
        (next(shop, PATH, &[(SEARCH, code), (CATEGORY, chosen), (SORT, to.query.get(SORT))], next_cursor))
    };
    Ok(page(to, shop, PATH, &text!("section-products"), content))
}

fn filters(to: &SignedIn<'_>, shop: &PageLocation, categories: &Categories) -> Markup {
    html! {
        form.filter method="get" action=(PATH) {
            input type="hidden" name=(AT) value=(shop.location.id);
            label for=(SEARCH) { (text!("products-search")) }
            input id=(SEARCH) name=(SEARCH) type="search" value=(to.query.get(SEARCH));
            label for=(CATEGORY) { (text!("word-category")) }
            select id=(CATEGORY) name=(CATEGORY) {
                option value="" { (text!("word-all")) }
                (categories.options(to.query.get(CATEGORY)))
            }
            button.quiet { (text!("word-find")) }
            @if let Some(hint) = categories.hint() { span.hint { (hint) } }
        }
    }
}

/// The table with one row of inputs, if a product is edited.
fn rows(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    products: &[Product],
    categories: &Categories,
    edited: Option<&EditedRow>,
) -> Table {
    let mut table =
        Table::new(PATH, text!("section-products"), row::columns()).for_file(table::is_file(to));
    let is_edited = |product: &Product| edited.is_some_and(|row| row.is_of(product));
    if let Some(edited) = edited
        && !products.iter().any(is_edited)
    {
        // It is new, or was moved out of this page by a change.
        table.add(edited.cells(to, shop, categories));
    }
    for product in products {
        match edited.filter(|row| row.is_of(product)) {
            Some(edited) => table.add(edited.cells(to, shop, categories)),
            None => table.add(row::cells(to, shop, product, categories)),
        }
    }
    table
}

/// The list with actions on the chosen products; input is kept.
fn form(to: &SignedIn<'_>, shop: &PageLocation, table: Table, categories: &Categories) -> Markup {
    // With the filters and the place of this page, to be shown again.
    let action = here(to, shop, "/dashboard/products/bulk");
    html! {
        form method="post" action=(action) {
            (components::hidden(&to.csrf))
            // The first button of a form is pressed by Enter in any of its fields: this one does nothing.
            button.nothing name="do" value="" tabindex="-1" aria-hidden="true" {
                (text!("products-nothing"))
            }
            input type="hidden" name=(AT) value=(shop.location.id);
            (table.render(to))
            @if may_change(shop) { (actions(to, shop, categories)) }
        }
    }
}
