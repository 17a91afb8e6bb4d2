//! Examples of fields and parameters. They are taken from the examples of bodies, so they go together.

mod form;
mod found;

use serde_json::{Map, Value, json};

use form::{of_form, of_name};
use found::Found;

/// Gives every field of the schemas and every parameter an example, as far as there is one. `bodies`
/// holds examples of schemas of which no operation has one, by name.
pub(super) fn add_examples(document: &mut Value, bodies: &Value) {
    let found = Found::of(document, bodies);
    let whole = document.clone();
    for (name, schema) in object(&mut document["components"]["schemas"]) {
        let Some(fields) = schema["properties"].as_object_mut() else {
            continue;
        };
        for (field, schema) in fields {
            // What leads to objects has examples in their fields.
            if schema.get("examples").is_none() && !leads_to_objects(&whole, schema) {
                let example = found.field(name, field).or_else(|| of_form(schema));
                if let Some(example) = example.or_else(|| of_name(field)) {
                    schema["examples"] = json!([example]);
                }
            }
        }
    }
    for path in object(&mut document["paths"]).values_mut() {
        for operation in object(path).values_mut() {
            let parameters = operation.get_mut("parameters");
            let parameters = parameters.and_then(Value::as_array_mut);
            for parameter in parameters.into_iter().flatten() {
                add_to_parameter(parameter, &found);
            }
        }
    }
}

fn add_to_parameter(parameter: &mut Value, found: &Found) {
    // What is shared has its example where it is declared.
    let (Some(name), Some(schema)) = (parameter["name"].as_str(), parameter.get("schema")) else {
        return;
    };
    let example = of_form(schema).or_else(|| of_name(name));
    if let Some(example) = example.or_else(|| found.any(name)) {
        parameter["example"] = example;
    }
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().unwrap()
}

/// Returns whether the values of a schema are objects, or lists of objects.
fn leads_to_objects(document: &Value, schema: &Value) -> bool {
    let schema = resolve(document, schema);
    let mut variants = schema["anyOf"].as_array().into_iter().flatten();
    schema["properties"].is_object()
        || (schema["items"].is_object() && leads_to_objects(document, &schema["items"]))
        || variants.any(|variant| leads_to_objects(document, variant))
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(to) => document.pointer(&to[1..]).unwrap_or(&Value::Null),
        None => schema,
    }
}
