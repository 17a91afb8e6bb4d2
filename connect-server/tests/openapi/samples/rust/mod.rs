//! The sample in Rust, with the SDK. All samples are also written as a module of the SDK's tests, which
//! compile them.

mod call;
mod imports;

use serde_json::Value;

use super::{
    literal::{Language, literal},
    operation::{self, DEVICES, LOCATION, Operation},
};
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

/// Reads the document itself, which no typed client needs.
fn document(operation: &Operation<'_>) -> String {
    let address = operation.address;
    let url = format!("{{}}{}{}", address.base, operation.path);
    format!(
        "let url = format!(\"{url}\", std::env::var(\"{}\")?);\n\
         let document = reqwest::get(url).await?.text().await?;\n\
         println!(\"{{document}}\");",
        address.url
    )
}

fn typed(operation: &Operation<'_>) -> String {
    let call = call(operation);
    let mut lines = imports::of(operation, &call);
    lines.push(String::new());
    lines.extend(client(operation));
    for (name, example) in &operation.ids {
        lines.push(format!("let {name}: Uuid = \"{example}\".parse()?;"));
    }
    let Call { method, body } = call;
    if let (Some(body), Some((example, _))) = (body, operation.body) {
        let (name, example) = match body.is_list {
            true => ("items", &example["items"]),
            false => ("body", example),
        };
        let (kind, example) = (body.kind(), literal(example, Language::Rust, ""));
        lines.push(format!(
            "let {name}: {kind} = from_value(json!({example}))?;"
        ));
    }
    if operation.answer.is_none() {
        lines.push(format!("{method}.await?;"));
    } else {
        lines.push(format!("let answer = {method}.await?;"));
        lines.push("println!(\"{answer:#?}\");".to_owned());
    }
    lines.join("\n")
}

/// Connects, and goes to the location if there is one.
fn client(operation: &Operation<'_>) -> Vec<String> {
    let address = operation.address;
    if *address == DEVICES {
        return vec![
            format!("let url = std::env::var(\"{}\")?;", address.url),
            format!("let key = std::env::var(\"{}\")?;", address.credential),
            "let client = DeviceClient::builder(url, key).build()?;".to_owned(),
        ];
    }
    // The variables of `address`.
    let mut lines = vec!["let client = Client::from_env()?;".to_owned()];
    if operation.is_at_location() {
        lines.push(format!(
            "let location: Uuid = std::env::var(\"{LOCATION}\")?.parse()?;"
        ));
        lines.push("let location = client.location(location);".to_owned());
    }
    lines
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
