//! The document's schemas, compiled.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};

use crate::document::Document;

/// The schemas of the document, each compiled on first use.
/// A test needs only a few.
pub(super) struct Schemas {
    document: &'static Document,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schemas {
    pub(super) fn new(document: &'static Document) -> Self {
        Self {
            document,
            compiled: Mutex::default(),
        }
    }

    /// Returns all violations of `schema`, a part of the document, by `value`.
    pub(super) fn faults(&self, schema: &Value, value: &Value) -> Vec<String> {
        let validator = self.validator(schema);
        let fault = |e: jsonschema::ValidationError<'_>| format!("{}: {e}", e.instance_path());
        validator.iter_errors(value).map(fault).collect()
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let key = schema.to_string();
        let mut compiled = self.compiled.lock().unwrap();
        let compile = || {
            // References in the document are from its root, so the parts that they lead to come
            // along.
            let mut whole = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "allOf": [schema],
                "components": self.document.root()["components"],
            });
            close(&mut whole);
            let validator = jsonschema::options()
                .offline()
                .should_validate_formats(true)
                .with_pattern_options(PatternOptions::regex())
                .build(&whole);
            Arc::new(validator.unwrap_or_else(|e| panic!("{key} is no schema: {e}")))
        };
        Arc::clone(compiled.entry(key.clone()).or_insert_with(compile))
    }
}

/// Rejects new fields and values in responses.
/// The document leaves them open for later versions, but this version sends nothing else. Fields ignored in
/// requests are allowed.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.entry("additionalProperties").or_insert(false.into());
            }
            if let Some(ignored) = fields.remove("x-ignored")
                && let Some(properties) = fields["properties"].as_object_mut()
            {
                let names = ignored.as_array().into_iter().flatten();
                let names = names.filter_map(Value::as_str);
                properties.extend(names.map(|name| (name.to_owned(), true.into())));
            }
            if let Some(mut known) = fields.remove("x-extensible-enum") {
                let can_be_null = fields["type"].is_array();
                if let (Some(known), true) = (known.as_array_mut(), can_be_null) {
                    known.push(Value::Null);
                }
                fields.insert("enum".to_owned(), known);
            }
            if let Some(decimals) = fields.remove("x-decimals").and_then(|n| n.as_i64()) {
                let step: f64 = format!("1e-{decimals}").parse().expect("a number");
                fields.insert("multipleOf".to_owned(), step.into());
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(entries) => entries.iter_mut().for_each(close),
        _ => {}
    }
}
