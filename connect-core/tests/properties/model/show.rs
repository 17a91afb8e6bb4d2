//! The model as the service would show it.

use serde_json::{Map, Value, json};

use super::{Category, Event, Gone, Model, Names, News, Product};

impl Product {
    /// As JSON.
    pub(crate) fn show(&self, names: &Names) -> Map<String, Value> {
        let rest = json!({
            "id": names.id(self.serial),
            "currency": "EUR",
            "categoryId": self.category.map(|category| names.id(category)),
            "imageError": null,
            "optionGroupIds": [],
            "stockQuantity": null,
            "createdAt": names.time(self.created),
            "updatedAt": names.time(self.updated),
        });
        let mut shown = self.shown.clone();
        shown.extend(rest.as_object().unwrap().clone());
        shown
    }
}

impl Category {
    /// As JSON.
    pub(crate) fn show(&self, names: &Names) -> Map<String, Value> {
        let shown = json!({
            "id": names.id(self.serial),
            "name": self.name,
            "isActive": self.is_active,
            "position": self.position,
            "createdAt": names.time(self.created),
            "updatedAt": names.time(self.updated),
        });
        shown.as_object().unwrap().clone()
    }
}

impl Event {
    /// Type and data as JSON.
    pub(crate) fn show(&self, names: &Names) -> (&'static str, Value) {
        let live = |mut record: Map<String, Value>| {
            record.insert("deleted".into(), json!(false));
            Value::Object(record)
        };
        let gone = |serial: &usize| json!({ "id": names.id(*serial), "deleted": true });
        let ids = |serials: &[usize]| -> Vec<_> {
            serials.iter().map(|serial| names.id(*serial)).collect()
        };
        let (one, many, category) = (
            "catalog.product.changed",
            "catalog.products.changed",
            "catalog.category.changed",
        );
        match &self.news {
            News::Product(product) => (one, live(product.show(names))),
            News::ProductGone(serial) => (one, gone(serial)),
            News::Category(it) => (category, live(it.show(names))),
            News::CategoryGone(serial) => (category, gone(serial)),
            News::Written {
                ids: serials,
                created,
                updated,
            } => (
                many,
                json!({ "ids": ids(serials), "created": created, "updated": updated }),
            ),
            News::LeftCategory(serials) => (
                many,
                json!({ "reason": "bulk", "ids": ids(serials), "deletedIds": [] }),
            ),
        }
    }
}

impl Model {
    /// The list of products that pass `filter`, without deletions.
    pub(crate) fn products_where(&self, filter: impl Fn(&Product) -> bool) -> Vec<Value> {
        let passing = self.products.iter().filter(|product| filter(product));
        in_order(
            passing
                .map(|product| product.show(&self.names).into())
                .collect(),
        )
    }

    /// The list of products with deletions.
    pub(crate) fn show_products(&self) -> Vec<Value> {
        let mut all = self.products_where(|_| true);
        all.extend(self.tombstones(&self.gone_products));
        in_order(all)
    }

    /// The list of categories with deletions.
    pub(crate) fn show_categories(&self) -> Vec<Value> {
        let live = self
            .categories
            .iter()
            .map(|category| category.show(&self.names).into());
        in_order(live.chain(self.tombstones(&self.gone_categories)).collect())
    }

    fn tombstones(&self, gone: &[Gone]) -> impl Iterator<Item = Value> {
        gone.iter().map(|gone| {
            let (id, time) = (self.names.id(gone.serial), self.names.time(gone.tick));
            json!({ "id": id, "deleted": true, "updatedAt": time })
        })
    }
}

/// By the time of the last change, then by id.
fn in_order(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_key(|record| {
        let text = |field: &str| record[field].as_str().unwrap().to_owned();
        (text("updatedAt"), text("id"))
    });
    records
}
