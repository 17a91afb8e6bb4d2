//! Samples from templates in `templates`. A line that begins with `?name` is there where the name has a value,
//! and one with `?!name` where it has none; `<name>` stands for the value.

use super::{
    literal::{Language, literal},
    operation::{LOCATION, Operation},
};

/// The sample for a shell.
pub(super) fn curl(operation: &Operation<'_>) -> String {
    let body = operation.body.map(|body| {
        let text = serde_json::to_string_pretty(body).unwrap();
        text.replace('\n', "\n  ").replace('\'', r"'\''")
    });
    let path = operation.path_with(&format!("${LOCATION}"));
    lines(include_str!("templates/curl.txt"), operation, path, body).join(" \\\n  ")
}

/// The sample in Python, with `requests`.
pub(super) fn python(operation: &Operation<'_>) -> String {
    let body = operation
        .body
        .map(|body| literal(body, Language::Python, "    "));
    let path = operation.path_with(&format!("{{os.environ['{LOCATION}']}}"));
    lines(include_str!("templates/python.txt"), operation, path, body).join("\n")
}

/// The sample in TypeScript, with openapi-fetch and the types of openapi-typescript.
pub(super) fn typescript(operation: &Operation<'_>) -> String {
    let body = operation
        .body
        .map(|body| literal(body, Language::TypeScript, "  "));
    let path = operation.path.to_owned();
    lines(
        include_str!("templates/typescript.txt"),
        operation,
        path,
        body,
    )
    .join("\n")
}

/// The lines of a template with the values of an operation.
fn lines(template: &str, of: &Operation<'_>, path: String, body: Option<String>) -> Vec<String> {
    let location = of
        .is_at_location()
        .then(|| format!("locationId: process.env.{LOCATION}!"));
    let others = of
        .ids
        .iter()
        .map(|(name, example)| format!("{name}: \"{example}\""));
    let ids: Vec<_> = location.into_iter().chain(others).collect();
    let set = |is_set: bool| is_set.then(|| "set".to_owned());
    let (key, has_ids) = (set(of.wants_key()), !ids.is_empty());
    let result = if of.has_answer {
        "{ data, error }"
    } else {
        "{ error }"
    };
    let credential = of.credential().map(str::to_owned);
    let values = [
        ("url", Some(of.address.url.to_owned())),
        ("base", Some(of.address.base.to_owned())),
        ("path", Some(path)),
        ("method", Some(of.method.to_owned())),
        ("METHOD", Some(of.method.to_uppercase())),
        ("other", set(of.method != "get")),
        ("headers", credential.clone().or(key.clone())),
        ("parameters", set(has_ids || key.is_some())),
        ("options", set(has_ids || key.is_some() || body.is_some())),
        ("credential", credential),
        ("key", key),
        ("ids", Some(ids.join(", "))),
        ("answer", set(of.has_answer)),
        ("result", Some(result.to_owned())),
        ("body", body),
    ]
    .map(|(name, value)| (name, value.unwrap_or_default()));
    let is_there = |condition: &str| {
        let name = condition.trim_start_matches('!');
        let value = values.iter().find(|(known, _)| *known == name);
        let (_, value) = value.unwrap_or_else(|| panic!("no value {name}"));
        value.is_empty() == condition.starts_with('!')
    };
    let line = |line: &str| {
        let (condition, text) = match line.strip_prefix('?') {
            Some(line) => line.split_once(' ').unwrap(),
            None => ("url", line),
        };
        is_there(condition).then(|| {
            let fill = |text: String, (name, value): &(&str, String)| {
                text.replace(&format!("<{name}>"), value)
            };
            values.iter().fold(text.to_owned(), fill)
        })
    };
    template.lines().filter_map(line).collect()
}
