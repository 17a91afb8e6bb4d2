//! The events that the contract asks for. Nothing in here is of the core: a location is a few lists,
//! and a write changes them one record after another.

mod catalog;
mod counter;

use std::{collections::HashMap, mem};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::calls::Verb;

/// An event that has to be there.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) kind: &'static str,
    /// The fields that its data has at least.
    pub(super) data: Value,
}

const CATEGORY: &str = "catalog.category.changed";
const GROUP: &str = "catalog.optiongroup.changed";
const PRODUCT: &str = "catalog.product.changed";
const PRODUCTS: &str = "catalog.products.changed";
const STOCK: &str = "stock.changed";

/// A write that is refused: it leaves nothing and tells nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

/// A category, whose id may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Category {
    pub(super) id: Uuid,
    pub(super) name: String,
    position: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Product {
    pub(super) id: Uuid,
    code: Value,
    name: Value,
    price: Value,
    /// The name of its category.
    category: Option<String>,
    /// The link of its image, and whether that is still to be downloaded.
    image: Option<(String, bool)>,
    groups: Vec<Uuid>,
    stock: Option<i64>,
}

/// A group with one option, whose id may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) id: Uuid,
    code: Value,
    name: Value,
    pub(super) option: Uuid,
    is_available: Value,
}

#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) id: Uuid,
    status: String,
    is_unpaid: bool,
    has_sale: bool,
}

/// A location as it should be.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) categories: Vec<Category>,
    pub(super) products: Vec<Product>,
    pub(super) groups: Vec<Group>,
    pub(super) orders: Vec<Order>,
    /// The number of Z reports by register.
    closings: HashMap<String, u64>,
    told: Vec<Told>,
}

impl Place {
    /// Does a write, and returns the events that it has. `actor` is the register or the kind of
    /// kiosk that does it, and `answer` says which ids were given.
    pub(super) fn write(
        &mut self,
        verb: Verb,
        body: &Value,
        actor: &Value,
        answer: &Value,
    ) -> Result<Vec<Told>, Refused> {
        let before = self.clone();
        let done = self.apply(verb, body, actor, answer);
        let told = mem::take(&mut self.told);
        if done.is_err() || body["dryRun"] == true {
            *self = before;
        }
        done?;
        let is_dry = body["dryRun"] == true;
        Ok(if is_dry { Vec::new() } else { told })
    }

    fn tell(&mut self, kind: &'static str, data: Value) {
        self.told.push(Told { kind, data });
    }

    /// An event about one record, which is as it was answered.
    fn tell_record(&mut self, kind: &'static str, answer: &Value) {
        self.tell(kind, with(answer, "deleted", json!(false)));
    }

    fn tell_gone(&mut self, kind: &'static str, id: Uuid) {
        self.tell(kind, json!({ "id": id, "deleted": true }));
    }

    /// An event about many products, if there are any.
    fn tell_products(&mut self, ids: &[Uuid], mut data: Value) {
        if !ids.is_empty() {
            data["ids"] = json!(ids);
            self.tell(PRODUCTS, data);
        }
    }

    fn tell_stock(&mut self, at: usize) {
        let Product {
            id, code, stock, ..
        } = &self.products[at];
        let level = json!({ "productId": id, "externalId": code, "quantity": stock });
        self.tell(STOCK, level);
    }

    fn apply(
        &mut self,
        verb: Verb,
        body: &Value,
        actor: &Value,
        answer: &Value,
    ) -> Result<(), Refused> {
        match verb {
            Verb::CreateCategory => {
                let name = body["name"].as_str().unwrap();
                if self.categories.iter().any(|one| one.name == name) {
                    return Err(Refused);
                }
                self.add_category(name, id(&answer["id"]));
                self.tell_record(CATEGORY, answer);
            }
            Verb::UpdateCategory(id) => {
                let one = self.categories.iter_mut().find(|one| one.id == id);
                let one = one.ok_or(Refused)?;
                let position = body["position"].as_i64().unwrap();
                if mem::replace(&mut one.position, position) != position {
                    self.tell_record(CATEGORY, answer);
                }
            }
            Verb::DeleteCategory(id) => {
                let at = self.categories.iter().position(|one| one.id == id);
                let gone = self.categories.remove(at.ok_or(Refused)?);
                self.tell_gone(CATEGORY, id);
                let left = self.change_products(|product| {
                    product.category.take_if(|name| *name == gone.name);
                });
                self.tell_products(&left, json!({ "reason": "bulk", "deletedIds": [] }));
            }
            Verb::CreateProduct => {
                self.write_product(None, body, id(&answer["id"]))?;
                self.tell_record(PRODUCT, answer);
            }
            Verb::UpdateProduct(id) => {
                let at = self.product(id).ok_or(Refused)?;
                if self.write_product(Some(at), body, id)? {
                    self.tell_record(PRODUCT, answer);
                }
            }
            Verb::DeleteProduct(id) => {
                self.products.remove(self.product(id).ok_or(Refused)?);
                self.tell_gone(PRODUCT, id);
            }
            Verb::WriteProducts => self.write_products(body, answer),
            Verb::LinkGroups => self.link(body),
            Verb::CreateGroup => {
                let is_taken = |other: &Group| other.code == body["externalId"];
                if body["externalId"].is_string() && self.groups.iter().any(is_taken) {
                    return Err(Refused);
                }
                self.add_group(body, id(&answer["id"]));
                self.tell_record(GROUP, answer);
            }
            Verb::UpdateGroup(id) => {
                let group = self.groups.iter_mut().find(|group| group.id == id);
                let name = &mut group.ok_or(Refused)?.name;
                if mem::replace(name, body["name"].clone()) != body["name"] {
                    self.tell_record(GROUP, answer);
                }
            }
            Verb::UpdateOption(group, option) => {
                let is_it = |it: &&mut Group| it.id == group && it.option == option;
                let group = self.groups.iter_mut().find(is_it).ok_or(Refused)?;
                let is_available = body["isAvailable"].clone();
                if mem::replace(&mut group.is_available, is_available) != body["isAvailable"] {
                    self.tell_record(GROUP, answer);
                }
            }
            Verb::DeleteGroup(id) => {
                let at = self.groups.iter().position(|group| group.id == id);
                self.groups.remove(at.ok_or(Refused)?);
                self.tell_gone(GROUP, id);
                let left = self.change_products(|it| it.groups.retain(|group| *group != id));
                self.tell_products(&left, json!({ "reason": "optionGroups" }));
            }
            Verb::WriteGroups => self.write_groups(body, answer),
            Verb::Count(id) => {
                let at = self.product(id).ok_or(Refused)?;
                let quantity = body["quantity"].as_i64();
                if mem::replace(&mut self.products[at].stock, quantity) != quantity {
                    self.tell_stock(at);
                }
            }
            Verb::CountMany => self.count_many(body),
            Verb::Adjust => {
                let at = self.product(id(&body["productId"])).ok_or(Refused)?;
                let change = body["quantityChange"].as_i64().unwrap();
                *self.products[at].stock.get_or_insert(0) += change;
                self.tell_stock(at);
            }
            Verb::WriteRow => self.write_row(body, actor, answer)?,
            Verb::CloseRegister => {
                let number = self.closings.entry(actor.to_string()).or_default();
                *number += 1;
                let report = with(answer, "number", json!(number));
                self.tell(
                    "pos.zreport.created",
                    with(&report, "register", actor.clone()),
                );
            }
            Verb::MakeOrder => {
                self.orders.push(Order {
                    id: id(&answer["id"]),
                    status: "new".to_owned(),
                    is_unpaid: true,
                    has_sale: false,
                });
                self.tell("order.created", with(answer, "source", actor.clone()));
            }
            Verb::MoveOrder(id) => self.move_order(id, body, answer)?,
        }
        Ok(())
    }

    fn product(&self, id: Uuid) -> Option<usize> {
        self.products.iter().position(|product| product.id == id)
    }

    fn add_category(&mut self, name: &str, id: Uuid) {
        self.categories.push(Category {
            id,
            name: name.to_owned(),
            position: 0,
        });
    }

    /// Changes products, and returns those that did.
    fn change_products(&mut self, change: impl Fn(&mut Product)) -> Vec<Uuid> {
        let mut changed = Vec::new();
        for product in &mut self.products {
            let before = product.clone();
            change(product);
            if *product != before {
                changed.push(product.id);
            }
        }
        changed
    }

    /// Downloads all images, and returns the one event that this has.
    pub(super) fn download(&mut self) -> Vec<Told> {
        let downloaded = self.change_products(|product| {
            if let Some((_, is_due)) = &mut product.image {
                *is_due = false;
            }
        });
        self.tell_products(&downloaded, json!({ "reason": "images" }));
        mem::take(&mut self.told)
    }
}

impl Told {
    /// Returns whether the data of an event are these. Products that changed for one reason come in
    /// any order.
    pub(super) fn is_told_by(&self, data: &Value) -> bool {
        let sorted = |data: &Value| {
            let mut data = data.clone();
            if data["reason"].is_string()
                && let Some(ids) = data.get_mut("ids").and_then(Value::as_array_mut)
            {
                ids.sort_by_key(Value::to_string);
            }
            data
        };
        let (told, expected) = (sorted(data), sorted(&self.data));
        let mut fields = expected.as_object().unwrap().iter();
        fields.all(|(name, value)| told.get(name) == Some(value))
    }
}

/// An id that is given; the nil one for none, which no record has.
fn id(value: &Value) -> Uuid {
    let id = value.as_str().and_then(|id| id.parse().ok());
    id.unwrap_or_default()
}

/// The same object with another value of a field.
fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut object = object.clone();
    object[name] = value;
    object
}
