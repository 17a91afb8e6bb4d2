//! The sums of sold articles.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::wire::{Id, Line, Product, Quantity};

/// The sums of an article.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArticleTotals {
    /// The product, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_id: Option<Id<Product>>,
    /// The client's own code for the product.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The name on the latest receipt.
    pub name: String,
    /// The sold quantity, less the quantity taken back.
    pub quantity: Quantity,
    /// The amount in cents, VAT included, less the amount taken back.
    pub total_cents: i64,
}

/// Sums of articles, added up line by line.
#[derive(Default)]
pub(super) struct Articles(HashMap<Article, ArticleTotals>);

/// The identity of an article: its product, else its code, else its name.
#[derive(PartialEq, Eq, Hash)]
enum Article {
    Product(Id<Product>),
    Code(String),
    Name(String),
}

impl Articles {
    /// Adds a line of a receipt.
    pub(super) fn add_line(&mut self, line: &Line) {
        self.add(ArticleTotals {
            product_id: line.product_id,
            external_id: line.external_id.clone(),
            name: line.name.clone(),
            quantity: line.quantity,
            total_cents: line.total_cents,
        });
    }

    /// Adds later sums of an article.
    pub(super) fn add(&mut self, later: ArticleTotals) {
        let article = match (later.product_id, &later.external_id) {
            (Some(id), _) => Article::Product(id),
            (None, Some(code)) => Article::Code(code.clone()),
            (None, None) => Article::Name(later.name.clone()),
        };
        let Some(sums) = self.0.get_mut(&article) else {
            self.0.insert(article, later);
            return;
        };
        sums.quantity = plus(sums.quantity, later.quantity);
        sums.total_cents = sums.total_cents.saturating_add(later.total_cents);
        sums.name = later.name;
        sums.external_id = later.external_id;
    }

    /// Returns the sums, the highest amount first.
    pub(super) fn sorted(self) -> Vec<ArticleTotals> {
        let mut articles: Vec<_> = self.0.into_values().collect();
        articles.sort_by(|one, other| {
            let by_amount = other.total_cents.cmp(&one.total_cents);
            by_amount.then_with(|| one.name.cmp(&other.name))
        });
        articles
    }
}

/// Adds quantities, up to the largest either way.
fn plus(one: Quantity, other: Quantity) -> Quantity {
    let most = Quantity::MAX.thousandths();
    let sum = (one.thousandths() + other.thousandths()).clamp(-most, most);
    Quantity::from_thousandths(sum).unwrap_or_default()
}
