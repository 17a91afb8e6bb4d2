//! The bar about the last bulk change, while it can be undone.

use connect_core::Error;
use maud::{Markup, html};

use super::{here, may_change};
use crate::dashboard::{
    components,
    page_request::{AT, SignedIn},
    pages::shop::PageLocation,
};

/// The field with the time of the undone bulk change.
pub(super) const TIME: &str = "time";

/// Renders the bar with the button to undo the change.
pub(super) async fn bar(to: &SignedIn<'_>, shop: &PageLocation) -> Result<Markup, Error> {
    if !may_change(shop) {
        return Ok(html! {});
    }
    let last = shop.records.products().last_bulk().await?;
    let Some(last) = last.filter(|last| last.is_undoable) else {
        return Ok(html! {});
    };
    let users = &to.account().users;
    let author = users.iter().find(|user| Some(user.id) == last.user_id);
    Ok(html! {
        form.toolbar method="post" action=(here(to, shop, "/dashboard/products/undo")) {
            (components::hidden(&to.csrf))
            input type="hidden" name=(AT) value=(shop.location.id);
            input type="hidden" name=(TIME) value=(last.at);
            span {
                (text!("products-last-bulk", products = last.products)) " " (components::time(last.at))
                @if let Some(author) = author { " · " (author.name) }
            }
            button.quiet { (text!("products-undo")) }
        }
    })
}
