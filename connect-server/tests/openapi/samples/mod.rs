//! Samples of code for each operation, in four languages, made of the operation itself: its method,
//! its path and the example of its body.

mod curl;
mod literal;
mod python;
mod rust;
mod typescript;

use serde_json::{Value, json};

pub(super) use rust::{MODULE, module};

/// An operation, as far as the samples show it.
struct Operation<'a> {
    id: &'a str,
    method: &'a str,
    /// As it stands in the document: `/locations/{locationId}/products`.
    path: &'a str,
    /// The ids in the path besides that of the location, with examples.
    ids: Vec<(&'a str, &'a str)>,
    /// The one whose credential it takes.
    caller: Caller,
    /// The example of the body, and the name of its schema.
    body: Option<(&'a Value, &'a str)>,
    /// The name of the schema of the answer; `None` when that has no body.
    answer: Option<&'a str>,
}

/// The caller of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// Anybody may.
    Anybody(&'static Address),
    /// Somebody with a credential.
    Known(&'static Address),
}

/// The variables of the environment that say where a service is, and who asks.
#[derive(PartialEq, Eq)]
struct Address {
    url: &'static str,
    /// The path behind the URL.
    base: &'static str,
    credential: &'static str,
}

static API: Address = Address {
    url: "CONNECT_URL",
    base: "",
    credential: "CONNECT_TOKEN",
};

static DEVICES: Address = Address {
    url: "CONNECT_ADMIN_URL",
    base: "/device/v1",
    credential: "CONNECT_DEVICE_KEY",
};

/// The variable of the environment with the id of a location.
const LOCATION: &str = "CONNECT_LOCATION";

impl Caller {
    fn address(self) -> &'static Address {
        match self {
            Self::Anybody(address) | Self::Known(address) => address,
        }
    }

    /// The variable of the environment with the credential, if one is needed.
    fn credential(self) -> Option<&'static str> {
        match self {
            Self::Anybody(_) => None,
            Self::Known(address) => Some(address.credential),
        }
    }
}

/// Adds `x-codeSamples` to every operation of a document.
pub(super) fn add(document: &mut Value) {
    let whole = document.clone();
    for operation in operations(&whole) {
        let pointer = format!(
            "/paths/{}/{}",
            operation.path.replace('/', "~1"),
            operation.method
        );
        let sample =
            |lang, label, source| json!({ "lang": lang, "label": label, "source": source });
        document.pointer_mut(&pointer).unwrap()["x-codeSamples"] = json!([
            sample("Shell", "curl", curl::sample(&operation)),
            sample("Rust", "Rust", rust::sample(&operation)),
            sample("TypeScript", "TypeScript", typescript::sample(&operation)),
            sample("Python", "Python", python::sample(&operation)),
        ]);
    }
}

/// The operations of a document.
fn operations(document: &Value) -> Vec<Operation<'_>> {
    let is_of_devices = document["servers"][0]["url"] == DEVICES.base;
    let address = if is_of_devices { &DEVICES } else { &API };
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let of_path = item.as_object().unwrap().iter();
        for (method, operation) in of_path.filter(|(method, _)| *method != "parameters") {
            let is_open = operation["security"] == json!([]);
            let body = operation.pointer("/requestBody/content/application~1json");
            let responses = operation["responses"].as_object().unwrap();
            let success = responses.iter().find(|(status, _)| status.starts_with('2'));
            let answer = success.unwrap().1.pointer("/content/application~1json");
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap(),
                method,
                path,
                ids: ids(document, item),
                caller: if is_open {
                    Caller::Anybody
                } else {
                    Caller::Known
                }(address),
                body: body.map(|body| (&body["example"], schema(body))),
                answer: answer.map(schema),
            });
        }
    }
    operations
}

/// The ids in a path besides that of the location, with the examples of their parameters.
fn ids<'a>(document: &'a Value, path: &'a Value) -> Vec<(&'a str, &'a str)> {
    let references = path["parameters"].as_array().into_iter().flatten();
    let names = references.filter_map(|parameter| parameter["$ref"].as_str());
    let parameters = names.filter_map(|name| document.pointer(&name[1..]));
    let ids = parameters.filter(|parameter| parameter["in"] == "path");
    ids.map(|id| {
        (
            id["name"].as_str().unwrap(),
            id["example"].as_str().unwrap(),
        )
    })
    .filter(|(name, _)| *name != "locationId")
    .collect()
}

/// The name of the schema of a body; an empty one when it has none.
fn schema(content: &Value) -> &str {
    let reference = content["schema"]["$ref"].as_str().unwrap_or_default();
    reference.rsplit('/').next().unwrap_or_default()
}

impl Operation<'_> {
    /// The path with the examples of ids, and what stands for the location.
    fn path_with(&self, location: &str) -> String {
        let mut path = self.path.replace("{locationId}", location);
        for (name, example) in &self.ids {
            path = path.replace(&format!("{{{name}}}"), example);
        }
        path
    }

    fn is_at_location(&self) -> bool {
        self.path.contains("{locationId}")
    }

    /// A write that is repeated by accident must not be done twice.
    fn wants_key(&self) -> bool {
        self.method == "post"
    }
}
