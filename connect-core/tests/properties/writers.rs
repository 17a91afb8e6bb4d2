//! Writers that run at once. They know of the records that any of them has made.

use std::sync::{Arc, Mutex};

use connect_core::{Access, Connect};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    input::{Item, Pick, Shape, Write},
    shop::{Call, Filters, Reply, Shop, Verb},
};

/// The ids of all records that were made.
#[derive(Default)]
pub(crate) struct Known {
    products: Vec<Uuid>,
    categories: Vec<Uuid>,
}

/// One of them.
pub(crate) struct Writer {
    shop: Arc<Shop>,
    connect: Connect,
    at: Access,
    known: Arc<Mutex<Known>>,
}

impl Writer {
    /// The writer of this number; every other one is in a process of its own.
    pub(crate) fn new(shop: &Arc<Shop>, known: Arc<Mutex<Known>>, number: usize) -> Self {
        let connect = match number % 2 {
            0 => shop.connect.clone(),
            _ => shop.beside(shop.clock.clone()),
        };
        Self {
            shop: shop.clone(),
            connect,
            at: shop.at.clone(),
            known,
        }
    }

    /// Sends the writes one after another, and reads a filtered list now and then.
    pub(crate) async fn write(self, writes: Vec<Write>) {
        for (number, write) in writes.iter().enumerate() {
            let call = self.call(&write.shape);
            let reply = call
                .clone()
                .send(self.connect.clone(), self.at.clone())
                .await;
            self.learn(call.verb, &reply);
            if number % 4 == 3 {
                let barcode = "111".to_owned();
                let filters = Filters {
                    barcode: Some(barcode.clone()),
                    ..Filters::default()
                };
                let found = self.shop.products(&filters, false, 2).await;
                assert!(
                    found
                        .iter()
                        .all(|product| product["barcode"] == json!(barcode))
                );
            }
        }
    }

    fn learn(&self, verb: Verb, reply: &Reply) {
        if reply.status >= 300 || reply.body.is_null() {
            return;
        }
        let id = |record: &Value| record["id"].as_str().map(|id| id.parse::<Uuid>().unwrap());
        let data = reply.data();
        let mut known = self.known.lock().unwrap();
        match verb {
            Verb::CreateCategory => known.categories.extend(id(data)),
            Verb::CreateProduct => {
                known.products.extend(id(data));
                let category = data["categoryId"].as_str();
                known
                    .categories
                    .extend(category.map(|id| id.parse::<Uuid>().unwrap()));
            }
            Verb::WriteProducts => {
                let results = data["results"].as_array().unwrap().iter();
                let created = results.filter(|result| result["status"] == "created");
                known.products.extend(created.filter_map(id));
            }
            _ => {}
        }
    }

    fn call(&self, shape: &Shape) -> Call {
        let known = self.known.lock().unwrap();
        let (verb, body) = match shape {
            Shape::CreateCategory(item) => (Verb::CreateCategory, known.body(item)),
            Shape::UpdateCategory(pick, item) => (
                Verb::UpdateCategory(picked(*pick, &known.categories)),
                known.body(item),
            ),
            Shape::DeleteCategory(pick) => (
                Verb::DeleteCategory(picked(*pick, &known.categories)),
                Value::Null,
            ),
            Shape::CreateProduct(item) => (Verb::CreateProduct, known.body(item)),
            Shape::UpdateProduct(pick, item) => (
                Verb::UpdateProduct(picked(*pick, &known.products)),
                known.body(item),
            ),
            Shape::DeleteProduct(pick) => (
                Verb::DeleteProduct(picked(*pick, &known.products)),
                Value::Null,
            ),
            Shape::Batch {
                match_by,
                items,
                dry_run,
                ..
            } => {
                let items: Vec<Value> = items.iter().map(|item| known.body(item)).collect();
                let match_by = match_by.unwrap_or("externalId");
                let dry_run = dry_run.unwrap_or(false);
                let body = json!({ "matchBy": match_by, "items": items, "dryRun": dry_run });
                (Verb::WriteProducts, body)
            }
            Shape::Again(_) => unreachable!("writers have no keys"),
        };
        Call::new(verb, body)
    }
}

impl Known {
    fn body(&self, item: &Item) -> Value {
        let (given, id, category) = match item {
            Item::Other(value) => return value.clone(),
            Item::Record {
                given,
                id,
                category,
            } => (given, id, category),
        };
        let mut body: Map<String, Value> = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let mut refer = |field: &str, pick: &Option<Pick>, ids: &[Uuid]| {
            body.extend(pick.map(|pick| (field.to_owned(), json!(picked(pick, ids)))));
        };
        refer("id", id, &self.products);
        refer("categoryId", category, &self.categories);
        body.into()
    }
}

/// The record that is meant; it may be deleted by now.
fn picked(pick: Pick, ids: &[Uuid]) -> Uuid {
    match pick {
        Pick::Live(number) | Pick::Gone(number) if !ids.is_empty() => {
            ids[usize::from(number) % ids.len()]
        }
        _ => Uuid::from_u128(5),
    }
}
