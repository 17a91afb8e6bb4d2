//! The OpenAPI document by itself: what it promises everywhere, and that its examples keep it.

use connect_tests::{check::Checker, document::Document};
use serde_json::Value;

/// Every operation of the API's document: path, method, operation.
fn operations() -> Vec<(String, String, &'static Value)> {
    operations_of(Document::v1())
}

/// Every operation of a document.
fn operations_of(document: &'static Document) -> Vec<(String, String, &'static Value)> {
    let paths = document.root()["paths"].as_object().unwrap();
    let mut all = Vec::new();
    for (path, item) in paths {
        for method in ["get", "post", "patch", "delete", "put"] {
            if let Some(operation) = item.get(method) {
                all.push((path.clone(), method.to_owned(), operation));
            }
        }
    }
    all
}

#[test]
fn it_is_openapi_3_1_of_version_1_0_0() {
    let root = Document::v1().root();
    assert_eq!(root["openapi"], "3.1.0");
    assert_eq!(root["info"]["version"], "1.0.0");
    assert_eq!(root["servers"][0]["url"], "/v1");
}

#[test]
fn every_operation_has_the_statuses_of_its_kind() {
    for (path, method, operation) in operations() {
        let mut expected = match (path.as_str(), method.as_str()) {
            ("/openapi.json", _) => vec!["200", "400"],
            ("/locations", _) => vec!["200", "400", "401", "403"],
            (_, "get") => vec!["200", "400", "401", "403", "404"],
            (_, "delete") => vec![
                "204", "400", "401", "403", "404", "408", "409", "413", "415",
            ],
            (_, "patch" | "put") => vec![
                "200", "400", "401", "403", "404", "408", "409", "413", "415", "422",
            ],
            (path, "post")
                if path.ends_with("/batch") || path.ends_with("/products/option-groups") =>
            {
                vec![
                    "200", "400", "401", "403", "404", "408", "409", "413", "415", "422",
                ]
            }
            _ => vec![
                "201", "400", "401", "403", "404", "408", "409", "413", "415", "422",
            ],
        };
        expected.extend(["429", "500"]);
        // The document itself needs no store.
        if path != "/openapi.json" {
            expected.push("503");
        }
        let responses = operation["responses"].as_object().unwrap();
        let mut found: Vec<_> = responses.keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{method} {path}");
    }
}

#[test]
fn every_response_has_the_headers_that_all_have() {
    let document = Document::v1();
    for (path, method, operation) in operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let headers = document.resolve(response)["headers"].as_object().unwrap();
            for name in [
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
                "X-Request-Id",
            ] {
                let header = headers.get(name).map(|header| document.resolve(header));
                let required = header.is_some_and(|header| header["required"] == true);
                assert!(required, "{method} {path} {status}: {name}");
            }
            let retry = headers.contains_key("Retry-After");
            assert_eq!(
                retry,
                matches!(&**status, "429" | "503"),
                "{method} {path} {status}"
            );
        }
    }
}

#[test]
fn every_operation_has_a_name_a_tag_and_a_summary() {
    let mut names = std::collections::HashSet::new();
    for (path, method, operation) in operations() {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name), "{name} stands twice");
        assert!(
            operation["tags"].as_array().is_some_and(|t| t.len() == 1),
            "{method} {path}"
        );
        assert!(operation["summary"].is_string(), "{method} {path}");
    }
}

#[test]
fn only_the_document_itself_is_open_to_all() {
    assert_eq!(
        Document::v1().root()["security"][0]["token"],
        serde_json::json!([])
    );
    for (path, _, operation) in operations() {
        let open = operation
            .get("security")
            .is_some_and(|s| s == &serde_json::json!([]));
        assert_eq!(open, path == "/openapi.json", "{path}");
    }
}

/// Calls `look` with every schema below `value` and the path to it.
fn schemas<'a>(at: &str, value: &'a Value, look: &mut impl FnMut(&str, &'a Value)) {
    match value {
        Value::Object(fields) => {
            look(at, value);
            for (key, field) in fields {
                schemas(&format!("{at}/{key}"), field, look);
            }
        }
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                schemas(&format!("{at}/{index}"), entry, look);
            }
        }
        _ => {}
    }
}

/// The schemas of the bodies of requests, with all that they refer to.
fn requests(document: &'static Document) -> Vec<(String, &'static Value)> {
    fn follow(document: &'static Document, name: &str, found: &mut Vec<(String, &'static Value)>) {
        if found.iter().any(|(known, _)| known == name) {
            return;
        }
        let schema = document.root().pointer(&name[1..]).unwrap();
        found.push((name.to_owned(), schema));
        schemas("", schema, &mut |_, part| {
            if let Some(to) = part["$ref"].as_str() {
                follow(document, to, found);
            }
        });
    }
    let mut found = Vec::new();
    for (_, _, operation) in operations_of(document) {
        let schema = operation.pointer("/requestBody/content/application~1json/schema/$ref");
        if let Some(name) = schema.and_then(Value::as_str) {
            follow(document, name, &mut found);
        }
    }
    found
}

/// Both documents.
fn documents() -> [&'static Document; 2] {
    [Document::v1(), Document::device()]
}

/// A generated client sends what a request's schema gives a default for, and an update would then
/// change what was left out.
#[test]
fn requests_are_closed_and_have_no_defaults_and_no_read_only_fields() {
    let requests = documents().map(requests);
    let counts = requests.each_ref().map(Vec::len);
    assert!(counts.iter().all(|count| *count >= 6), "{counts:?}");
    for (name, schema) in requests.into_iter().flatten() {
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for field in schema["x-ignored"].as_array().into_iter().flatten() {
            let field = field.as_str().unwrap();
            assert!(schema["properties"].get(field).is_none(), "{name}: {field}");
        }
        schemas("", schema, &mut |at, part| {
            for keyword in ["default", "readOnly", "x-extensible-enum"] {
                let is_property = at.ends_with("/properties");
                assert!(
                    is_property || part.get(keyword).is_none(),
                    "{name}{at}: {keyword}"
                );
            }
        });
    }
}

/// A body that updates a record requires no field.
#[test]
fn what_makes_something_says_what_it_requires() {
    for (name, schema) in requests(Document::v1()) {
        let requires = schema.get("required").is_some();
        let creates = name.ends_with("Create") || name.ends_with("Batch");
        assert!(requires || !creates, "{name}");
        assert!(!requires || !name.ends_with("Update"), "{name}");
    }
}

/// New fields and values must not break a client that was generated before they came.
#[test]
fn responses_are_open() {
    for document in documents() {
        let requests = requests(document);
        let all = &document.root()["components"]["schemas"];
        for (name, schema) in all.as_object().unwrap() {
            let reference = format!("#/components/schemas/{name}");
            if requests.iter().any(|(request, _)| *request == reference) {
                continue;
            }
            schemas("", schema, &mut |at, part| {
                for keyword in ["additionalProperties", "unevaluatedProperties", "enum"] {
                    assert!(part.get(keyword).is_none(), "{name}{at}: {keyword}");
                }
            });
        }
    }
}

#[test]
fn every_array_says_what_its_items_are() {
    let mut seen = 0;
    schemas("", Document::v1().root(), &mut |at, part| {
        if part["type"] == "array" {
            assert!(part["items"].is_object(), "{at}");
            seen += 1;
        }
    });
    assert!(seen >= 8, "only {seen} arrays were found");
}

#[test]
fn the_examples_are_as_their_schemas_want_them() {
    fn walk(checker: &Checker, value: &Value, at: &str, seen: &mut usize) {
        if let (Some(schema), Some(example)) = (value.get("schema"), value.get("example")) {
            let faults = checker.schema_faults(schema, example);
            assert!(faults.is_empty(), "{at}: {faults:?}");
            *seen += 1;
        }
        let is_schema = ["type", "$ref", "anyOf"]
            .iter()
            .any(|key| value.get(key).is_some());
        if let (Some(examples), true) = (value["examples"].as_array(), is_schema) {
            for example in examples {
                let faults = checker.schema_faults(value, example);
                assert!(faults.is_empty(), "{at}: {faults:?}");
                *seen += 1;
            }
        }
        match value {
            Value::Object(fields) => {
                for (key, field) in fields {
                    walk(checker, field, &format!("{at}/{key}"), seen);
                }
            }
            Value::Array(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    walk(checker, entry, &format!("{at}/{index}"), seen);
                }
            }
            _ => {}
        }
    }
    let [api, device] = documents().map(Document::root);
    for (checker, root, least) in [(Checker::v1(), api, 300), (Checker::device(), device, 80)] {
        let mut seen = 0;
        walk(checker, root, "", &mut seen);
        assert!(seen >= least, "only {seen} examples were found");
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_part_is_used() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(entries) => entries.iter().for_each(|entry| references(entry, found)),
            _ => {}
        }
    }
    for root in documents().map(Document::root) {
        let mut used = Vec::new();
        references(root, &mut used);
        for reference in &used {
            assert!(
                root.pointer(reference.trim_start_matches('#')).is_some(),
                "{reference}"
            );
        }
        for (kind, parts) in root["components"].as_object().unwrap() {
            for name in parts.as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                let apart = kind == "securitySchemes";
                assert!(
                    apart || used.contains(&&*reference),
                    "{reference} is not used"
                );
            }
        }
    }
}
