//! From a write to a request: references become records, and records their ids.

use serde_json::{Value, json};

use super::Session;
use crate::{
    calls::{self, Verb},
    properties::{
        input::{Deed, Write},
        model::{Kind, Names},
    },
};

/// An unused id.
pub(crate) const UNKNOWN: &str = "09090909-0909-7000-8000-000000000909";

/// A write with references to the model's records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) deed: Deed,
    pub(crate) of: Vec<String>,
    pub(crate) body: Value,
    pub(crate) by: usize,
    pub(crate) key: Option<&'static str>,
}

impl Call {
    /// A write of the owner without a key.
    pub(crate) fn new(deed: Deed, body: Value) -> Self {
        Self {
            deed,
            of: Vec::new(),
            body,
            by: 0,
            key: None,
        }
    }

    /// The call with the ids of the service.
    pub(crate) fn to_send(&self, names: &Names) -> calls::Call {
        let id = |at: usize| names.id(&self.of[at]).parse().unwrap();
        let verb = match self.deed {
            Deed::Create(Kind::Category) => Verb::CreateCategory,
            Deed::Create(Kind::Product) => Verb::CreateProduct,
            Deed::Create(_) => Verb::CreateGroup,
            Deed::Update(Kind::Category) => Verb::UpdateCategory(id(0)),
            Deed::Update(Kind::Product) => Verb::UpdateProduct(id(0)),
            Deed::Update(_) => Verb::UpdateGroup(id(0)),
            Deed::Delete(Kind::Category) => Verb::DeleteCategory(id(0)),
            Deed::Delete(Kind::Product) => Verb::DeleteProduct(id(0)),
            Deed::Delete(_) => Verb::DeleteGroup(id(0)),
            Deed::Batch(Kind::Product) => Verb::WriteProducts,
            Deed::Batch(_) => Verb::WriteGroups,
            Deed::UpdateOption => Verb::UpdateOption(id(0), id(1)),
            Deed::Link => Verb::LinkGroups,
            Deed::Count => Verb::Count(id(0)),
            Deed::CountMany => Verb::CountMany,
            Deed::Adjust => Verb::Adjust,
            Deed::Row => Verb::WriteRow,
            Deed::Close => Verb::CloseRegister,
            Deed::Again(_) => unreachable!("the call is known"),
        };
        let key = self.key.map(str::to_owned);
        calls::Call {
            verb,
            body: names.fill(&self.body),
            key,
        }
    }
}

/// The same JSON with records in place of references. `find` gets the name of a kind, which of
/// its records is meant, and the group whose options are meant.
pub(crate) fn resolved(
    value: &Value,
    group: &Value,
    find: &impl Fn(&str, &str, usize, &Value) -> Value,
) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('@') {
            Some(reference) => {
                let mut parts = reference.split('/');
                let mut next = || parts.next().unwrap();
                find(next(), next(), next().parse().unwrap(), group)
            }
            None => value.clone(),
        },
        Value::Array(items) => items
            .iter()
            .map(|item| resolved(item, group, find))
            .collect(),
        Value::Object(fields) => {
            let own = fields.get("id").map(|id| resolved(id, group, find));
            let group = if group.is_null() {
                &own.unwrap_or_default()
            } else {
                group
            };
            let resolved =
                |(name, value): (&String, &Value)| (name.clone(), resolved(value, group, find));
            Value::Object(fields.iter().map(resolved).collect())
        }
        other => other.clone(),
    }
}

impl Session {
    /// The call of a write, by the present state.
    pub(crate) fn resolve(&mut self, write: &Write) -> Option<Call> {
        if let Deed::Again(which) = write.deed {
            let calls = &self.memory.calls;
            return calls.get(usize::from(which) % calls.len().max(1)).cloned();
        }
        let find =
            |kind: &str, which: &str, number, group: &Value| self.find(kind, which, number, group);
        let mut of: Vec<Value> = Vec::new();
        for reference in &write.of {
            let group = of.first().cloned().unwrap_or_default();
            of.push(resolved(reference, &group, &find));
        }
        let group = of.first().cloned().unwrap_or_default();
        let call = Call {
            deed: write.deed,
            body: resolved(&write.body, &group, &find),
            of: of
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect(),
            by: write.by,
            key: write.key,
        };
        self.memory.calls.extend(call.key.map(|_| call.clone()));
        Some(call)
    }

    fn find(&self, kind: &str, which: &str, number: usize, group: &Value) -> Value {
        let of = match kind {
            "category" => Kind::Category,
            "product" => Kind::Product,
            "receipt" => Kind::Receipt,
            _ => Kind::Group,
        };
        let of_group = |row: &&Value| group.is_null() || row["id"] == *group;
        let options = || self.model.rows(Kind::Group).iter().filter(of_group);
        let records: Vec<&Value> = match which {
            "live" if kind == "option" => options()
                .flat_map(|row| row["options"].as_array().unwrap())
                .collect(),
            "live" => self.model.rows(of).iter().collect(),
            "gone" => self.model.gone(of).iter().collect(),
            "foreign" if kind != "option" => {
                return json!(self.model.foreign.get(&of).map_or(UNKNOWN, |id| id));
            }
            _ => Vec::new(),
        };
        let found = records.get(number % records.len().max(1));
        found.map_or(json!(UNKNOWN), |record| record["id"].clone())
    }
}
