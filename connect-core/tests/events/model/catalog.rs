//! The catalog: batches, links, and what a product may be.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{CATEGORY, GROUP, Group, Place, Product, Refused, id};

impl Place {
    /// Writes a product, and returns whether it differs from before.
    pub(super) fn write_product(
        &mut self,
        at: Option<usize>,
        body: &Value,
        id: Uuid,
    ) -> Result<bool, Refused> {
        let old = at.map(|at| self.products[at].clone());
        let mut new = old.clone().unwrap_or(Product {
            id,
            code: Value::Null,
            name: Value::Null,
            price: json!(0),
            category: None,
            image: None,
            groups: Vec::new(),
            stock: None,
        });
        for (field, name) in [
            (&mut new.code, "externalId"),
            (&mut new.name, "name"),
            (&mut new.price, "priceCents"),
        ] {
            if let Some(given) = body.get(name) {
                *field = given.clone();
            }
        }
        if let Some(link) = body.get("imageUrl") {
            let link = link.as_str().map(str::to_owned);
            if link.as_ref() != new.image.as_ref().map(|(link, _)| link) {
                new.image = link.map(|link| (link, true));
            }
        }
        if let Some(groups) = body.get("optionGroupIds") {
            new.groups = groups.as_array().unwrap().iter().map(super::id).collect();
        }
        let mut others = self.products.iter().filter(|other| other.id != new.id);
        let is_taken = new.code.is_string() && others.any(|other| other.code == new.code);
        let is_known = |id: &Uuid| self.groups.iter().any(|group| group.id == *id);
        if is_taken || new.name.is_null() || !new.groups.iter().all(is_known) {
            return Err(Refused);
        }
        if body.get("categoryId").is_some() {
            new.category = None;
        }
        if let Some(name) = body["categoryName"].as_str() {
            if self.categories.iter().all(|one| one.name != name) {
                self.add_category(name, Uuid::nil());
                self.tell(CATEGORY, json!({ "name": name, "deleted": false }));
            }
            new.category = Some(name.to_owned());
        }
        let is_changed = old.as_ref() != Some(&new);
        match at {
            Some(at) => self.products[at] = new,
            None => self.products.push(new),
        }
        Ok(is_changed)
    }

    /// A batch: its items by their external ids, then one event.
    pub(super) fn write_products(&mut self, body: &Value, answer: &Value) {
        let (mut ids, mut created, mut updated) = (Vec::new(), 0, 0);
        for (index, item) in body["items"].as_array().unwrap().iter().enumerate() {
            let before = self.clone();
            let known = |product: &Product| item["externalId"] == product.code;
            let at = self.products.iter().position(known);
            let at = at.filter(|_| item["externalId"].is_string());
            let id = match at {
                Some(at) => self.products[at].id,
                None => id(&answer["results"][index]["id"]),
            };
            match self.write_product(at, item, id) {
                Err(Refused) => *self = before,
                Ok(false) => {}
                Ok(true) => {
                    created += usize::from(at.is_none());
                    updated += usize::from(at.is_some());
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
            }
        }
        self.tell_products(&ids, json!({ "created": created, "updated": updated }));
    }

    /// Removes a group from products, then adds one.
    pub(super) fn link(&mut self, body: &Value) {
        let of = |list: &str| -> Vec<Uuid> {
            let refs = body[list].as_array().unwrap();
            let refs = refs.iter().map(|group| id(&group["id"]));
            refs.filter(|id| self.groups.iter().any(|group| group.id == *id))
                .collect()
        };
        let (add, remove) = (of("add"), of("remove"));
        let products: Vec<Uuid> = body["productIds"]
            .as_array()
            .unwrap()
            .iter()
            .map(id)
            .collect();
        let changed = self.change_products(|product| {
            if products.contains(&product.id) {
                product.groups.retain(|group| !remove.contains(group));
                for group in &add {
                    if !product.groups.contains(group) {
                        product.groups.push(*group);
                    }
                }
            }
        });
        self.tell_products(&changed, json!({ "reason": "optionGroups" }));
    }

    pub(super) fn add_group(&mut self, body: &Value, id: Uuid) {
        self.groups.push(Group {
            id,
            code: body["externalId"].clone(),
            name: body["name"].clone(),
            option: Uuid::nil(),
            is_available: json!(true),
        });
    }

    pub(super) fn write_groups(&mut self, body: &Value, answer: &Value) {
        let (mut ids, mut created, mut updated) = (Vec::new(), 0, 0);
        for (index, item) in body["items"].as_array().unwrap().iter().enumerate() {
            let known = |group: &&mut Group| group.code == item["externalId"];
            let written = match self.groups.iter_mut().find(known) {
                None => {
                    created += 1;
                    let id = id(&answer["results"][index]["id"]);
                    self.add_group(item, id);
                    id
                }
                Some(group) if group.name != item["name"] => {
                    updated += 1;
                    group.name = item["name"].clone();
                    group.id
                }
                Some(_) => continue,
            };
            if !ids.contains(&written) {
                ids.push(written);
            }
        }
        if !ids.is_empty() {
            let written = json!({ "ids": ids, "created": created, "updated": updated });
            self.tell(GROUP, written);
        }
    }
}
