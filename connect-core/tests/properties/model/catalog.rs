//! Categories, products and option groups: one way to write them, with the rules of each kind.

use serde_json::{Map, Value, json};

use super::{Kind, Model, No, fields, groups, place_in_list};

/// A record after a write.
struct Written {
    record: Value,
    status: &'static str,
    image_queued: bool,
}

fn invalid(field: &str) -> No {
    No::of("validation_failed", field)
}

/// The event about one record, and the one about a batch.
fn event(kind: Kind, is_batch: bool) -> &'static str {
    match (kind, is_batch) {
        (Kind::Category, _) => "catalog.category.changed",
        (Kind::Product, false) => "catalog.product.changed",
        (Kind::Product, true) => "catalog.products.changed",
        _ => "catalog.optiongroup.changed",
    }
}

impl Model {
    pub(super) fn create(&mut self, kind: Kind, body: &Value) -> Result<Value, No> {
        let given = fields::given(kind, body, false)?;
        let record = self.write(kind, None, &given)?.record;
        self.tell_record(event(kind, false), &record);
        Ok(record)
    }

    pub(super) fn update(&mut self, kind: Kind, id: &str, body: &Value) -> Result<Value, No> {
        let given = fields::given(kind, body, false)?;
        let missing = || No::of("not_found", "").or(self.bad_reference(&given));
        let old = self.place(kind, "id", &json!(id)).ok_or_else(missing)?;
        let Written { record, status, .. } = self.write(kind, Some(old), &given)?;
        if status == "updated" {
            self.tell_record(event(kind, false), &record);
        }
        Ok(record)
    }

    pub(super) fn delete(&mut self, kind: Kind, id: &str) -> Result<Value, No> {
        let id = json!(id);
        let at = self.place(kind, "id", &id);
        self.bury(kind, at.ok_or_else(|| No::of("not_found", ""))?, &id);
        self.tell(event(kind, false), json!({ "id": id, "deleted": true }));
        if kind == Kind::Product
            && let Some(level) = self.place(Kind::Level, "productId", &id)
        {
            self.bury(Kind::Level, level, &id);
        }
        self.leave(kind, &id);
        Ok(Value::Null)
    }

    /// Takes a deleted category or group from its products.
    fn leave(&mut self, kind: Kind, id: &Value) {
        let time = self.time();
        let mut left = Vec::new();
        for product in self.rows_mut(Kind::Product) {
            let before = place_in_list(product);
            let groups = product["optionGroupIds"].as_array_mut().unwrap();
            let had = groups.len();
            groups.retain(|group| group != id);
            if groups.len() < had || product["categoryId"] == *id {
                if product["categoryId"] == *id {
                    product["categoryId"] = Value::Null;
                }
                product["updatedAt"] = time.clone();
                left.push((before, product["id"].clone()));
            }
        }
        if left.is_empty() {
            return;
        }
        // Those of a category in the order in which they were listed, those of a group by their ids.
        left.sort_by(|(one, _), (other, _)| one.cmp(other));
        if kind == Kind::Group {
            left.sort_by_key(|((_, id), _)| *id);
        }
        let ids: Vec<Value> = left.into_iter().map(|(_, id)| id).collect();
        let data = match kind {
            Kind::Group => json!({ "reason": "optionGroups", "ids": ids }),
            _ => json!({ "reason": "bulk", "ids": ids, "deletedIds": [] }),
        };
        self.tell(event(Kind::Product, true), data);
    }

    /// A batch: its items one after another, then one event.
    pub(super) fn batch(&mut self, kind: Kind, body: &Value) -> Result<Value, No> {
        let items = body["items"].as_array().filter(|items| !items.is_empty());
        let items = items.ok_or_else(|| invalid("items"))?;
        let sign = body["matchBy"].as_str().unwrap_or("externalId");
        if kind == Kind::Group && sign == "barcode" {
            return Err(invalid("matchBy"));
        }
        let (mut results, mut ids, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            let mut result = json!({ "index": index });
            let is_unlinked = item.get("imageUrl") == Some(&Value::Null);
            match self.item(kind, sign, body["createMissing"] != false, item) {
                Ok(Written {
                    record,
                    status,
                    image_queued,
                }) => {
                    result["status"] = json!(status);
                    result["id"] = record["id"].clone();
                    result["externalId"] = record["externalId"].clone();
                    result["imageStatus"] = json!(image_queued.then_some("pending"));
                    if status != "unchanged" && !ids.contains(&record["id"]) {
                        ids.push(record["id"].clone());
                    }
                    removed.push(is_unlinked);
                }
                Err(no) => {
                    let is_short =
                        |id: &&Value| id.as_str().is_some_and(|id| id.chars().count() <= 100);
                    result["status"] = json!("failed");
                    result["externalId"] = json!(item.get("externalId").filter(is_short));
                    result["error"] = no.show();
                    removed.push(false);
                }
            }
            results.push(result);
        }
        forget_cancelled_images(&mut results, &removed);
        let count = |field: &str, value: &str| {
            results
                .iter()
                .filter(|result| result[field] == value)
                .count()
        };
        let mut data = json!({ "results": results.iter().map(without_null).collect::<Vec<_>>() });
        for status in ["created", "updated", "unchanged", "failed"] {
            data[status] = json!(count("status", status));
        }
        if kind == Kind::Product {
            data["imagesQueued"] = json!(count("imageStatus", "pending"));
        }
        if !ids.is_empty() {
            let written =
                json!({ "ids": ids, "created": data["created"], "updated": data["updated"] });
            self.tell(event(kind, true), written);
        }
        Ok(data)
    }

    fn item(
        &mut self,
        kind: Kind,
        sign: &str,
        create_missing: bool,
        item: &Value,
    ) -> Result<Written, No> {
        let given = fields::given(kind, item, sign == "id")?;
        let sought = given.get(sign).unwrap_or(&Value::Null);
        let rows = self.rows(kind).iter().enumerate();
        let same = rows.filter(|(_, row)| row[sign] == *sought && !sought.is_null());
        let same: Vec<usize> = same.map(|(at, _)| at).collect();
        let refused = |code| Err(No::of(code, "").or(self.bad_reference(&given)));
        match same[..] {
            [] if !create_missing || (sign == "id" && !sought.is_null()) => refused("not_found"),
            [] => self.write(kind, None, &given),
            [at] => self.write(kind, Some(at), &given),
            _ => refused("conflict"),
        }
    }

    /// How a reference of a body leads nowhere.
    fn bad_reference(&self, given: &Map<String, Value>) -> Option<No> {
        let groups = given.get("optionGroupIds").and_then(Value::as_array);
        let groups = groups.into_iter().flatten().map(|id| (Kind::Group, id));
        let category = given.get("categoryId").filter(|id| !id.is_null());
        let category = category.map(|id| (Kind::Category, id));
        let mut all = groups.chain(category);
        let (kind, id) = all.find(|(kind, id)| self.place(*kind, "id", id).is_none())?;
        let field = if kind == Kind::Category {
            "categoryId"
        } else {
            ""
        };
        Some(match self.is_foreign(kind, id) {
            true => No::of("forbidden_location", field),
            false => No::of("validation_failed", field),
        })
    }

    pub(super) fn is_foreign(&self, kind: Kind, id: &Value) -> bool {
        self.foreign.get(&kind).is_some_and(|foreign| id == foreign)
    }

    /// Writes valid fields into a record, or into a new one.
    fn write(
        &mut self,
        kind: Kind,
        at: Option<usize>,
        given: &Map<String, Value>,
    ) -> Result<Written, No> {
        for field in ["name", "options"] {
            let is_needed = field == "name" || kind == Kind::Group;
            if at.is_none() && is_needed && !given.contains_key(field) {
                return Err(invalid(field));
            }
        }
        let old = match at {
            Some(at) => self.rows(kind)[at].clone(),
            None => self.blank(kind),
        };
        let mut new = old.clone();
        for (name, value) in given {
            if name != "id" && name != "categoryName" && name != "options" {
                new[name] = value.clone();
            }
        }
        let (sign, image_queued) = match kind {
            Kind::Category => ("name", false),
            Kind::Product => ("externalId", check_product(&old, &mut new)?),
            _ => {
                self.fill_options(&old, &mut new, given.get("options"))?;
                groups::check_choices(&new)?;
                ("externalId", false)
            }
        };
        if let Some(no) = self.bad_reference(given) {
            return Err(no);
        }
        let folded = |record: &Value| match kind {
            Kind::Category => json!(fields::folded(&record[sign])),
            _ => record[sign].clone(),
        };
        let mut others = self
            .rows(kind)
            .iter()
            .filter(|other| other["id"] != new["id"]);
        let is_taken = |other: &Value| !new[sign].is_null() && folded(other) == folded(&new);
        if others.any(is_taken) {
            return Err(No::of("conflict", sign));
        }
        if let Some(name) = given.get("categoryName") {
            new["categoryId"] = self.category_named(name);
        }
        if at.is_some() && new == old {
            return Ok(Written {
                record: new,
                status: "unchanged",
                image_queued,
            });
        }
        new["updatedAt"] = self.time();
        if kind == Kind::Product && old["externalId"] != new["externalId"] {
            self.follow_code(&new);
        }
        let status = match at {
            Some(at) => {
                self.rows_mut(kind)[at] = new.clone();
                "updated"
            }
            None => {
                self.rows_mut(kind).push(new.clone());
                "created"
            }
        };
        Ok(Written {
            record: new,
            status,
            image_queued,
        })
    }

    /// The category of this name, made if there is none.
    fn category_named(&mut self, name: &Value) -> Value {
        let mut rows = self.rows(Kind::Category).iter();
        if let Some(same) = rows.find(|row| fields::folded(&row["name"]) == fields::folded(name)) {
            return same["id"].clone();
        }
        let made = self.create(Kind::Category, &json!({ "name": name }));
        made.expect("the name is free")["id"].clone()
    }

    fn blank(&mut self, kind: Kind) -> Value {
        let mut blank = match kind {
            Kind::Category => json!({ "name": "", "isActive": true, "position": 0 }),
            Kind::Product => json!({
                "externalId": null, "name": "", "description": null, "priceCents": 0,
                "currency": "EUR", "vatRate": 21, "barcode": null, "categoryId": null,
                "isActive": true, "availableFrom": null, "availableUntil": null,
                "imageUrl": null, "imageStatus": null, "imageError": null,
                "optionGroupIds": [], "stockQuantity": null,
            }),
            _ => json!({
                "externalId": null, "name": "", "minSelect": 0, "maxSelect": 0, "position": 0,
                "currency": "EUR", "options": [],
            }),
        };
        blank["id"] = self.next_id();
        blank["createdAt"] = self.time();
        blank["updatedAt"] = self.time();
        blank
    }
}

/// Checks the fields of a product together. Returns whether its image has to be downloaded.
fn check_product(old: &Value, new: &mut Value) -> Result<bool, No> {
    if let (Some(from), Some(until)) = (
        new["availableFrom"].as_str(),
        new["availableUntil"].as_str(),
    ) && until < from
    {
        return Err(invalid(""));
    }
    if new["imageUrl"] == old["imageUrl"] {
        return Ok(false);
    }
    if new["imageUrl"]
        .as_str()
        .is_some_and(|link| link.starts_with("http://"))
    {
        return Err(invalid("imageUrl"));
    }
    let is_queued = !new["imageUrl"].is_null();
    new["imageStatus"] = json!(is_queued.then_some("pending"));
    Ok(is_queued)
}

/// Of several downloads for one product the last is queued, unless a later item removes the image.
fn forget_cancelled_images(results: &mut [Value], removed: &[bool]) {
    for index in 0..results.len() {
        let (done, later) = results.split_at_mut(index + 1);
        let mut later = later.iter().zip(&removed[index + 1..]);
        let is_cancelled = later.any(|(later, is_removed)| {
            later["id"] == done[index]["id"] && (*is_removed || !later["imageStatus"].is_null())
        });
        if is_cancelled {
            done[index]["imageStatus"] = Value::Null;
        }
    }
}

/// The present fields of an object.
pub(super) fn without_null(object: &Value) -> Value {
    let fields = object.as_object().unwrap().iter();
    let there = fields.filter(|(_, value)| !value.is_null());
    Value::Object(
        there
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}
