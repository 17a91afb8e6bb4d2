//! The sample in Rust, with the SDK. All samples are also written as a module of the SDK's tests, which
//! compile them.

mod body;
mod call;
mod expression;
mod imports;

use std::collections::BTreeSet;

use serde_json::Value;

use super::operation::{self, DEVICES, LOCATION, Operation};
use body::Bodies;
use call::{Call, call};

/// The module with all samples, from this crate.
pub(crate) const MODULE: &str = "../connect-client/tests/samples.rs";

const HEAD: &str = "\
//! The Rust samples of the API documents, which have to compile. Made with the documents by
//! `WRITE_OPENAPI=1 cargo test -p connect-server the_document`.
#![allow(dead_code, clippy::print_stdout, reason = \"samples are compiled, and not run\")]

type Result = std::result::Result<(), Box<dyn std::error::Error>>;
";

/// Makes the module of the samples of these documents.
pub(crate) fn module(documents: &[&Value]) -> String {
    let operations = documents
        .iter()
        .flat_map(|document| operation::all(document));
    let functions = operations.map(|operation| {
        let name = snake_case(operation.id);
        let source = sample(&operation).replace('\n', "\n    ");
        let source = source.replace("\n    \n", "\n\n");
        format!("\nasync fn {name}() -> Result {{\n    {source}\n    Ok(())\n}}\n")
    });
    HEAD.to_owned() + &functions.collect::<String>()
}

pub(super) fn sample(operation: &Operation<'_>) -> String {
    if operation.is_open {
        document(operation)
    } else {
        typed(operation)
    }
}

/// Reads the document itself, which no typed method does.
fn document(operation: &Operation<'_>) -> String {
    let address = operation.address;
    let mut lines = vec![
        "use connect_client::{Client, Method};".to_owned(),
        "use serde_json::Value;".to_owned(),
        String::new(),
    ];
    if *address == DEVICES {
        let base = address.base;
        lines.extend(url_and_key(operation));
        lines.push(format!(
            "let client = Client::builder(format!(\"{{url}}{base}\"), key).build()?;"
        ));
    } else {
        lines.extend(client(operation));
    }
    lines.push(format!(
        "let document: Value = client.request(Method::GET, \"{}\").json().await?;",
        operation.path
    ));
    lines.push("println!(\"{document:#}\");".to_owned());
    lines.join("\n")
}

fn typed(operation: &Operation<'_>) -> String {
    let call = call(operation);
    let mut bodies = Bodies {
        schemas: operation.schemas,
        names: BTreeSet::new(),
    };
    let body = body(operation, &call, &mut bodies);
    let mut lines = imports::of(operation, &call, bodies.names);
    lines.push(String::new());
    lines.extend(client(operation));
    for (name, example) in &operation.ids {
        let name = snake_case(name);
        lines.push(format!("let {name}: Uuid = \"{example}\".parse()?;"));
    }
    lines.extend(body);
    let method = call.method;
    if operation.answer.is_none() {
        lines.push(format!("{method}.await?;"));
    } else {
        lines.push(format!("let answer = {method}.await?;"));
        lines.push("println!(\"{answer:#?}\");".to_owned());
    }
    lines.join("\n")
}

/// Makes the body of a call.
fn body(operation: &Operation<'_>, call: &Call, bodies: &mut Bodies<'_>) -> Option<String> {
    let (example, schema) = operation.body?;
    let body = call.body.as_ref()?;
    let schema = &operation.schemas[schema];
    let (name, made) = if body.is_list {
        let schema = &schema["properties"]["items"]["items"];
        ("items", bodies.list(&body.of, schema, &example["items"]))
    } else {
        ("body", bodies.input(&body.of, schema, example))
    };
    Some(format!("let {name} = {};", made.write("")))
}

/// Connects, and goes to the location if there is one.
fn client(operation: &Operation<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if *operation.address == DEVICES {
        let client = "let client = DeviceClient::builder(url, key).build()?;";
        lines.extend(url_and_key(operation));
        lines.push(client.to_owned());
        return lines;
    }
    // The variables of the address.
    lines.push("let client = Client::from_env()?;".to_owned());
    if operation.is_at_location() {
        lines.push(format!(
            "let location: Uuid = std::env::var(\"{LOCATION}\")?.parse()?;"
        ));
        lines.push("let location = client.location(location);".to_owned());
    }
    lines
}

/// Reads where a screen writes, and its key.
fn url_and_key(operation: &Operation<'_>) -> [String; 2] {
    let address = operation.address;
    [("url", address.url), ("key", address.credential)]
        .map(|(name, variable)| format!("let {name} = std::env::var(\"{variable}\")?;"))
}

/// `listProducts` as `list_products`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
