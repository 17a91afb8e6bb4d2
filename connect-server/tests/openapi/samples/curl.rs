//! The sample for a shell.

use super::operation::{LOCATION, Operation};

pub(super) fn sample(operation: &Operation<'_>) -> String {
    let address = operation.address;
    let path = operation.path_with(&format!("${LOCATION}"));
    let mut lines = vec![format!("curl \"${}{}{path}\"", address.url, address.base)];
    if operation.method != "get" {
        lines.push(format!("--request {}", operation.method.to_uppercase()));
    }
    if let Some(credential) = operation.credential() {
        lines.push(format!("--header \"Authorization: Bearer ${credential}\""));
    }
    if operation.wants_key() {
        lines.push("--header \"Idempotency-Key: $(uuidgen)\"".to_owned());
    }
    if let Some((body, _)) = operation.body {
        lines.push("--header \"Content-Type: application/json\"".to_owned());
        let text = serde_json::to_string_pretty(body).unwrap();
        let text = text.replace('\n', "\n  ").replace('\'', r"'\''");
        lines.push(format!("--data '{text}'"));
    }
    lines.join(" \\\n  ")
}
