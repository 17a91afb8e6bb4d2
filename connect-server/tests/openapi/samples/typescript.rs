//! The sample in TypeScript, with openapi-fetch and the types that openapi-typescript makes.

use super::{
    literal::{Language, literal},
    operation::{LOCATION, Operation},
};

pub(super) fn sample(operation: &Operation<'_>) -> String {
    let address = operation.address;
    let url = match address.base {
        "" => format!("process.env.{}", address.url),
        base => format!("`${{process.env.{}}}{base}`", address.url),
    };
    let mut lines = vec![
        "import createClient from \"openapi-fetch\";".to_owned(),
        format!(
            "// npx openapi-typescript ${}{}/openapi.json --output connect.d.ts",
            address.url, address.base
        ),
        "import type { paths } from \"./connect.js\";".to_owned(),
        String::new(),
        "const client = createClient<paths>({".to_owned(),
        format!("  baseUrl: {url},"),
    ];
    if let Some(credential) = operation.credential() {
        lines.push(format!(
            "  headers: {{ Authorization: `Bearer ${{process.env.{credential}}}` }},"
        ));
    }
    lines.push("});".to_owned());
    lines.extend(call(operation));
    lines.push("if (error) throw new Error(error.error.message);".to_owned());
    if operation.answer.is_some() {
        lines.push("console.log(data);".to_owned());
    }
    lines.join("\n")
}

fn call(operation: &Operation<'_>) -> Vec<String> {
    let (method, path) = (operation.method.to_uppercase(), operation.path);
    let result = match operation.answer {
        Some(_) => "{ data, error }",
        None => "{ error }",
    };
    let call = format!("const {result} = await client.{method}(\"{path}\"");
    let mut ids = Vec::new();
    if operation.is_at_location() {
        ids.push(format!("locationId: process.env.{LOCATION}!"));
    }
    for (name, example) in &operation.ids {
        ids.push(format!("{name}: \"{example}\""));
    }
    let mut parameters = Vec::new();
    if !ids.is_empty() {
        parameters.push(format!("    path: {{ {} }},", ids.join(", ")));
    }
    if operation.wants_key() {
        parameters.push("    header: { \"Idempotency-Key\": crypto.randomUUID() },".to_owned());
    }
    if parameters.is_empty() && operation.body.is_none() {
        return vec![format!("{call});")];
    }
    let mut lines = vec![format!("{call}, {{")];
    if !parameters.is_empty() {
        lines.push("  params: {".to_owned());
        lines.append(&mut parameters);
        lines.push("  },".to_owned());
    }
    if let Some((body, _)) = operation.body {
        lines.push(format!(
            "  body: {},",
            literal(body, Language::TypeScript, "  ")
        ));
    }
    lines.push("});".to_owned());
    lines
}
