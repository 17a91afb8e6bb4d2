//! The webhooks of the document: one per type of event, with the data that it has.

use connect_core::wire::EventType;
use serde_json::{Value, json};

/// The names of the schemas that the data of this type may have. A new type has a line here.
fn data(kind: &EventType) -> &'static [&'static str] {
    match kind {
        EventType::ProductChanged => &["ChangedProduct", "Deleted"],
        EventType::ProductsChanged => &["RecordsWritten", "ProductsChanged"],
        EventType::OptionGroupChanged => &["ChangedOptionGroup", "Deleted", "RecordsWritten"],
        EventType::CategoryChanged => &["ChangedCategory", "Deleted"],
        EventType::TransactionCreated => &["Transaction"],
        EventType::ZReportCreated => &["ZReport"],
        EventType::StockChanged => &["StockLevel"],
        EventType::StockBatchChanged => &["StockBatchChanged"],
        EventType::OrderCreated | EventType::OrderStatusChanged => &["Order"],
        other if other.as_str() == PING => &["Ping"],
        other => panic!("{other} has no data here"),
    }
}

/// The type of the event that tests a webhook, which nobody asks for.
const PING: &str = "ping";

/// Adds a webhook for each type of event. `texts` holds, by type, what no type of Rust tells: a
/// summary, a description and an example of the data, or where the document has one.
pub(super) fn add(document: &mut Value, mut texts: Value) {
    for record in ["Category", "OptionGroup", "Product"] {
        add_changed(document, record);
    }
    for kind in EventType::KNOWN.iter().chain([&EventType::from(PING)]) {
        let text = texts.as_object_mut().unwrap().remove(kind.as_str());
        let text = text.unwrap_or_else(|| panic!("no text about {kind}"));
        document["webhooks"][kind.as_str()] = json!({ "post": operation(document, kind, text) });
    }
    assert_eq!(texts, json!({}), "texts about events that there are not");
}

/// Adds the schema of a record as events have it.
fn add_changed(document: &mut Value, record: &str) {
    let schemas = &mut document["components"]["schemas"];
    let mut changed = schemas[record].clone();
    changed["description"] = "The record as it is now.".into();
    changed["properties"]["deleted"] = json!({
        "type": "boolean",
        "const": false,
        "description": "Always `false`.",
    });
    changed["required"]
        .as_array_mut()
        .unwrap()
        .push("deleted".into());
    schemas[format!("Changed{record}")] = changed;
    schemas.as_object_mut().unwrap().sort_keys();
}

fn operation(document: &Value, kind: &EventType, mut text: Value) -> Value {
    let header = |name| json!({ "$ref": format!("#/components/parameters/{name}") });
    let headers = ["ServiceSignature", "ServiceEventId", "ServiceDeliveryId"].map(header);
    json!({
        "operationId": format!("on{}", camel_case(kind.as_str())),
        "tags": ["Webhooks"],
        "summary": text["summary"].take(),
        "description": text["description"].as_str().unwrap_or_default(),
        "security": [],
        "parameters": headers,
        "requestBody": {
            "required": true,
            "content": {
                "application/json": {
                    "schema": envelope(document, kind),
                    "example": example(document, kind, &mut text),
                },
            },
        },
        "responses": {
            "2XX": { "description": "Taken. The body of the answer is not looked at." },
            "default": { "description": "Not taken: it is sent again later." },
        },
    })
}

/// `catalog.product.changed` as `CatalogProductChanged`.
fn camel_case(kind: &str) -> String {
    let words = kind.split(['.', '_']);
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    words.map(capital).collect()
}

/// The schema of an event of this type: the envelope of all, with its own data.
fn envelope(document: &Value, kind: &EventType) -> Value {
    let mut envelope = document["components"]["schemas"]["Event"].clone();
    let fields = &mut envelope["properties"];
    fields["type"] = json!({ "type": "string", "const": kind.as_str() });
    // Only a ping comes from no location.
    let place = usize::from(kind.as_str() == PING);
    for field in ["locationId", "sequence"] {
        let types = fields[field]["type"].take();
        fields[field]["type"] = types[place].clone();
    }
    let schema = |name| json!({ "$ref": format!("#/components/schemas/{name}") });
    fields["data"] = match data(kind) {
        [one] => schema(one),
        several => json!({ "anyOf": several.iter().map(schema).collect::<Vec<_>>() }),
    };
    envelope
}

fn example(document: &Value, kind: &EventType, text: &mut Value) -> Value {
    let mut data = match text["exampleOf"].as_str() {
        Some(place) => document.pointer(place).unwrap().clone(),
        None => text["data"].take(),
    };
    for (field, value) in text["more"].as_object().into_iter().flatten() {
        data[field] = value.clone();
    }
    let is_ping = kind.as_str() == PING;
    json!({
        "id": "019a8c52-8e20-7000-8000-002a6e8fab08",
        "type": kind.as_str(),
        "createdAt": "2026-11-20T09:15:30.123456Z",
        "locationId": (!is_ping).then_some("019a8c52-8e20-7c42-8a1f-4c2d6e8fab01"),
        "sequence": (!is_ping).then_some(42),
        "data": data,
    })
}
