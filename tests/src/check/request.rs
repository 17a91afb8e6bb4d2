//! Requests: an accepted request must be valid according to the document.

use std::collections::HashSet;

use serde_json::Value;

use super::{Checker, Place, headers::read};
use crate::http::Answer;

impl Checker {
    pub(super) fn request_faults(&self, place: &Place<'_>, answer: &Answer) -> Vec<String> {
        let (Some(path), Some(operation)) = (place.path, place.operation) else {
            return Vec::new();
        };
        let parameters = path.parameters(self.document, operation);
        let mut faults = self.query_faults(&parameters, &place.query);
        faults.extend(self.key_faults(&parameters, answer));
        let body = operation.pointer("/requestBody/content/application~1json/schema");
        if let Some(schema) = body {
            faults.extend(self.taken_body_faults(schema, answer));
        }
        faults
    }

    fn query_faults(&self, parameters: &[&Value], query: &[(String, String)]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut seen = HashSet::new();
        for (name, value) in query {
            if !seen.insert(name) {
                faults.push(format!("took the query parameter {name} twice"));
            }
            let named = |p: &&&Value| p["in"] == "query" && p["name"] == name.as_str();
            match parameters.iter().find(named) {
                Some(parameter) => {
                    let schema = self.document.resolve(&parameter["schema"]);
                    let found = self.schema_faults(schema, &read(value, schema));
                    faults.extend(found.iter().map(|f| format!("took {name}={value}{f}")));
                }
                None => faults.push(format!("took the unknown query parameter {name}")),
            }
        }
        faults
    }

    fn key_faults(&self, parameters: &[&Value], answer: &Answer) -> Vec<String> {
        let key = parameters.iter().find(|p| p["name"] == "Idempotency-Key");
        let sent = answer.request.headers.get("Idempotency-Key");
        let (Some(key), Some(sent)) = (key, sent) else {
            return Vec::new();
        };
        let sent = String::from_utf8_lossy(sent.as_bytes()).into_owned();
        let found = self.schema_faults(&key["schema"], &Value::from(sent));
        found
            .iter()
            .map(|f| format!("took Idempotency-Key{f}"))
            .collect()
    }

    fn taken_body_faults(&self, schema: &Value, answer: &Answer) -> Vec<String> {
        let sent = answer.request.body.bytes();
        let mut body: Value = match serde_json::from_slice(&sent) {
            Ok(body) => body,
            // Good JSON, but beyond this reader; an item with such a number fails alone.
            Err(e) if is_beyond_a_float(&e) => return Vec::new(),
            Err(e) => return vec![format!("took a body that is not JSON: {e}")],
        };
        if !leave_out_failed_items(&mut body, answer) {
            return Vec::new();
        }
        leave_out_ignored_ids(&mut body);
        let found = self.schema_faults(schema, &body);
        found
            .iter()
            .map(|f| format!("took a body with {f}"))
            .collect()
    }
}

/// Returns whether the only fault is a number beyond any float.
pub(super) fn is_beyond_a_float(e: &serde_json::Error) -> bool {
    e.to_string().starts_with("number out of range")
}

/// Removes the items refused by a batch, as they may be invalid.
/// Returns `false` if none is left.
fn leave_out_failed_items(body: &mut Value, answer: &Answer) -> bool {
    let outcome: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let Some(results) = outcome["data"]["results"].as_array() else {
        return true;
    };
    let Some(items) = body["items"].as_array_mut() else {
        return true;
    };
    let mut taken = results.iter().map(|result| result["status"] != "failed");
    items.retain(|_| taken.next().unwrap_or(true));
    !items.is_empty()
}

/// Removes item IDs, unless the batch is matched by `id`.
/// The service ignores them in any other batch.
fn leave_out_ignored_ids(body: &mut Value) {
    let is_matched_by_id = body.get("matchBy").is_some_and(|key| key == "id");
    let items = body.get_mut("items").and_then(Value::as_array_mut);
    if let Some(items) = items.filter(|_| !is_matched_by_id) {
        let items = items.iter_mut().filter_map(Value::as_object_mut);
        items.for_each(|item| drop(item.remove("id")));
    }
}
