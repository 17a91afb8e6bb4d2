//! The operation of an endpoint in the API document.
//! Its path, its method and the needed right come from the route.

use connect_core::{
    Listed, Readable, Resource, Upsert,
    wire::{
        BatchInput,
        query::{Parameter, ParameterKind, Query},
    },
};
use http::StatusCode;

/// An operation of the API document.
/// Schemas have the names of the core's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name of the operation, such as `listProducts`.
    pub id: String,
    /// Its group, such as `Products`.
    pub tag: String,
    /// Its title, beginning with a verb: `List products`.
    pub summary: String,
    /// The query parameters.
    pub query: Vec<QueryParameter>,
    /// The schema of the request's body, if any.
    pub body: Option<String>,
    /// The status of a success.
    pub status: StatusCode,
    /// The schema of the body of a success, if any.
    pub answer: Option<String>,
}

/// A query parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryParameter {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    /// The kind of its values.
    pub kind: ParameterKind,
}

impl Operation {
    /// An operation with status 200 and the schema `answer`.
    pub(crate) fn new(id: &str, tag: &str, summary: &str, answer: &str) -> Self {
        Self {
            id: id.to_owned(),
            tag: tag.to_owned(),
            summary: summary.to_owned(),
            query: Vec::new(),
            body: None,
            status: StatusCode::OK,
            answer: Some(answer.to_owned()),
        }
    }

    /// The same with the parameters of a query.
    pub(crate) fn with_query<Q: Query>(self) -> Self {
        Self {
            query: parameters::<Q>(),
            ..self
        }
    }

    /// The same with a body, and status 201.
    pub(crate) fn creating(self, body: &str) -> Self {
        Self {
            body: Some(body.to_owned()),
            status: StatusCode::CREATED,
            ..self
        }
    }

    /// The list of a kind of record.
    pub(crate) fn list<R: Resource>() -> Self {
        let plural = pascal(R::LIST);
        let (id, page) = (format!("list{plural}"), format!("{}Page", pascal(R::NAME)));
        let summary = format!("List {}", R::LIST);
        Self {
            query: parameters::<R::Query>(),
            ..Self::new(&id, &plural, &summary, &page)
        }
    }

    /// The list of a kind of row, read-only for clients.
    pub(crate) fn rows<R: Listed>() -> Self {
        let (plural, page) = (pascal(R::LIST), format!("{}Page", pascal(R::NAME)));
        let summary = format!("List {}", R::LIST);
        Self {
            query: parameters::<R::Query>(),
            ..Self::new(&format!("list{plural}"), &plural, &summary, &page)
        }
    }

    /// The reading of a row, read-only for clients.
    pub(crate) fn row<R: Readable>() -> Self {
        Self::of_one(
            "get",
            R::NAME,
            R::LIST,
            &format!("Get {}", with_article(R::NAME)),
        )
    }

    /// The creation of a record.
    pub(crate) fn create<R: Resource>() -> Self {
        Self {
            body: Some(format!("{}Create", pascal(R::NAME))),
            status: StatusCode::CREATED,
            ..Self::of_record::<R>("create", &format!("Create {}", with_article(R::NAME)))
        }
    }

    /// The reading of a record.
    pub(crate) fn get<R: Resource>() -> Self {
        Self::of_record::<R>("get", &format!("Get {}", with_article(R::NAME)))
    }

    /// The change of a record.
    pub(crate) fn update<R: Resource>() -> Self {
        Self {
            body: Some(format!("{}Update", pascal(R::NAME))),
            ..Self::of_record::<R>("update", &format!("Update {}", with_article(R::NAME)))
        }
    }

    /// The deletion of a record.
    pub(crate) fn delete<R: Resource>() -> Self {
        Self {
            status: StatusCode::NO_CONTENT,
            answer: None,
            ..Self::of_record::<R>("delete", &format!("Delete {}", with_article(R::NAME)))
        }
    }

    /// The batch of a kind of record.
    pub(crate) fn batch<R: Upsert>() -> Self {
        let (name, plural) = (pascal(R::NAME), R::LIST);
        let most = <R::Input as BatchInput>::MAX_ITEMS;
        let summary = format!("Create or update up to {most} {plural}");
        Self {
            body: Some(format!("{name}Batch")),
            ..Self::new(
                &format!("write{name}Batch"),
                &pascal(plural),
                &summary,
                &format!("{name}BatchResultSingle"),
            )
        }
    }

    fn of_record<R: Resource>(verb: &str, summary: &str) -> Self {
        Self::of_one(verb, R::NAME, R::LIST, summary)
    }

    fn of_one(verb: &str, name: &str, list: &str, summary: &str) -> Self {
        let name = pascal(name);
        let answer = format!("{name}Single");
        Self::new(&format!("{verb}{name}"), &pascal(list), summary, &answer)
    }
}

fn parameters<Q: Query>() -> Vec<QueryParameter> {
    let parameter = |p: &Parameter<Q>| QueryParameter {
        name: p.name,
        about: p.about,
        kind: p.kind,
    };
    Q::PARAMETERS.iter().map(parameter).collect()
}

/// A noun with its article.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// A name in the spelling of types: `option groups` is `OptionGroups`.
fn pascal(name: &str) -> String {
    let mut pascal = String::new();
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        pascal.push_str(&first.to_ascii_uppercase());
        pascal.push_str(rest);
    }
    pascal
}
