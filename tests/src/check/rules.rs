//! Rules beyond schemas: relations between the parts of a response.

use serde_json::Value;

use crate::{document::Path, http::Answer};

/// `Allow` names exactly the methods of the path.
pub(super) fn allow(path: &Path<'_>, answer: &Answer) -> Option<String> {
    let value = answer.header("Allow")?;
    let mut named: Vec<_> = value.split(',').map(|m| m.trim().to_owned()).collect();
    named.sort();
    (named != path.methods()).then(|| {
        format!(
            "Allow is {value}, but the path has {}",
            path.methods().join(", ")
        )
    })
}

/// A list is ordered, within its limit, and matches its filters.
pub(super) fn list(query: &[(String, String)], answer: &Answer) -> Vec<String> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let (Some(records), true) = (body["data"].as_array(), body.get("nextCursor").is_some()) else {
        return Vec::new();
    };
    let asked = |name: &str| {
        query
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    };
    let mut faults = Vec::new();

    let limit = asked("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(50);
    if records.len() > limit {
        faults.push(format!("{} records on a page of {limit}", records.len()));
    }
    let sort_key = sort_key(&answer.request.target, asked("updatedSince").is_some());
    let place = |record: &Value| {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        // A level lies under the id of its product, as its tombstone does.
        let id = if record["id"].is_null() {
            "productId"
        } else {
            "id"
        };
        (record[sort_key].as_u64(), text(sort_key), text(id))
    };
    if !records.is_sorted_by(|a, b| place(a) < place(b)) {
        faults.push(format!("the list is not in the order of {sort_key}, id"));
    }
    if asked("includeDeleted") != Some("true") && records.iter().any(|r| r["deleted"] == true) {
        faults.push("a tombstone in a list without includeDeleted".to_owned());
    }
    // In this form alone, the order of texts is that of the times.
    let since = asked("updatedSince").filter(|since| since.len() == 27 && since.ends_with('Z'));
    if since.is_some_and(|since| records.iter().any(|record| *place(record).1 < *since)) {
        faults.push("a record from before updatedSince".to_owned());
    }
    for name in ["externalId", "barcode", "categoryId", "productId"] {
        let Some(wanted) = asked(name) else { continue };
        let other = |r: &&Value| {
            let is = r[name].as_str().unwrap_or_default();
            r["deleted"] != true
                && is != wanted
                && !(["categoryId", "productId"].contains(&name) && is.eq_ignore_ascii_case(wanted))
        };
        if let Some(record) = records.iter().find(other) {
            faults.push(format!("a record with {name} {}", record[name]));
        }
    }
    faults
}

/// The sort field of a list.
fn sort_key(target: &str, is_by_change: bool) -> &'static str {
    let path = target.split('?').next().unwrap_or_default();
    match path.rsplit('/').next().unwrap_or_default() {
        "transactions" => "receiptNumber",
        "z-reports" => "closedAt",
        "image-jobs" | "movements" => "createdAt",
        "events" => "sequence",
        "orders" if !is_by_change => "createdAt",
        _ => "updatedAt",
    }
}

/// The counts of a batch match its results, listed in item order.
pub(super) fn batch(answer: &Answer) -> Vec<String> {
    let mut body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let data = body["data"].take();
    let Some(results) = data["results"].as_array() else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for status in ["created", "updated", "unchanged", "failed"] {
        let found = results.iter().filter(|r| r["status"] == status).count();
        // Counting makes nothing, and says nothing of it.
        let is_told = status != "created" || data.get(status).is_some();
        if (is_told || found > 0) && data[status] != found {
            faults.push(format!(
                "{status} is {}, but {found} results say so",
                data[status]
            ));
        }
    }
    faults.extend(results.iter().enumerate().filter_map(item));
    let queued = results
        .iter()
        .filter(|r| r["imageStatus"] == "pending")
        .count();
    // Other kinds have no images, and say nothing of them.
    if data["imagesQueued"].as_u64().unwrap_or_default() != queued as u64 {
        faults.push(format!(
            "imagesQueued is {}, but {queued} results say so",
            data["imagesQueued"]
        ));
    }
    if results
        .iter()
        .enumerate()
        .any(|(at, result)| result["index"] != at)
    {
        faults.push("the results are not numbered 0, 1, 2, ...".to_owned());
    }
    if let Ok(sent) = serde_json::from_slice::<Value>(&answer.request.body.bytes()) {
        let items = sent["items"].as_array().map_or(0, Vec::len);
        if items != results.len() {
            faults.push(format!("{} results for {items} items", results.len()));
        }
    }
    faults
}

/// A batch result has exactly the fields of its status.
/// A saved item has an ID and no error, a counted one its product and a quantity. A failed one has an
/// error, and at most its product.
fn item((at, result): (usize, &Value)) -> Option<String> {
    let has = |key: &str| result.get(key).is_some();
    let is_whole = if result["status"] == "failed" {
        let codes = [
            "validation_failed",
            "not_found",
            "conflict",
            "forbidden_location",
            "limit_reached",
        ];
        codes.iter().any(|code| result["error"]["code"] == *code)
            && !has("id")
            && !has("quantity")
            && !has("imageStatus")
            && field_fault(&result["error"]).is_none()
    } else {
        (has("id") || (has("productId") && has("quantity")))
            && !has("error")
            && [Value::Null, "pending".into()].contains(&result["imageStatus"])
    };
    (!is_whole).then(|| format!("/data/results/{at}: no result of an item: {result}"))
}

/// The message of an error begins with the field at fault.
/// A refused field is always named.
pub(super) fn field_fault(error: &Value) -> Option<String> {
    let message = error["message"].as_str()?;
    match error["field"].as_str() {
        Some(field) if message.starts_with(&format!("{field}: ")) => None,
        None if error["code"] != "validation_failed" => None,
        field => Some(format!(
            "/error/field: {field:?} is not that of {message:?}"
        )),
    }
}

/// A product image has a status, and an error if it failed.
pub(super) fn images(answer: &Answer) -> Option<String> {
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    let records = match &body["data"] {
        Value::Array(records) => &records[..],
        record => std::slice::from_ref(record),
    };
    let is_odd = |record: &&Value| {
        let is_failed = record["imageStatus"] == "failed";
        record["imageUrl"].is_null() != record["imageStatus"].is_null()
            || record["imageError"].is_null() == is_failed
    };
    let odd = records
        .iter()
        .filter(|r| r.get("imageUrl").is_some())
        .find(is_odd)?;
    Some(format!("the image of {odd} is at odds with its status"))
}
