//! The model: lists that are searched from the front. What a write should come to is written down
//! from the contract.

use serde_json::{Map, Value, json};

/// What a write should come to: its answer, or the codes with one of which it may be refused.
pub(super) type Outcome = Result<Value, Vec<&'static str>>;

/// A group or a product. Ids and times are `null` until the service has shown them.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) groups: Vec<Value>,
    pub(super) products: Vec<Value>,
    pub(super) gone: Vec<Value>,
    pub(super) foreign: Vec<Value>,
    /// The events of the last write: type, and which records it is about.
    pub(super) events: Vec<Value>,
}

const GROUP: &str = "catalog.optiongroup.changed";
const PRODUCTS: &str = "catalog.products.changed";

fn place(records: &[Value], field: &str, value: &Value) -> Option<usize> {
    records
        .iter()
        .position(|record| !value.is_null() && record[field] == *value)
}

fn trimmed(fields: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = fields.clone();
    if let Some(name) = fields.get("name").and_then(Value::as_str) {
        fields.insert("name".into(), json!(name.trim()));
    }
    if let Some(price) = fields.get("priceCents").and_then(Value::as_f64) {
        fields.insert("priceCents".into(), json!(price as i64));
    }
    fields
}

/// Writes the given fields that a record has, without its id and what is read-only.
fn write(record: &mut Value, fields: &Map<String, Value>) {
    for (name, value) in trimmed(fields) {
        if name != "id" && name != "currency" && name != "options" {
            record[name] = value;
        }
    }
}

fn is_repeated(options: &[Value], field: &str) -> bool {
    let given = options
        .iter()
        .map(|it| &it[field])
        .filter(|it| !it.is_null());
    let given: Vec<_> = given.collect();
    given
        .iter()
        .enumerate()
        .any(|(at, value)| given[..at].contains(value))
}

/// The options of a group once `sent` has replaced `old`.
fn replaced(old: &[Value], sent: &[Value]) -> Option<Vec<Value>> {
    let sent: Vec<_> = sent
        .iter()
        .map(|it| trimmed(it.as_object().unwrap()))
        .collect();
    let mut left = old.to_vec();
    let mut new = vec![Value::Null; sent.len()];
    for sign in ["id", "externalId", "name"] {
        for (option, fields) in new.iter_mut().zip(&sent) {
            let sought = fields.get(sign).unwrap_or(&Value::Null);
            if option.is_null()
                && let Some(at) = place(&left, sign, sought)
            {
                *option = left.remove(at);
            }
        }
    }
    for (option, fields) in new.iter_mut().zip(&sent) {
        if option.is_null() {
            fields.get("name")?;
            *option = json!({
                "id": null, "externalId": null, "name": "", "priceCents": 0, "isAvailable": true,
            });
        }
        if fields.get("id").is_some_and(|id| *id != option["id"]) {
            return None;
        }
        write(option, fields);
    }
    (!is_repeated(&new, "name") && !is_repeated(&new, "externalId")).then_some(new)
}

impl Model {
    /// Writes a group; returns its place, and what became of it.
    fn write_group(
        &mut self,
        old: Option<usize>,
        body: &Value,
    ) -> Result<(usize, &'static str), &'static str> {
        let blank = json!({
            "id": null, "externalId": null, "name": "", "minSelect": 0, "maxSelect": 0,
            "position": 0, "currency": "EUR", "options": [], "createdAt": null, "updatedAt": null,
        });
        let fields = body.as_object().unwrap();
        if old.is_none() && !(fields.contains_key("name") && fields.contains_key("options")) {
            return Err("validation_failed");
        }
        let mut new = old.map_or(blank, |at| self.groups[at].clone());
        if let Some(sent) = fields.get("options") {
            let options = new["options"].as_array().unwrap();
            let options = replaced(options, sent.as_array().unwrap());
            new["options"] = options.ok_or("validation_failed")?.into();
        }
        write(&mut new, fields);
        let number = |field: &str| new[field].as_u64().unwrap();
        let (min, max) = (number("minSelect"), number("maxSelect"));
        let options = new["options"].as_array().unwrap().len() as u64;
        if min > options || (max > 0 && max < min) {
            return Err("validation_failed");
        }
        let taken = place(&self.groups, "externalId", &new["externalId"]);
        if taken.is_some_and(|at| Some(at) != old) {
            return Err("conflict");
        }
        match old {
            Some(at) if self.groups[at] == new => Ok((at, "unchanged")),
            Some(at) => {
                new["updatedAt"] = Value::Null;
                self.groups[at] = new;
                Ok((at, "updated"))
            }
            None => {
                self.groups.push(new);
                Ok((self.groups.len() - 1, "created"))
            }
        }
    }

    /// The place of a group whose id or code is `value`.
    fn group(&self, field: &str, value: &Value) -> Result<usize, Vec<&'static str>> {
        place(&self.groups, field, value).ok_or_else(|| vec!["not_found"])
    }

    fn tell(&mut self, kind: &str, about: Value) {
        self.events.push(json!({ "type": kind, "about": about }));
    }

    pub(super) fn create_group(&mut self, body: &Value) -> Outcome {
        let (at, _) = self.write_group(None, body).map_err(|code| vec![code])?;
        self.tell(GROUP, json!({ "group": at }));
        Ok(json!({ "group": at }))
    }

    pub(super) fn update_group(&mut self, id: &Value, body: &Value) -> Outcome {
        let at = self.group("id", id)?;
        let (_, status) = self
            .write_group(Some(at), body)
            .map_err(|code| vec![code])?;
        if status == "updated" {
            self.tell(GROUP, json!({ "group": at }));
        }
        Ok(json!({ "group": at }))
    }

    pub(super) fn update_option(&mut self, group: &Value, option: &Value, body: &Value) -> Outcome {
        let at = self.group("id", group)?;
        let mut options = self.groups[at]["options"].as_array().unwrap().clone();
        let option = place(&options, "id", option).ok_or_else(|| vec!["not_found"])?;
        write(&mut options[option], body.as_object().unwrap());
        if is_repeated(&options, "name") || is_repeated(&options, "externalId") {
            return Err(vec!["validation_failed"]);
        }
        if self.groups[at]["options"] != json!(options) {
            self.groups[at]["options"] = options.into();
            self.groups[at]["updatedAt"] = Value::Null;
            self.tell(GROUP, json!({ "group": at }));
        }
        Ok(json!({ "group": at }))
    }

    pub(super) fn delete_group(&mut self, id: &Value) -> Outcome {
        let at = self.group("id", id)?;
        self.groups.remove(at);
        self.gone.push(id.clone());
        self.tell(GROUP, json!({ "gone": id }));
        let mut left = Vec::new();
        for product in &mut self.products {
            let groups = product["optionGroupIds"].as_array_mut().unwrap();
            let before = groups.len();
            groups.retain(|group| group != id);
            if groups.len() < before {
                product["updatedAt"] = Value::Null;
                left.push(product["id"].clone());
            }
        }
        left.sort_by_key(Value::to_string);
        if !left.is_empty() {
            self.tell(PRODUCTS, json!({ "reason": "optionGroups", "ids": left }));
        }
        Ok(Value::Null)
    }

    pub(super) fn write_groups(&mut self, body: &Value) -> Outcome {
        let before = self.clone();
        let key = body["matchBy"].as_str().unwrap();
        let (mut results, mut ids) = (Vec::new(), Vec::new());
        for item in body["items"].as_array().unwrap() {
            let old = place(&self.groups, key, &item[key]);
            let has_key = !item[key].is_null();
            let is_unmatched = match key {
                "id" => has_key && old.is_none(),
                _ => false,
            } || (old.is_none() && body["createMissing"] == false);
            let written = match is_unmatched {
                true => Err("not_found"),
                false => self.write_group(old, item),
            };
            results.push(match written {
                Ok((at, status)) => {
                    if status != "unchanged" && !ids.contains(&at) {
                        ids.push(at);
                    }
                    let code = &self.groups[at]["externalId"];
                    json!({ "status": status, "group": at, "externalId": code })
                }
                Err(code) => {
                    json!({ "status": "failed", "code": code, "externalId": item["externalId"] })
                }
            });
        }
        let count = |status| results.iter().filter(|it| it["status"] == status).count();
        if body["dryRun"] == true {
            *self = before;
        } else if !ids.is_empty() {
            let (created, updated) = (count("created"), count("updated"));
            self.tell(
                GROUP,
                json!({ "groups": ids, "created": created, "updated": updated }),
            );
        }
        Ok(json!({ "results": results }))
    }

    /// The code with which the groups of a product are refused.
    fn bad_groups(&self, ids: &Value) -> Option<&'static str> {
        let ids = ids.as_array()?;
        let is_wrong = |id: &&Value| place(&self.groups, "id", id).is_none();
        if ids
            .iter()
            .enumerate()
            .any(|(at, id)| ids[..at].contains(id))
        {
            return Some("validation_failed");
        }
        let wrong = ids.iter().find(is_wrong)?;
        Some(if self.foreign.contains(wrong) {
            "forbidden_location"
        } else {
            "validation_failed"
        })
    }

    pub(super) fn create_product(&mut self, body: &Value) -> Outcome {
        if let Some(code) = self.bad_groups(&body["optionGroupIds"]) {
            return Err(vec![code]);
        }
        if place(&self.products, "externalId", &body["externalId"]).is_some() {
            return Err(vec!["conflict"]);
        }
        self.products.push(json!({
            "id": null, "externalId": body["externalId"],
            "optionGroupIds": body["optionGroupIds"], "updatedAt": null,
        }));
        let at = self.products.len() - 1;
        self.tell("catalog.product.changed", json!({ "product": at }));
        Ok(json!({ "product": at }))
    }

    pub(super) fn update_product(&mut self, id: &Value, body: &Value) -> Outcome {
        let groups = &body["optionGroupIds"];
        let bad = self.bad_groups(groups);
        let Some(at) = place(&self.products, "id", id) else {
            return Err(["not_found"].into_iter().chain(bad).collect());
        };
        if let Some(code) = bad {
            return Err(vec![code]);
        }
        if self.products[at]["optionGroupIds"] != *groups {
            self.products[at]["optionGroupIds"] = groups.clone();
            self.products[at]["updatedAt"] = Value::Null;
            self.tell("catalog.product.changed", json!({ "product": at }));
        }
        Ok(json!({ "product": at }))
    }

    pub(super) fn delete_product(&mut self, id: &Value) -> Outcome {
        let at = place(&self.products, "id", id).ok_or_else(|| vec!["not_found"])?;
        self.products.remove(at);
        self.tell("catalog.product.changed", json!({ "gone": id }));
        Ok(Value::Null)
    }

    pub(super) fn link(&mut self, body: &Value) -> Outcome {
        let mut failed: Vec<Value> = Vec::new();
        let mut fail = |kind: &str, sent: &Value, is_foreign: bool| {
            let code = if is_foreign {
                "forbidden_location"
            } else {
                "not_found"
            };
            let failure = json!({ "type": kind, "ref": sent, "code": code });
            if !failed.contains(&failure) {
                failed.push(failure);
            }
        };
        let mut lists = [Vec::new(), Vec::new()];
        for (list, field) in lists.iter_mut().zip(["add", "remove"]) {
            for group in body[field].as_array().unwrap() {
                let (sign, sent) = group.as_object().unwrap().iter().next().unwrap();
                match place(&self.groups, sign, sent) {
                    Some(at) => list.push(self.groups[at]["id"].clone()),
                    None => fail("optionGroup", sent, self.foreign.contains(sent)),
                }
            }
        }
        let [add, remove] = lists;
        let (mut seen, mut changed) = (Vec::new(), Vec::new());
        for (list, sign) in [("productIds", "id"), ("productExternalIds", "externalId")] {
            for sent in body[list].as_array().unwrap() {
                let Some(at) = place(&self.products, sign, sent) else {
                    fail("product", sent, self.foreign.contains(sent));
                    continue;
                };
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                let old = self.products[at]["optionGroupIds"]
                    .as_array()
                    .unwrap()
                    .clone();
                let mut new: Vec<_> = old.iter().filter(|it| !remove.contains(it)).collect();
                for group in &add {
                    if !new.contains(&group) {
                        new.push(group);
                    }
                }
                if json!(new) != json!(old) {
                    self.products[at]["optionGroupIds"] = json!(new);
                    self.products[at]["updatedAt"] = Value::Null;
                    changed.push(self.products[at]["id"].clone());
                }
            }
        }
        let (affected, unchanged) = (changed.len(), seen.len() - changed.len());
        if affected > 0 {
            self.tell(
                PRODUCTS,
                json!({ "reason": "optionGroups", "ids": changed }),
            );
        }
        Ok(json!({ "affected": affected, "unchanged": unchanged, "failed": failed }))
    }
}
