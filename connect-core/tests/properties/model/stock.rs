//! Stock: the levels of products, and the movements that add up to them.

use serde_json::{Map, Value, json};

use super::{Kind, Model, No, decimal};

/// The largest stock either way, in thousandths.
const MOST: i64 = 1_000_000_000_000;

fn thousandths(quantity: &Value) -> i64 {
    (quantity.as_f64().unwrap_or_default() * 1000.0).round() as i64
}

/// Checks the quantities of a count.
fn check(count: &Value) -> Result<(), No> {
    let is_good = |quantity: &Value| quantity.as_f64().is_some_and(|it| it >= 0.0);
    match is_good(&count["quantity"]) {
        true => Ok(()),
        false => Err(No::of("validation_failed", "quantity")),
    }
}

impl Model {
    /// The place of a body's product, or the code of the refusal.
    fn named(&self, body: &Value) -> Result<usize, &'static str> {
        let sign = if body["productId"].is_null() {
            "externalId"
        } else {
            "productId"
        };
        let field = if sign == "productId" { "id" } else { sign };
        let at = self.place(Kind::Product, field, &body[sign]);
        at.ok_or(match self.is_foreign(Kind::Product, &body[sign]) {
            true => "forbidden_location",
            false => "not_found",
        })
    }

    /// Moves the stock of a product to `after` thousandths. Returns its level and the movement.
    fn shift(&mut self, at: usize, kind: &str, after: i64, cause: [&Value; 2]) -> [Value; 2] {
        let (id, time, [source, transaction]) = (self.next_id(), self.time(), cause);
        let product = &mut self.rows_mut(Kind::Product)[at];
        let change = after - thousandths(&product["stockQuantity"]);
        product["stockQuantity"] = decimal(after, 1000);
        product["updatedAt"] = time.clone();
        let level = json!({
            "productId": product["id"], "externalId": product["externalId"],
            "quantity": decimal(after, 1000), "updatedAt": time,
        });
        let movement = json!({
            "id": id, "productId": product["id"], "externalId": product["externalId"], "type": kind,
            "quantityChange": decimal(change, 1000), "quantityAfter": decimal(after, 1000),
            "note": null, "source": source, "transactionId": transaction, "createdAt": time,
        });
        self.save_level(&level);
        self.rows_mut(Kind::Movement).push(movement.clone());
        [level, movement]
    }

    fn save_level(&mut self, level: &Value) {
        match self.place(Kind::Level, "productId", &level["productId"]) {
            Some(at) => self.rows_mut(Kind::Level)[at] = level.clone(),
            None => self.rows_mut(Kind::Level).push(level.clone()),
        }
    }

    /// The level of a product has the product's external id.
    pub(super) fn follow_code(&mut self, product: &Value) {
        let Some(at) = self.place(Kind::Level, "productId", &product["id"]) else {
            return;
        };
        let time = self.time();
        let level = &mut self.rows_mut(Kind::Level)[at];
        level["externalId"] = product["externalId"].clone();
        level["updatedAt"] = time;
    }

    /// Counts a product. Returns whether its stock changed.
    fn count(&mut self, at: usize, count: &Value) -> Result<bool, No> {
        let stock = self.rows(Kind::Product)[at]["stockQuantity"].clone();
        let (is_tracked, before) = (!stock.is_null(), thousandths(&stock));
        let expected = count.get("expectedQuantity").map(thousandths);
        if expected.is_some_and(|expected| !is_tracked || expected != before) {
            return Err(No::of("conflict", "expectedQuantity"));
        }
        let after = thousandths(&count["quantity"]);
        if is_tracked && after == before {
            return Ok(false);
        }
        self.shift(at, "count", after, [&json!("Dashboard"), &Value::Null]);
        Ok(true)
    }

    pub(super) fn count_one(&mut self, id: &str, body: &Value) -> Result<Value, No> {
        check(body)?;
        let at = self.place(Kind::Product, "id", &json!(id));
        let is_changed = self.count(at.ok_or_else(|| No::of("not_found", ""))?, body)?;
        let at = self.place(Kind::Level, "productId", &json!(id));
        let level = self.rows(Kind::Level)[at.expect("it is tracked now")].clone();
        if is_changed {
            self.tell("stock.changed", level.clone());
        }
        Ok(level)
    }

    pub(super) fn count_many(&mut self, body: &Value) -> Result<Value, No> {
        let (mut results, mut changed): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
        for (index, item) in body["items"].as_array().unwrap().iter().enumerate() {
            let (mut result, found) = (json!({ "index": index }), self.named(item));
            let is_good = check(item);
            let outcome = is_good.clone().and_then(|()| {
                let at = found.map_err(|code| No::of(code, ""))?;
                self.count(at, item)
            });
            let product = found.ok().filter(|_| is_good.is_ok());
            let product = product.map(|at| self.rows(Kind::Product)[at].clone());
            let product = product.unwrap_or_default();
            result["productId"] = product["id"].clone();
            result["externalId"] = product["externalId"].clone();
            match outcome {
                Ok(is_changed) => {
                    result["status"] = json!(if is_changed { "updated" } else { "unchanged" });
                    result["quantity"] = product["stockQuantity"].clone();
                    let new = json!({ "productId": product["id"], "quantity": result["quantity"] });
                    let same = |known: &&mut Value| known["productId"] == new["productId"];
                    match changed.iter_mut().find(same) {
                        _ if !is_changed => {}
                        Some(known) => *known = new,
                        None => changed.push(new),
                    }
                }
                Err(no) => {
                    result["status"] = json!("failed");
                    result["error"] = no.show();
                    if let Some(sent) = item.get("externalId") {
                        result["externalId"] = sent.clone();
                    }
                }
            }
            results.push(super::catalog::without_null(&result));
        }
        let mut data = json!({});
        for status in ["updated", "unchanged", "failed"] {
            let count = results
                .iter()
                .filter(|result| result["status"] == status)
                .count();
            data[status] = json!(count);
        }
        data["results"] = results.into();
        if !changed.is_empty() {
            self.tell(
                "stock.batch_changed",
                json!({ "reason": "count", "items": changed }),
            );
        }
        Ok(data)
    }

    pub(super) fn adjust(&mut self, body: &Value) -> Result<Value, No> {
        let kind = body["type"].as_str().unwrap_or("correction");
        let change = thousandths(&body["quantityChange"]);
        if change == 0 || (kind == "delivery" && change < 0) {
            return Err(No::of("validation_failed", "quantityChange"));
        }
        let at = self.named(body).map_err(|code| match code {
            "not_found" => No::of("validation_failed", ""),
            other => No::of(other, ""),
        })?;
        let after = thousandths(&self.rows(Kind::Product)[at]["stockQuantity"]) + change;
        if after.abs() > MOST {
            return Err(No::of("conflict", "quantityChange"));
        }
        let [level, movement] = self.shift(at, kind, after, [&json!("Dashboard"), &Value::Null]);
        self.tell("stock.changed", level);
        Ok(movement)
    }

    /// Moves the stock of the products of a sale or a refund.
    pub(super) fn sell(&mut self, row: &Value) -> Result<(), No> {
        let mut sums: Map<String, Value> = Map::new();
        let mut order: Vec<String> = Vec::new();
        for line in row["lines"].as_array().unwrap() {
            let Some(id) = line["productId"].as_str() else {
                continue;
            };
            let before = sums.get(id).and_then(Value::as_i64).unwrap_or_default();
            if !order.contains(&id.to_owned()) {
                order.push(id.to_owned());
            }
            sums.insert(
                id.to_owned(),
                json!(before + thousandths(&line["quantity"])),
            );
        }
        for id in order {
            let Some(at) = self.place(Kind::Product, "id", &json!(id)) else {
                continue;
            };
            let stock = &self.rows(Kind::Product)[at]["stockQuantity"];
            let after = thousandths(stock) - sums[&id].as_i64().unwrap();
            if stock.is_null() {
                continue;
            }
            if after.abs() > MOST {
                return Err(No::of("conflict", ""));
            }
            let source = format!("Register: {}", row["register"]["name"].as_str().unwrap());
            let kind = row["type"].as_str().unwrap();
            let [level, _] = self.shift(at, kind, after, [&json!(source), &row["id"]]);
            self.tell("stock.changed", level);
        }
        Ok(())
    }
}
