//! The rules for headers.

use http::Method;
use serde_json::Value;

use super::Checker;
use crate::http::Answer;

/// Headers with a meaning.
/// On a response not documented to have them, they are as wrong as a missing header.
const MEANINGFUL: [&str; 4] = [
    "Retry-After",
    "Allow",
    "Idempotent-Replayed",
    "Connect-State",
];

impl Checker {
    pub(super) fn header_faults(&self, expected: &Value, answer: &Answer) -> Vec<String> {
        let mut faults = Vec::new();
        let documented = &expected["headers"];
        for (name, header) in documented.as_object().into_iter().flatten() {
            let header = self.document.resolve(header);
            match all(answer, name).as_slice() {
                [] if header["required"] == true => {
                    faults.push(format!("header {name} is missing"))
                }
                [] => {}
                [value] => {
                    let found =
                        self.schema_faults(&header["schema"], &read(value, &header["schema"]));
                    faults.extend(found.iter().map(|fault| format!("header {name}{fault}")));
                }
                several => faults.push(format!("header {name} stands {} times", several.len())),
            }
        }
        for name in MEANINGFUL {
            if documented.get(name).is_none() && answer.headers.contains_key(name) {
                faults.push(format!("header {name} is not documented here"));
            }
        }
        let cross_origin = |name: &&http::HeaderName| name.as_str().starts_with("access-control-");
        faults.extend(
            answer
                .headers
                .keys()
                .filter(cross_origin)
                .map(|name| format!("header {name}: the service sends no CORS headers")),
        );
        faults.extend(remaining(answer));
        faults.extend(self.request_id(answer));
        faults
    }

    /// A valid request ID is returned unchanged.
    fn request_id(&self, answer: &Answer) -> Option<String> {
        const NAME: &str = "X-Request-Id";
        let sent: Vec<_> = answer.request.headers.get_all(NAME).iter().collect();
        let [sent] = sent.as_slice() else { return None };
        let parameter = &self.document.root()["components"]["parameters"]["RequestId"];
        let sent = sent.to_str().ok()?;
        let kept = self
            .schema_faults(&parameter["schema"], &Value::from(sent))
            .is_empty();
        (kept && answer.header(NAME) != Some(sent)).then(|| {
            let got = answer.header(NAME).unwrap_or_default();
            format!("header {NAME} is {got}, not {sent} as it was sent")
        })
    }
}

fn remaining(answer: &Answer) -> Option<String> {
    let number = |name| {
        answer
            .header(name)
            .and_then(|value| value.parse::<i64>().ok())
    };
    let (limit, left) = (
        number("X-RateLimit-Limit")?,
        number("X-RateLimit-Remaining")?,
    );
    (left > limit).then(|| format!("{left} requests remain of {limit}"))
}

fn all(answer: &Answer, name: &str) -> Vec<String> {
    let values = answer.headers.get_all(name).iter();
    values
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect()
}

/// A header's text as a JSON value of its schema's type.
pub(super) fn read(text: &str, schema: &Value) -> Value {
    // Digits alone: `parse` would take a sign too.
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) if digits && schema["type"] == "integer" => Value::from(number),
        _ if schema["type"] == "boolean" => text.parse().map_or(text.into(), Value::Bool),
        _ => Value::from(text),
    }
}

/// Returns whether responses to this method never have a body.
pub(super) fn bodiless(method: &Method) -> bool {
    method == Method::HEAD
}
