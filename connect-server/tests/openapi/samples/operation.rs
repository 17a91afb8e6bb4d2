//! An operation, as far as the samples show it.

use serde_json::{Value, json};

pub(super) struct Operation<'a> {
    pub(super) id: &'a str,
    pub(super) method: &'a str,
    /// As it stands in the document: `/locations/{locationId}/products`.
    pub(super) path: &'a str,
    /// The ids in the path besides that of the location, with examples.
    pub(super) ids: Vec<(&'a str, &'a str)>,
    pub(super) address: &'static Address,
    /// Set when it needs no credential.
    pub(super) is_open: bool,
    /// The example of the body.
    pub(super) body: Option<&'a Value>,
    /// Set when the answer has a body.
    pub(super) has_answer: bool,
}

/// The variables of the environment that say where a service is, and who asks.
pub(super) struct Address {
    pub(super) url: &'static str,
    /// The path behind the URL.
    pub(super) base: &'static str,
    pub(super) credential: &'static str,
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
pub(super) const LOCATION: &str = "CONNECT_LOCATION";

/// Returns all operations of a document.
pub(super) fn all(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item)| {
        let operations = Value::as_object(item).unwrap().iter();
        let operations = operations.filter(|(method, _)| *method != "parameters");
        operations.map(move |(method, operation)| {
            Operation::of(document, (path, item), method, operation)
        })
    };
    paths.iter().flat_map(of_path).collect()
}

impl<'a> Operation<'a> {
    fn of(
        document: &'a Value,
        (path, item): (&'a String, &'a Value),
        method: &'a str,
        operation: &'a Value,
    ) -> Self {
        let is_of_devices = document["servers"][0]["url"] == DEVICES.base;
        let body = operation.pointer("/requestBody/content/application~1json");
        let mut responses = operation["responses"].as_object().unwrap().iter();
        let success = responses.find(|(status, _)| status.starts_with('2'));
        let answer = success.unwrap().1.pointer("/content/application~1json");
        Self {
            id: operation["operationId"].as_str().unwrap(),
            method,
            path,
            ids: ids(document, item),
            address: if is_of_devices { &DEVICES } else { &API },
            is_open: operation["security"] == json!([]),
            body: body.map(|body| &body["example"]),
            has_answer: answer.is_some(),
        }
    }

    /// The path with the examples of ids, and what stands for the location.
    pub(super) fn path_with(&self, location: &str) -> String {
        let mut path = self.path.replace("{locationId}", location);
        for (name, example) in &self.ids {
            path = path.replace(&format!("{{{name}}}"), example);
        }
        path
    }

    /// The variable of the environment with the credential, if one is needed.
    pub(super) fn credential(&self) -> Option<&'static str> {
        (!self.is_open).then_some(self.address.credential)
    }

    pub(super) fn is_at_location(&self) -> bool {
        self.path.contains("{locationId}")
    }

    /// Returns whether a repetition would make something twice.
    pub(super) fn wants_key(&self) -> bool {
        self.method == "post"
    }
}

/// The ids in a path besides that of the location, with the examples of their parameters.
fn ids<'a>(document: &'a Value, path: &'a Value) -> Vec<(&'a str, &'a str)> {
    let references = path["parameters"].as_array().into_iter().flatten();
    let names = references.filter_map(|parameter| parameter["$ref"].as_str());
    let parameters = names.filter_map(|name| document.pointer(&name[1..]));
    let is_id = |parameter: &&Value| parameter["in"] == "path" && parameter["name"] != "locationId";
    let text = |value: &'a Value| value.as_str().unwrap();
    let ids = parameters.filter(is_id);
    ids.map(|id| (text(&id["name"]), text(&id["example"])))
        .collect()
}
