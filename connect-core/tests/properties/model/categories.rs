//! Categories of the model.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Category, Expected, Gone, Model, News, Refused, Serial, rules};

impl Model {
    pub(super) fn create_category(&mut self, body: &Value) -> Result<Expected, Refused> {
        let given = rules::category_body(body).ok_or([422])?;
        let name = given.get("name").ok_or([422])?.as_str().unwrap().to_owned();
        let category = Category {
            serial: self.names.next_serial(),
            name,
            is_active: json!(true),
            position: json!(0),
            created: self.tick,
            updated: self.tick,
        };
        let category = self.save_category(category, &given)?;
        Ok(Expected::Category {
            status: 201,
            category,
        })
    }

    pub(super) fn update_category(&mut self, id: Uuid, body: &Value) -> Result<Expected, Refused> {
        let given = rules::category_body(body).ok_or([422])?;
        let old = self.category(id).ok_or([404])?.clone();
        let category = self.save_category(old, &given)?;
        Ok(Expected::Category {
            status: 200,
            category,
        })
    }

    pub(super) fn delete_category(&mut self, id: Uuid) -> Result<Expected, Refused> {
        let serial = self.category(id).ok_or([404])?.serial;
        self.categories.retain(|category| category.serial != serial);
        self.gone_categories.push(Gone {
            serial,
            tick: self.tick,
        });
        self.tell(News::CategoryGone(serial));
        // In the order in which they were listed.
        let mut left: Vec<_> = self
            .products
            .iter_mut()
            .filter(|product| product.category == Some(serial))
            .collect();
        left.sort_by_key(|product| (product.updated, product.serial));
        let serials: Vec<Serial> = left.iter().map(|product| product.serial).collect();
        for product in left {
            product.category = None;
            product.updated = self.tick;
        }
        if !serials.is_empty() {
            self.tell(News::LeftCategory(serials));
        }
        Ok(Expected::Removed)
    }

    /// The category of this name, made if there is none.
    pub(super) fn category_named(&mut self, name: &str) -> Serial {
        let same = |category: &&Category| rules::folded(&category.name) == rules::folded(name);
        if let Some(category) = self.categories.iter().find(same) {
            return category.serial;
        }
        match self.create_category(&json!({ "name": name })) {
            Ok(Expected::Category { category, .. }) => category.serial,
            other => panic!("a free name was refused: {other:?}"),
        }
    }

    fn category(&self, id: Uuid) -> Option<&Category> {
        let serial = self.names.serial(id)?;
        self.categories
            .iter()
            .find(|category| category.serial == serial)
    }

    fn save_category(
        &mut self,
        old: Category,
        given: &Map<String, Value>,
    ) -> Result<Category, Refused> {
        let mut new = old.clone();
        if let Some(name) = given.get("name") {
            new.name = name.as_str().unwrap().to_owned();
        }
        new.is_active = given.get("isActive").unwrap_or(&old.is_active).clone();
        new.position = given.get("position").unwrap_or(&old.position).clone();
        let is_taken = self.categories.iter().any(|other| {
            other.serial != new.serial && rules::folded(&other.name) == rules::folded(&new.name)
        });
        if is_taken {
            return Err(vec![409]);
        }
        let place = self
            .categories
            .iter()
            .position(|other| other.serial == new.serial);
        if place.is_some() && new == old {
            return Ok(old);
        }
        new.updated = self.tick;
        match place {
            Some(place) => self.categories[place] = new.clone(),
            None => self.categories.push(new.clone()),
        }
        self.tell(News::Category(new.clone()));
        Ok(new)
    }
}
