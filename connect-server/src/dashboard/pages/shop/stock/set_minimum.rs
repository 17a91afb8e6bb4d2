//! Sets the minimum of a product's stock.

use connect_core::{
    Error, Reason, UserRight,
    wire::{Id, Product},
};

use super::{PATH, minimum, movements};
use crate::dashboard::{
    Answer, components,
    notices::{self, Notice},
    page_request::SignedIn,
    pages::shop::{PageLocation, nowhere},
};

/// Sets the minimum of a product, or removes it.
pub(crate) async fn set(to: &SignedIn<'_>, id: &str) -> Result<Answer, Error> {
    let id: Id<Product> = components::id(id)?;
    let Some(shop) = PageLocation::find(to, UserRight::ChangeStock)? else {
        return Ok(nowhere(to, PATH, &text!("section-stock")));
    };
    let typed = minimum::typed(&to.form);
    let notice = match typed {
        Ok(None) => Notice::StockMinimumRemoved,
        _ => Notice::StockMinimumSet,
    };
    let set = match typed {
        Ok(minimum) => shop.records.stock().set_minimum(id, minimum).await,
        Err(reason) => Err(Error::Invalid(reason)),
    };
    match set {
        Ok(()) => {
            let page = shop.at(&format!("{PATH}/{id}"));
            Ok(Answer::redirect(&notices::at(&page, notice)))
        }
        Err(error) => {
            let form = async |reason: &Reason| movements::page(to, &shop, id, Some(reason)).await;
            components::again(error, form).await
        }
    }
}
