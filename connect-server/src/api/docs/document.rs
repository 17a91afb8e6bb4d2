//! The parts of an OpenAPI document shown in the reference.
//! Everything is in the order of the document.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A map in the order of the document.
pub(super) type Map<T> = IndexMap<String, T>;

/// A document.
#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) info: Info,
    #[serde(default)]
    pub(super) servers: Vec<ServerAddress>,
    #[serde(default)]
    pub(super) tags: Vec<Tag>,
    pub(super) paths: Map<PathItem>,
    #[serde(default)]
    pub(super) webhooks: Map<PathItem>,
    #[serde(default)]
    pub(super) components: Components,
}

/// The title of a document, and its general description.
#[derive(Deserialize)]
pub(super) struct Info {
    pub(super) title: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) description: String,
}

/// An address of the API.
#[derive(Deserialize)]
pub(super) struct ServerAddress {
    pub(super) url: String,
}

/// A group of operations.
#[derive(Deserialize)]
pub(super) struct Tag {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
}

/// The parts referred to by name.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Components {
    pub(super) security_schemes: Map<SecurityScheme>,
    pub(super) parameters: Map<Parameter>,
    pub(super) headers: Map<Header>,
    pub(super) responses: Map<Response>,
    pub(super) schemas: Map<Schema>,
}

/// A method of authentication.
#[derive(Deserialize)]
pub(super) struct SecurityScheme {
    #[serde(default)]
    pub(super) description: String,
}

/// The operations of a path.
#[derive(Deserialize)]
pub(super) struct PathItem {
    #[serde(default)]
    parameters: Vec<Or<Parameter>>,
    get: Option<DocumentOperation>,
    put: Option<DocumentOperation>,
    post: Option<DocumentOperation>,
    patch: Option<DocumentOperation>,
    delete: Option<DocumentOperation>,
}

/// An operation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentOperation {
    pub(super) operation_id: String,
    #[serde(default)]
    tags: Vec<String>,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    parameters: Vec<Or<Parameter>>,
    pub(super) request_body: Option<RequestBody>,
    #[serde(default)]
    pub(super) responses: Map<Or<Response>>,
    #[serde(default, rename = "x-codeSamples")]
    pub(super) samples: Vec<Sample>,
}

/// A parameter.
#[derive(Deserialize)]
pub(super) struct Parameter {
    pub(super) name: String,
    #[serde(rename = "in")]
    pub(super) place: String,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) description: String,
    pub(super) schema: Schema,
    pub(super) example: Option<Json>,
}

/// A header of responses.
#[derive(Deserialize)]
pub(super) struct Header {
    #[serde(default)]
    pub(super) description: String,
    pub(super) schema: Schema,
}

/// The body of a request.
#[derive(Deserialize)]
pub(super) struct RequestBody {
    #[serde(default)]
    pub(super) description: String,
    pub(super) content: Map<Media>,
}

/// A response.
#[derive(Deserialize)]
pub(super) struct Response {
    pub(super) description: String,
    #[serde(default)]
    pub(super) headers: Map<Or<Header>>,
    #[serde(default)]
    pub(super) content: Map<Media>,
    #[serde(default, rename = "x-error-codes")]
    pub(super) codes: Vec<String>,
}

/// The content of a body.
#[derive(Deserialize)]
pub(super) struct Media {
    pub(super) schema: Option<Schema>,
    pub(super) example: Option<Json>,
    #[serde(default)]
    examples: Map<NamedExample>,
}

/// One of several examples.
#[derive(Deserialize)]
pub(super) struct NamedExample {
    value: Option<Json>,
}

/// A call in a programming language.
#[derive(Deserialize)]
pub(super) struct Sample {
    pub(super) label: String,
    pub(super) source: String,
}

/// The shape of a value.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Schema {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    #[serde(rename = "type")]
    pub(super) types: Types,
    pub(super) format: Option<String>,
    pub(super) description: String,
    pub(super) properties: Map<Schema>,
    pub(super) required: Vec<String>,
    pub(super) items: Option<Box<Schema>>,
    pub(super) any_of: Vec<Schema>,
    pub(super) one_of: Vec<Schema>,
    pub(super) examples: Vec<Json>,
    #[serde(rename = "enum")]
    pub(super) values: Vec<Json>,
    #[serde(rename = "x-extensible-enum")]
    pub(super) values_so_far: Vec<Json>,
    #[serde(rename = "const")]
    pub(super) constant: Option<Json>,
    pub(super) pattern: Option<String>,
    pub(super) minimum: Option<Value>,
    pub(super) maximum: Option<Value>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    #[serde(rename = "x-decimals")]
    pub(super) decimals: Option<u64>,
}

/// The types of a value.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Types {
    One(String),
    Several(Vec<String>),
}

impl Default for Types {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl Types {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// A part of the document, or a reference to it.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Or<T> {
    At {
        #[serde(rename = "$ref")]
        path: String,
    },
    Here(T),
}

impl<T> Or<T> {
    /// Returns the part, with its name if given by reference.
    pub(super) fn of<'a>(&'a self, parts: &'a Map<T>) -> Option<(Option<&'a str>, &'a T)> {
        match self {
            Self::Here(part) => Some((None, part)),
            Self::At { path } => {
                let name = last(path);
                parts.get(name).map(|part| (Some(name), part))
            }
        }
    }
}

/// A JSON value with its fields in their original order.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Json {
    Object(Map<Json>),
    List(Vec<Json>),
    Other(Value),
}

impl Json {
    /// Returns the value in one line.
    pub(super) fn line(&self) -> String {
        // With string keys, and written to memory, this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the value in several lines.
    pub(super) fn lines(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Document {
    /// Returns the operations with this tag, each with its method and path.
    pub(super) fn tagged<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = PathOperation<'a>> {
        calls(&self.paths).filter(move |call| call.operation.tags.iter().any(|own| own == tag))
    }

    /// Returns the requests made by the service.
    pub(super) fn events(&self) -> impl Iterator<Item = PathOperation<'_>> {
        calls(&self.webhooks)
    }

    /// Returns the headers of all responses, by name.
    pub(super) fn headers(&self) -> IndexMap<&str, &Header> {
        let of_operations = calls(&self.paths).flat_map(|call| call.operation.responses.values());
        let inline = of_operations.filter_map(|response| match response {
            Or::Here(response) => Some(response),
            Or::At { .. } => None,
        });
        let responses = self.components.responses.values().chain(inline);
        let headers = responses.flat_map(|response| &response.headers);
        headers
            .filter_map(|(name, header)| Some((&name[..], header.of(&self.components.headers)?.1)))
            .collect()
    }

    /// Returns the languages of the samples.
    pub(super) fn languages(&self) -> IndexSet<&str> {
        let samples = calls(&self.paths).flat_map(|call| &call.operation.samples);
        samples.map(|sample| &sample.label[..]).collect()
    }
}

/// An operation with its method and its path.
pub(super) struct PathOperation<'a> {
    pub(super) method: &'static str,
    pub(super) path: &'a str,
    pub(super) operation: &'a DocumentOperation,
    of_path: &'a [Or<Parameter>],
}

impl<'a> PathOperation<'a> {
    /// Returns its parameters, starting with the ones of its path.
    pub(super) fn parameters(&self, components: &'a Components) -> Vec<&'a Parameter> {
        let all = self.of_path.iter().chain(&self.operation.parameters);
        all.filter_map(|parameter| parameter.of(&components.parameters))
            .map(|(_, parameter)| parameter)
            .collect()
    }
}

fn calls(paths: &Map<PathItem>) -> impl Iterator<Item = PathOperation<'_>> {
    paths.iter().flat_map(|(path, item)| {
        let methods = [
            ("GET", &item.get),
            ("POST", &item.post),
            ("PUT", &item.put),
            ("PATCH", &item.patch),
            ("DELETE", &item.delete),
        ];
        methods.into_iter().filter_map(move |(method, operation)| {
            Some(PathOperation {
                method,
                path,
                operation: operation.as_ref()?,
                of_path: &item.parameters,
            })
        })
    })
}

impl Schema {
    /// Returns the name of the schema referred to.
    pub(super) fn name(&self) -> Option<&str> {
        self.reference.as_deref().map(last)
    }

    /// Returns the alternatives for a value.
    pub(super) fn choices(&self) -> &[Schema] {
        if self.any_of.is_empty() {
            &self.one_of
        } else {
            &self.any_of
        }
    }
}

impl Media {
    /// Returns the first example.
    pub(super) fn example(&self) -> Option<&Json> {
        let mut named = self.examples.values();
        let first = || named.find_map(|example| example.value.as_ref());
        self.example.as_ref().or_else(first)
    }
}

/// Returns the last part of a reference: its name.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
