//! The sample in Python, with `requests`.

use super::{
    literal::{Language, literal},
    operation::{LOCATION, Operation},
};

pub(super) fn sample(operation: &Operation<'_>) -> String {
    let mut lines = vec!["import os".to_owned()];
    if operation.wants_key() {
        lines.push("import uuid".to_owned());
    }
    lines.extend(["", "import requests", ""].map(str::to_owned));
    lines.push(format!("response = requests.{}(", operation.method));
    let address = operation.address;
    let variable = |name: &str| format!("{{os.environ['{name}']}}");
    let (url, path) = (
        variable(address.url),
        operation.path_with(&variable(LOCATION)),
    );
    lines.push(format!("    f\"{url}{}{path}\",", address.base));
    let mut headers = Vec::new();
    if let Some(credential) = operation.credential() {
        let credential = variable(credential);
        headers.push(format!("\"Authorization\": f\"Bearer {credential}\""));
    }
    if operation.wants_key() {
        headers.push("\"Idempotency-Key\": str(uuid.uuid4())".to_owned());
    }
    if !headers.is_empty() {
        lines.push("    headers={".to_owned());
        lines.extend(headers.iter().map(|header| format!("        {header},")));
        lines.push("    },".to_owned());
    }
    if let Some((body, _)) = operation.body {
        lines.push(format!(
            "    json={},",
            literal(body, Language::Python, "    ")
        ));
    }
    lines.push("    timeout=30,".to_owned());
    lines.push(")".to_owned());
    lines.push("response.raise_for_status()".to_owned());
    if operation.answer.is_some() {
        lines.push("print(response.json())".to_owned());
    }
    lines.join("\n")
}
