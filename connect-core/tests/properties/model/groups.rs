//! The options of a group, and links between groups and products.

use serde_json::{Value, json};

use super::{Kind, Model, No, fields, place};

/// The numbers of choices of a group agree.
pub(super) fn check_choices(group: &Value) -> Result<(), No> {
    let number = |field: &str| group[field].as_u64().unwrap();
    let options = group["options"].as_array().unwrap().len() as u64;
    let (min, max) = (number("minSelect"), number("maxSelect"));
    match min > options || (max > 0 && max < min) {
        true => Err(No::of("validation_failed", "")),
        false => Ok(()),
    }
}

fn check_distinct(options: &[Value]) -> Result<(), No> {
    let is_repeated = |(at, option): (usize, &Value)| {
        let repeats = |field: &str| place(&options[..at], field, &option[field]).is_some();
        repeats("name") || repeats("externalId")
    };
    match options.iter().enumerate().any(is_repeated) {
        true => Err(No::of("validation_failed", "")),
        false => Ok(()),
    }
}

fn write(option: &mut Value, sent: &Value) {
    for (name, value) in sent.as_object().unwrap() {
        if name != "id" {
            option[name] = value.clone();
        }
    }
}

impl Model {
    /// Replaces the options of a group by the sent ones, if any.
    pub(super) fn fill_options(
        &mut self,
        old: &Value,
        new: &mut Value,
        sent: Option<&Value>,
    ) -> Result<(), No> {
        let Some(sent) = sent.and_then(Value::as_array) else {
            return Ok(());
        };
        let mut left = old["options"].as_array().unwrap().clone();
        let mut options = vec![Value::Null; sent.len()];
        for sign in ["id", "externalId", "name"] {
            for (option, sent) in options.iter_mut().zip(sent) {
                let sought = sent.get(sign).unwrap_or(&Value::Null);
                if option.is_null()
                    && let Some(at) = place(&left, sign, sought)
                {
                    *option = left.remove(at);
                }
            }
        }
        for (option, sent) in options.iter_mut().zip(sent) {
            if option.is_null() {
                if sent.get("name").is_none() {
                    return Err(No::of("validation_failed", ""));
                }
                *option =
                    json!({ "externalId": null, "name": "", "priceCents": 0, "isAvailable": true });
                option["id"] = self.next_id();
            }
            if sent.get("id").is_some_and(|id| *id != option["id"]) {
                return Err(No::of("validation_failed", ""));
            }
            write(option, sent);
        }
        check_distinct(&options)?;
        new["options"] = options.into();
        Ok(())
    }

    pub(super) fn update_option(
        &mut self,
        id: &str,
        option: &str,
        body: &Value,
    ) -> Result<Value, No> {
        let sent = Value::Object(fields::read(fields::OPTION, body)?);
        let missing = || No::of("not_found", "");
        let at = self
            .place(Kind::Group, "id", &json!(id))
            .ok_or_else(missing)?;
        let mut group = self.rows(Kind::Group)[at].clone();
        let options = group["options"].as_array_mut().unwrap();
        let place = place(options, "id", &json!(option)).ok_or_else(missing)?;
        write(&mut options[place], &sent);
        check_distinct(options)?;
        if group != self.rows(Kind::Group)[at] {
            group["updatedAt"] = self.time();
            self.rows_mut(Kind::Group)[at] = group.clone();
            self.tell_record("catalog.optiongroup.changed", &group);
        }
        Ok(group)
    }

    /// Adds groups to products, and removes groups from them.
    pub(super) fn link(&mut self, body: &Value) -> Result<Value, No> {
        let mut failed: Vec<Value> = Vec::new();
        let mut lists = [Vec::new(), Vec::new()];
        for (list, field) in lists.iter_mut().zip(["add", "remove"]) {
            for group in body[field].as_array().unwrap() {
                let (sign, sent) = group.as_object().unwrap().iter().next().unwrap();
                match self.place(Kind::Group, sign, sent) {
                    Some(at) => list.push(self.rows(Kind::Group)[at]["id"].clone()),
                    None => self.fail("optionGroup", Kind::Group, sent, &mut failed),
                }
            }
        }
        let [add, remove] = lists;
        let (mut seen, mut changed) = (Vec::new(), Vec::new());
        for (list, sign) in [("productIds", "id"), ("productExternalIds", "externalId")] {
            for sent in body[list].as_array().unwrap() {
                let Some(at) = self.place(Kind::Product, sign, sent) else {
                    self.fail("product", Kind::Product, sent, &mut failed);
                    continue;
                };
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                let time = self.time();
                let product = &mut self.rows_mut(Kind::Product)[at];
                let old = product["optionGroupIds"].clone();
                let mut new = old.as_array().unwrap().clone();
                new.retain(|group| !remove.contains(group));
                for group in &add {
                    if !new.contains(group) {
                        new.push(group.clone());
                    }
                }
                if json!(new) != old {
                    product["optionGroupIds"] = new.into();
                    product["updatedAt"] = time;
                    changed.push(product["id"].clone());
                }
            }
        }
        let (affected, unchanged) = (changed.len(), seen.len() - changed.len());
        if affected > 0 {
            let data = json!({ "reason": "optionGroups", "ids": changed });
            self.tell("catalog.products.changed", data);
        }
        Ok(json!({ "affected": affected, "unchanged": unchanged, "failed": failed }))
    }

    /// Notes a missing record, once.
    fn fail(&self, name: &str, kind: Kind, sent: &Value, failed: &mut Vec<Value>) {
        let code = match self.is_foreign(kind, sent) {
            true => "forbidden_location",
            false => "not_found",
        };
        let error = No::of(code, "").show();
        let failure = json!({ "type": name, "ref": sent, "error": error });
        if !failed.contains(&failure) {
            failed.push(failure);
        }
    }
}
