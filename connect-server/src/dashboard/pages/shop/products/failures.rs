//! The products left out of a bulk change, each with its reason.

use std::{borrow::Cow, collections::HashMap};

use connect_core::{Error, ProductBulkFailure};
use maud::{Markup, html};

use crate::dashboard::{components, messages::problems, pages::shop::PageLocation};

/// Lists the products by name, with the reasons, below a sentence.
pub(super) async fn failures(
    shop: &PageLocation,
    failed: &[ProductBulkFailure],
    sentence: &str,
) -> Result<Markup, Error> {
    let ids: Vec<_> = failed.iter().map(|failure| failure.id).collect();
    let products = shop.records.products().get_many(&ids).await?;
    let names: HashMap<_, _> = products.iter().map(|it| (it.id, &*it.name)).collect();
    Ok(html! {
        div.problem role="alert" {
            p { (sentence) }
            ul {
                @for failure in failed {
                    @let name = names.get(&failure.id).copied().map(Cow::Borrowed);
                    @let name = name.unwrap_or_else(|| text!("products-gone"));
                    @let problem = components::sentence(&problems::detail(&failure.error));
                    li {
                        (marked!(
                            "products-failure",
                            [product = name, problem = problem],
                            strong = |words: &str| html! { strong { (words) } },
                        ))
                    }
                }
            }
        }
    })
}
