//! Batches of the model.

use serde_json::{Map, Value};

use super::{Expected, Model, News, Product, Refused, Serial, rules};

/// What should become of one item.
#[derive(Clone, Debug)]
pub(crate) struct ItemOutcome {
    pub(crate) status: &'static str,
    pub(crate) serial: Option<Serial>,
    pub(crate) external_id: Value,
    pub(crate) image_queued: bool,
    image_removed: bool,
    pub(crate) refused: Refused,
}

impl Model {
    /// A batch of good form: at most its items have faults.
    pub(super) fn batch(&mut self, body: &Value) -> Expected {
        let match_by = body["matchBy"].as_str().unwrap_or("externalId");
        let create_missing = body["createMissing"].as_bool().unwrap_or(true);
        let mut outcomes = Vec::new();
        for item in body["items"].as_array().unwrap() {
            let outcome = self.item(match_by, create_missing, item);
            // A product is looked at from all sides before anything is written.
            outcomes.push(outcome.unwrap_or_else(|refused| {
                let short = |id: &&Value| id.as_str().is_some_and(|id| id.chars().count() <= 100);
                let sent = item.get("externalId").filter(short);
                ItemOutcome {
                    status: "failed",
                    serial: None,
                    external_id: sent.cloned().unwrap_or_default(),
                    image_queued: false,
                    image_removed: false,
                    refused,
                }
            }));
        }
        forget_cancelled_images(&mut outcomes);
        let count = |status| {
            outcomes
                .iter()
                .filter(|outcome| outcome.status == status)
                .count()
        };
        let (created, updated) = (count("created"), count("updated"));
        let mut ids = Vec::new();
        for outcome in &outcomes {
            let serial = outcome.serial.filter(|_| outcome.status != "unchanged");
            ids.extend(serial.filter(|serial| !ids.contains(serial)));
        }
        if !ids.is_empty() {
            self.tell(News::Written {
                ids,
                created,
                updated,
            });
        }
        let dry_run = body["dryRun"].as_bool().unwrap_or(false);
        Expected::Batch {
            dry_run,
            outcomes,
            names: self.names.clone(),
        }
    }

    fn item(
        &mut self,
        match_by: &str,
        create_missing: bool,
        item: &Value,
    ) -> Result<ItemOutcome, Refused> {
        let given = rules::product_body(item, match_by == "id").ok_or([422])?;
        let old = self.matched(match_by, &given)?;
        if old.is_none() && !create_missing {
            return Err(self.also_wrong(&given, 404));
        }
        let is_new = old.is_none();
        let written = self.write_product(old, &given)?;
        Ok(ItemOutcome {
            status: match written.is_changed {
                true if is_new => "created",
                true => "updated",
                false => "unchanged",
            },
            serial: Some(written.product.serial),
            external_id: written.product.shown["externalId"].clone(),
            image_queued: written.image_queued,
            image_removed: given.get("imageUrl") == Some(&Value::Null),
            refused: Vec::new(),
        })
    }

    /// The product that an item means.
    fn matched(
        &self,
        match_by: &str,
        given: &Map<String, Value>,
    ) -> Result<Option<Product>, Refused> {
        let Some(key) = given.get(match_by).filter(|key| !key.is_null()) else {
            return Ok(None);
        };
        if match_by == "id" {
            let product = self.product(key.as_str().unwrap().parse().unwrap());
            return product.map(Some).ok_or_else(|| self.also_wrong(given, 404));
        }
        let same = self
            .products
            .iter()
            .filter(|product| product.shown[match_by] == *key);
        let same: Vec<&Product> = same.collect();
        match same[..] {
            [] => Ok(None),
            [product] => Ok(Some(product.clone())),
            _ => Err(self.also_wrong(given, 409)),
        }
    }
}

/// Of several downloads for one product the last is queued, unless a later item removes the image.
fn forget_cancelled_images(outcomes: &mut [ItemOutcome]) {
    for index in 0..outcomes.len() {
        let (done, later) = outcomes.split_at_mut(index + 1);
        let outcome = &mut done[index];
        let is_cancelled = later.iter().any(|later| {
            later.serial.is_some()
                && later.serial == outcome.serial
                && (later.image_queued || later.image_removed)
        });
        outcome.image_queued &= !is_cancelled;
    }
}
