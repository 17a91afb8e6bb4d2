//! The effect of a change of prices before it is made.

use std::collections::HashMap;

use super::{
    caller::{check_owner, checked},
    change::ProductBulkFailure,
};
use crate::{
    engine::{Records, Resource as _},
    rules::price_change::PriceChange,
    transaction::Error,
    wire::{Id, Product},
};

/// The effect of a change of prices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PricePreview {
    /// The products with their prices, in the order asked for.
    pub products: Vec<PreviewedPrice>,
    /// The products to be left as they are, each with the reason.
    pub failed: Vec<ProductBulkFailure>,
}

/// A product with its price before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewedPrice {
    /// The product.
    pub id: Id<Product>,
    /// Its name.
    pub name: String,
    /// Its present price in cents.
    pub old_cents: i64,
    /// The price in cents after the change.
    pub new_cents: i64,
}

impl Records<Product> {
    /// Returns the effect of [`change_prices`](Self::change_prices) on the present prices.
    ///
    /// # Errors
    /// As [`change_prices`](Self::change_prices).
    pub async fn preview_prices(
        &self,
        ids: Vec<Id<Product>>,
        change: PriceChange,
    ) -> Result<PricePreview, Error> {
        check_owner(self.json().access())?;
        let ids = checked(ids)?;
        change.check()?;
        let found = self.get_many(&ids).await?;
        let mut found: HashMap<_, _> = found.into_iter().map(|it| (it.id, it)).collect();
        let mut preview = PricePreview::default();
        for id in ids {
            let priced = match found.remove(&id) {
                None => Err(Error::not_found(Product::NAME, id)),
                Some(product) => match change.applied_to(product.price_cents) {
                    Ok(new_cents) => Ok((product, new_cents)),
                    Err(invalid) => Err(invalid.into()),
                },
            };
            match priced {
                Ok((product, new_cents)) => preview.products.push(PreviewedPrice {
                    id,
                    name: product.name,
                    old_cents: product.price_cents,
                    new_cents,
                }),
                Err(error) => preview.failed.push(ProductBulkFailure {
                    id,
                    error: error.detail(),
                }),
            }
        }
        Ok(preview)
    }
}
