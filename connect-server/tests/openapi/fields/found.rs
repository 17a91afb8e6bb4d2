//! The fields that the examples of bodies have.

use std::collections::BTreeMap;

use serde_json::Value;

use super::resolve;

/// Examples of fields, by the name of the schema and that of the field.
pub(super) struct Found(BTreeMap<(String, String), Value>);

impl Found {
    /// Collects the fields of all bodies of a document, and of `more`, examples of schemas by name.
    pub(super) fn of(document: &Value, more: &Value) -> Self {
        let mut found = Self(BTreeMap::new());
        for body in bodies(document) {
            found.collect(document, "", &body["schema"], &body["example"]);
        }
        for (name, example) in more.as_object().into_iter().flatten() {
            let schema = &document["components"]["schemas"][name];
            assert!(
                schema.is_object(),
                "an example of {name}, which is no schema"
            );
            found.collect(document, name, schema, example);
        }
        found
    }

    /// The example of a field of this schema, or of the record that a body of it writes.
    pub(super) fn field(&self, schema: &str, field: &str) -> Option<Value> {
        let stem = stem(schema);
        let of = |schema: &str| self.0.get(&(schema.to_owned(), field.to_owned()));
        let example = of(schema).or_else(|| of(stem));
        example.or_else(|| of(&format!("{stem}Create"))).cloned()
    }

    /// The example of a field of this name in any schema; that of a product is preferred.
    pub(super) fn any(&self, field: &str) -> Option<Value> {
        let mut all = self.0.iter().filter(|((_, name), _)| name == field);
        let any = all.next().map(|(_, example)| example.clone());
        self.field("Product", field).or(any)
    }

    /// Collects the fields of `example`, which is one of the schema of this name.
    fn collect(&mut self, document: &Value, name: &str, schema: &Value, example: &Value) {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return self.collect(document, name, resolve(document, schema), example);
        }
        for variant in schema["anyOf"].as_array().into_iter().flatten() {
            if fits(resolve(document, variant), example) {
                self.collect(document, name, variant, example);
            }
        }
        for entry in example.as_array().into_iter().flatten() {
            self.collect(document, name, &schema["items"], entry);
        }
        for (field, value) in example.as_object().into_iter().flatten() {
            if !value.is_null() && !name.is_empty() {
                let key = (name.to_owned(), field.clone());
                self.0.entry(key).or_insert_with(|| value.clone());
            }
            self.collect(document, "", &schema["properties"][field], value);
        }
    }
}

/// All bodies with an example.
fn bodies(part: &Value) -> Vec<&Value> {
    match part {
        Value::Object(fields)
            if fields.contains_key("schema") && fields.contains_key("example") =>
        {
            vec![part]
        }
        Value::Object(fields) => fields.values().flat_map(bodies).collect(),
        Value::Array(entries) => entries.iter().flat_map(bodies).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether an example is one of this variant: it has the fields of that, and no others.
fn fits(schema: &Value, example: &Value) -> bool {
    let (Some(fields), Some(example)) = (schema["properties"].as_object(), example.as_object())
    else {
        return false;
    };
    let mut required = schema["required"].as_array().into_iter().flatten();
    required.all(|field| example.contains_key(field.as_str().unwrap_or_default()))
        && example.keys().all(|field| fields.contains_key(field))
}

/// The name of the record that a body of this schema writes, or an event shows.
fn stem(schema: &str) -> &str {
    if let "OptionInput" | "OptionUpdate" = schema {
        return "GroupOption";
    }
    let ends = ["Create", "Update", "BatchItem", "Input", "Change"];
    let stem = ends.iter().find_map(|end| schema.strip_suffix(end));
    stem.or_else(|| schema.strip_prefix("Changed"))
        .unwrap_or(schema)
}
