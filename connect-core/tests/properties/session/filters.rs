//! Holding filtered lists against the model.

use serde_json::json;

use super::Session;
use crate::properties::{
    input::{BARCODES, EXTERNAL_IDS},
    shop::Filters,
};

impl Session {
    /// Every filtered list, held against the whole list gone through by hand.
    pub(crate) async fn compare_filters(&self) {
        let (shop, names) = (&self.shop, &self.model.names);
        let categories = self.model.categories.iter().map(|category| category.serial);
        let mut categories: Vec<_> = categories.map(Some).collect();
        categories.push(None);
        let texts = |texts: &[&str]| -> Vec<Option<String>> {
            texts
                .iter()
                .map(|text| Some((*text).to_owned()))
                .chain([None])
                .collect()
        };
        for external_id in texts(&EXTERNAL_IDS) {
            for barcode in texts(&BARCODES) {
                for category in &categories {
                    let filters = Filters {
                        external_id: external_id.clone(),
                        barcode: barcode.clone(),
                        category: category.map(|category| names.id(category).into()),
                    };
                    let expected = self.model.products_where(|product| {
                        let is = |field: &str, text: &Option<String>| {
                            text.as_ref()
                                .is_none_or(|text| product.shown[field] == json!(text))
                        };
                        is("externalId", &external_id)
                            && is("barcode", &barcode)
                            && (category.is_none() || product.category == *category)
                    });
                    let found = shop.products(&filters, false, self.page).await;
                    assert_eq!(found, expected, "filtered by {filters:?}");
                }
            }
        }
    }
}
