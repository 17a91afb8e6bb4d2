//! The rules for bodies.

use serde_json::Value;

use super::{Checker, headers::bodiless, rules::field_fault};
use crate::http::Answer;

impl Checker {
    pub(super) fn body_faults(&self, expected: &Value, answer: &Answer) -> Vec<String> {
        let content = expected["content"].get("application/json");
        let Some(content) = content else {
            return empty(answer);
        };
        let kind = answer.header("Content-Type").unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return vec![format!("Content-Type is {kind:?}, not application/json")];
        }
        if bodiless(&answer.request.method) {
            let silent = answer.body.is_empty();
            return if silent {
                Vec::new()
            } else {
                vec!["HEAD has a body".to_owned()]
            };
        }
        match serde_json::from_slice::<Value>(&answer.body) {
            Ok(body) => {
                let mut faults = self.schema_faults(&content["schema"], &body);
                faults.extend(code_fault(expected, &body));
                faults.extend(field_fault(&body["error"]));
                faults
            }
            Err(e) => vec![format!("the body is not JSON: {e}")],
        }
    }
}

/// An error has one of the codes of its status.
fn code_fault(expected: &Value, body: &Value) -> Option<String> {
    let codes = expected["x-error-codes"].as_array()?;
    let code = &body["error"]["code"];
    (!codes.contains(code)).then(|| format!("/error/code: {code} is not one of {codes:?}"))
}

fn empty(answer: &Answer) -> Vec<String> {
    let mut faults = Vec::new();
    if !answer.body.is_empty() {
        faults.push("has a body but should have none".to_owned());
    }
    if answer.headers.contains_key("Content-Type") {
        faults.push("has a Content-Type but no body".to_owned());
    }
    faults
}
