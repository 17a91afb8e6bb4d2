//! The texts, examples and samples of both API documents: nothing lacks them, and they are right.

use std::collections::HashSet;

use connect_tests::{check::Checker, document::Document};
use serde_json::Value;

/// Verbs that a title begins with.
const VERBS: [&str; 9] = [
    "Adjust", "Close", "Count", "Create", "Delete", "Get", "Link", "List", "Update",
];

/// The languages of the samples.
const LANGUAGES: [&str; 4] = ["Shell", "Rust", "TypeScript", "Python"];

fn documents() -> [&'static Document; 2] {
    [Document::v1(), Document::device()]
}

/// Every operation of both documents: its path, its method and itself.
fn operations() -> Vec<(
    &'static Document,
    &'static str,
    &'static str,
    &'static Value,
)> {
    let mut all = Vec::new();
    for document in documents() {
        for (path, item) in document.root()["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if method != "parameters" {
                    all.push((document, path.as_str(), method.as_str(), operation));
                }
            }
        }
    }
    assert!(all.len() > 40, "only {} operations were found", all.len());
    all
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// The values are objects or lists of them, whose fields have examples of their own.
fn leads_to_objects(document: &Document, schema: &Value) -> bool {
    let schema = document.resolve(schema);
    let mut variants = schema["anyOf"].as_array().into_iter().flatten();
    schema["properties"].is_object()
        || (schema["items"].is_object() && leads_to_objects(document, &schema["items"]))
        || variants.any(|variant| leads_to_objects(document, variant))
}

#[test]
fn every_field_has_a_description_and_an_example() {
    let mut missing = Vec::new();
    for document in documents() {
        let schemas = document.root()["components"]["schemas"].as_object();
        for (name, schema) in schemas.unwrap() {
            if !is_text(&schema["description"]) {
                missing.push(format!("{name} has no description"));
            }
            for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
                if !is_text(&schema["description"]) {
                    missing.push(format!("{name}.{field} has no description"));
                }
                if schema["examples"][0].is_null() && !leads_to_objects(document, schema) {
                    missing.push(format!("{name}.{field} has no example"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_parameter_has_a_description_and_an_example() {
    let mut seen = 0;
    for (document, path, method, operation) in operations() {
        let found = document.find(path).unwrap();
        for parameter in found.parameters(document, operation) {
            let name = &parameter["name"];
            let at = format!("{method} {path}: {name}");
            assert!(
                is_text(&parameter["description"]),
                "{at} has no description"
            );
            let example = parameter.get("example");
            let example = example.unwrap_or_else(|| panic!("{at} has no example"));
            let faults = Checker::of(document.base()).schema_faults(&parameter["schema"], example);
            assert!(faults.is_empty(), "{at}: {faults:?}");
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} parameters were found");
}

/// Generated clients send a default, which nobody asked for.
#[test]
fn no_parameter_has_a_default_and_flags_are_booleans() {
    let mut flags = 0;
    for (document, path, method, operation) in operations() {
        let found = document.find(path).unwrap();
        for parameter in found.parameters(document, operation) {
            let (name, schema) = (&parameter["name"], &parameter["schema"]);
            assert!(schema.get("default").is_none(), "{method} {path}: {name}");
            let words = schema["enum"].as_array().into_iter().flatten();
            let is_flag = words.into_iter().any(|word| word == "true");
            assert!(!is_flag, "{method} {path}: {name} is a word, not a boolean");
            flags += usize::from(schema["type"] == "boolean");
        }
    }
    assert!(flags >= 4, "only {flags} flags were found");
}

#[test]
fn every_operation_has_a_title_that_begins_with_a_verb() {
    for (_, path, method, operation) in operations() {
        let title = operation["summary"].as_str().unwrap();
        let (verb, rest) = title.split_once(' ').unwrap();
        assert!(VERBS.contains(&verb), "{method} {path}: {title}");
        assert!(!rest.is_empty() && !title.ends_with('.'), "{title}");
        assert!(is_text(&operation["description"]), "{method} {path}");
    }
}

#[test]
fn every_operation_has_error_responses_of_each_side_with_an_example() {
    for (document, path, method, operation) in operations() {
        let responses = operation["responses"].as_object().unwrap();
        let mut sides = HashSet::new();
        for (status, response) in responses
            .iter()
            .filter(|(status, _)| !status.starts_with('2'))
        {
            let response = document.resolve(response);
            let body = &response["content"]["application/json"];
            let at = format!("{method} {path} {status}");
            assert_eq!(
                body["schema"]["$ref"], "#/components/schemas/ErrorBody",
                "{at}"
            );
            let code = &body["example"]["error"]["code"];
            let codes = response["x-error-codes"].as_array().unwrap();
            assert!(
                codes.contains(code),
                "{at}: the example has the code {code}"
            );
            sides.insert(status.chars().next());
        }
        assert_eq!(sides.len(), 2, "{method} {path}: {sides:?}");
    }
}

#[test]
fn every_operation_has_a_sample_in_each_language() {
    for (_, path, method, operation) in operations() {
        let samples = operation["x-codeSamples"].as_array();
        let samples = samples.unwrap_or_else(|| panic!("{method} {path} has no samples"));
        let languages: Vec<_> = samples.iter().map(|sample| &sample["lang"]).collect();
        assert_eq!(languages, LANGUAGES, "{method} {path}");
        let fixed: Vec<_> = path
            .split('/')
            .filter(|part| !part.starts_with('{'))
            .collect();
        for sample in samples {
            let source = sample["source"].as_str().unwrap();
            let is_of_operation = match sample["lang"].as_str().unwrap() {
                // The tests of the SDK compile them.
                "Rust" => source.contains("connect_client") || source.contains("reqwest"),
                "TypeScript" => {
                    source.contains(&format!("client.{}(\"{path}\"", method.to_uppercase()))
                }
                _ => fixed.iter().all(|part| source.contains(part)) && !source.contains("{id}"),
            };
            assert!(is_of_operation, "{method} {path}: {source}");
        }
    }
}
