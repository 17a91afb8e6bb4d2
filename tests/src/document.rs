//! The OpenAPI document, taken apart as far as the checks need it.

use std::sync::LazyLock;

use serde_json::Value;

/// The methods of a path item.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// An OpenAPI document.
#[derive(Debug)]
pub struct Document {
    root: Value,
    base: String,
}

/// A path of the document.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// As it stands in the document: `/locations/{locationId}/products`.
    pub template: &'a str,
    item: &'a Value,
}

impl Document {
    /// The document of this service.
    pub fn v1() -> &'static Self {
        static V1: LazyLock<Document> = LazyLock::new(|| {
            Document::parse(include_str!("../../connect-server/openapi/openapi.json"))
        });
        &V1
    }

    /// The document of the device API.
    pub fn device() -> &'static Self {
        static DEVICE: LazyLock<Document> = LazyLock::new(|| {
            Document::parse(include_str!("../../connect-server/openapi/device.json"))
        });
        &DEVICE
    }

    /// Parses a document.
    /// The URL of its first server is the prefix of all paths, such as `/v1`.
    ///
    /// # Panics
    /// The text is not a document with a server.
    pub fn parse(text: &str) -> Self {
        let root: Value = serde_json::from_str(text).expect("the document is JSON");
        let base = root["servers"][0]["url"].as_str();
        let base = base.expect("the document names its server").to_owned();
        Self { root, base }
    }

    /// The prefix of all paths.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The whole document.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Returns `value`, or the target of its reference.
    ///
    /// # Panics
    /// The reference leads nowhere.
    pub fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(to) => {
                let pointer = to
                    .strip_prefix('#')
                    .expect("references stay in the document");
                let target = self.root.pointer(pointer);
                self.resolve(target.unwrap_or_else(|| panic!("{to} leads nowhere")))
            }
            None => value,
        }
    }

    /// A response shared by operations, or for requests outside all operations.
    ///
    /// # Panics
    /// No response has this name.
    pub fn shared_response(&self, name: &str) -> &Value {
        let of_operations = self.root["components"]["responses"].get(name);
        let response = of_operations.or_else(|| self.root["x-other-responses"].get(name));
        response.unwrap_or_else(|| panic!("no response {name} in the document"))
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = Path<'_>> {
        let paths = self.root["paths"].as_object().into_iter().flatten();
        paths.map(|(template, item)| Path { template, item })
    }

    /// The path for a request to `path`, given without the base.
    /// If several match, the one with the most fixed parts wins, as OpenAPI demands.
    pub fn find(&self, path: &str) -> Option<Path<'_>> {
        let fixed = |found: &Path<'_>| {
            found
                .template
                .split('/')
                .filter(|p| !is_variable(p))
                .count()
        };
        self.paths()
            .filter(|candidate| candidate.matches(path))
            .max_by_key(fixed)
    }
}

impl<'a> Path<'a> {
    /// The operation of `method`; `HEAD` has the operation of `GET`.
    pub fn operation(&self, method: &str) -> Option<&'a Value> {
        let method = if method == "HEAD" { "GET" } else { method };
        // Methods are case-sensitive: `get` is another one than `GET`.
        let listed = METHODS
            .iter()
            .find(|listed| listed.to_uppercase() == method)?;
        self.item.get(listed)
    }

    /// The methods of the path, `HEAD` included, sorted.
    pub fn methods(&self) -> Vec<String> {
        let listed = METHODS
            .iter()
            .filter(|method| self.item.get(method).is_some());
        let mut methods: Vec<String> = listed.map(|method| method.to_uppercase()).collect();
        if methods.iter().any(|method| method == "GET") {
            methods.push("HEAD".to_owned());
        }
        methods.sort();
        methods.dedup();
        methods
    }

    /// The parameters of an operation of this path, resolved.
    pub fn parameters(&self, document: &'a Document, operation: &'a Value) -> Vec<&'a Value> {
        [&self.item["parameters"], &operation["parameters"]]
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .map(|parameter| document.resolve(parameter))
            .collect()
    }

    fn matches(&self, path: &str) -> bool {
        let mut parts = path.split('/');
        let fits = self.template.split('/').all(|expected| {
            let part = parts.next();
            part.is_some_and(|part| (is_variable(expected) && !part.is_empty()) || part == expected)
        });
        fits && parts.next().is_none()
    }
}

fn is_variable(part: &str) -> bool {
    part.starts_with('{')
}
