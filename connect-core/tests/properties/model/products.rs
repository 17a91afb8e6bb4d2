//! Products of the model.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Expected, Gone, Model, News, Product, Refused, rules};

/// A product after a write.
pub(crate) struct Written {
    pub(crate) product: Product,
    pub(crate) is_changed: bool,
    pub(crate) image_queued: bool,
}

impl Model {
    pub(super) fn create_product(&mut self, body: &Value) -> Result<Expected, Refused> {
        let given = rules::product_body(body, false).ok_or([422])?;
        let product = self.write_product(None, &given)?.product;
        self.tell(News::Product(product.clone()));
        Ok(Expected::Product {
            status: 201,
            product,
        })
    }

    pub(super) fn update_product(&mut self, id: Uuid, body: &Value) -> Result<Expected, Refused> {
        let given = rules::product_body(body, false).ok_or([422])?;
        let old = self
            .product(id)
            .ok_or_else(|| self.also_wrong(&given, 404))?;
        let written = self.write_product(Some(old), &given)?;
        if written.is_changed {
            self.tell(News::Product(written.product.clone()));
        }
        Ok(Expected::Product {
            status: 200,
            product: written.product,
        })
    }

    pub(super) fn delete_product(&mut self, id: Uuid) -> Result<Expected, Refused> {
        let serial = self.product(id).ok_or([404])?.serial;
        self.products.retain(|product| product.serial != serial);
        self.gone_products.push(Gone {
            serial,
            tick: self.tick,
        });
        self.tell(News::ProductGone(serial));
        Ok(Expected::Removed)
    }

    pub(super) fn product(&self, id: Uuid) -> Option<Product> {
        let serial = self.names.serial(id)?;
        self.products
            .iter()
            .find(|product| product.serial == serial)
            .cloned()
    }

    /// Refused with `status`, or for a reference that leads nowhere.
    pub(super) fn also_wrong(&self, given: &Map<String, Value>, status: u16) -> Refused {
        let mut refused = vec![status];
        refused.extend(self.bad_references(given));
        refused
    }

    /// With which codes the references of a body are refused.
    fn bad_references(&self, given: &Map<String, Value>) -> Option<u16> {
        if given
            .get("optionGroupIds")
            .is_some_and(|ids| *ids != json!([]))
        {
            return Some(422);
        }
        let id = given.get("categoryId")?.as_str()?;
        let id: Uuid = id.parse().unwrap();
        let serial = self.names.serial(id);
        let is_here = self
            .categories
            .iter()
            .any(|category| Some(category.serial) == serial);
        match id {
            _ if is_here => None,
            id if id == self.foreign_category => Some(403),
            _ => Some(422),
        }
    }

    /// Writes fields that are good by themselves into a product, or into a new one.
    pub(super) fn write_product(
        &mut self,
        old: Option<Product>,
        given: &Map<String, Value>,
    ) -> Result<Written, Refused> {
        let is_new = old.is_none();
        if is_new && !given.contains_key("name") {
            return Err(vec![422]);
        }
        let old = old.unwrap_or_else(|| self.blank());
        let mut new = old.clone();
        for (name, value) in given {
            if new.shown.contains_key(name) {
                new.shown.insert(name.clone(), value.clone());
            }
        }
        if let (Some(from), Some(until)) = (
            new.shown["availableFrom"].as_str(),
            new.shown["availableUntil"].as_str(),
        ) && until < from
        {
            return Err(vec![422]);
        }
        let is_new_link = new.shown["imageUrl"] != old.shown["imageUrl"];
        let link = new.shown["imageUrl"].as_str();
        if is_new_link && link.is_some_and(|link| link.starts_with("http://")) {
            return Err(vec![422]);
        }
        if let Some(status) = self.bad_references(given) {
            return Err(vec![status]);
        }
        let is_taken = |other: &Product| {
            other.serial != new.serial && other.shown["externalId"] == new.shown["externalId"]
        };
        if !new.shown["externalId"].is_null() && self.products.iter().any(is_taken) {
            return Err(vec![409]);
        }
        if let Some(id) = given.get("categoryId") {
            new.category = id
                .as_str()
                .and_then(|id| self.names.serial(id.parse().unwrap()));
        }
        if let Some(name) = given.get("categoryName") {
            new.category = Some(self.category_named(name.as_str().unwrap()));
        }
        let image_queued = is_new_link && !new.shown["imageUrl"].is_null();
        if image_queued {
            new.shown.insert("imageStatus".into(), json!("pending"));
        }
        if new.shown["imageUrl"].is_null() {
            new.shown.insert("imageStatus".into(), Value::Null);
        }
        let is_changed = is_new || new != old;
        if is_changed {
            new.updated = self.tick;
            self.products.retain(|product| product.serial != new.serial);
            self.products.push(new.clone());
        }
        Ok(Written {
            product: new,
            is_changed,
            image_queued,
        })
    }

    fn blank(&mut self) -> Product {
        let shown = json!({
            "externalId": null, "name": "", "description": null, "priceCents": 0, "vatRate": 21,
            "barcode": null, "isActive": true, "availableFrom": null, "availableUntil": null,
            "imageUrl": null, "imageStatus": null,
        });
        Product {
            serial: self.names.next_serial(),
            shown: shown.as_object().unwrap().clone(),
            category: None,
            created: self.tick,
            updated: self.tick,
        }
    }
}
