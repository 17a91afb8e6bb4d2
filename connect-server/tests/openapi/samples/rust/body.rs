//! The body of a call, made with the setters of the SDK.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{super::operation::schema_name, expression::Expression, snake_case};

/// The functions that make an input of some of its fields. The first that finds all of its fields is
/// used, and `default` where there is none.
const CONSTRUCTORS: [(&str, &str, &[&str]); 8] = [
    ("CategoryInput", "named", &["name"]),
    ("OptionGroupInput", "named", &["name", "options"]),
    ("OptionGroupRef", "by_id", &["id"]),
    ("OptionGroupRef", "by_external_id", &["externalId"]),
    ("OptionInput", "named", &["name"]),
    ("PaymentInput", "of", &["method", "amountCents"]),
    ("ProductInput", "named", &["name"]),
    ("StockCount", "of", &["quantity"]),
];

/// The types of fields that hold one of some words.
const WORDS: [(&str, &str, &str); 5] = [
    ("OrderChange", "status", "OrderStatus"),
    ("OrderInput", "fulfilment", "Fulfilment"),
    ("PaymentInput", "method", "PaymentMethod"),
    ("StockAdjustment", "type", "AdjustmentType"),
    ("TransactionInput", "type", "TransactionType"),
];

/// Makes expressions of examples, and collects the names that they need of `connect_client::wire`.
pub(super) struct Bodies<'a> {
    /// The schemas of the document.
    pub(super) schemas: &'a Value,
    pub(super) names: BTreeSet<String>,
}

impl Bodies<'_> {
    /// The list of inputs of a type, each with this schema.
    pub(super) fn list(&mut self, of: &str, schema: &Value, entries: &Value) -> Expression {
        let entries = entries.as_array().unwrap().iter();
        Expression::List(entries.map(|entry| self.input(of, schema, entry)).collect())
    }

    /// The input of a type, from its schema and an example.
    pub(super) fn input(&mut self, of: &str, schema: &Value, example: &Value) -> Expression {
        self.name(of);
        let schema = match schema_name(schema) {
            "" => schema,
            name => &self.schemas[name],
        };
        let example = example.as_object().unwrap();
        let mut constructors = CONSTRUCTORS.iter();
        let constructor = constructors.find(|(made, _, fields)| {
            *made == of && fields.iter().all(|field| example.contains_key(*field))
        });
        let (made_by, taken) =
            constructor.map_or(("default", &[][..]), |(_, name, taken)| (*name, *taken));
        let mut value = |field: &str| {
            let schema = &schema["properties"][field];
            assert!(schema.is_object(), "{of} has no field {field}");
            self.value((of, field), schema, &example[field])
        };
        let arguments = taken.iter().map(|field| value(field)).collect();
        let mut calls = vec![(format!("{of}::{made_by}"), arguments)];
        for field in example.keys().filter(|field| !taken.contains(&&***field)) {
            calls.push((setter(field), vec![value(field)]));
        }
        Expression::Chain(calls)
    }

    /// The value of a field of a type.
    fn value(&mut self, field: (&str, &str), schema: &Value, value: &Value) -> Expression {
        let word = match value {
            Value::Null => {
                self.name("Field");
                "Field::Null".to_owned()
            }
            Value::Number(number) => match (schema["x-decimals"].as_u64(), number.as_u64()) {
                (Some(2), Some(percent)) => {
                    self.name("VatRate");
                    format!("VatRate::percent({percent})")
                }
                (Some(2), None) => self.parsed(number, "VatRate"),
                (Some(_), _) => self.parsed(number, "Quantity"),
                (None, _) => number.to_string(),
            },
            Value::String(text) => match schema["format"].as_str() {
                Some("uuid") => {
                    self.name("Id");
                    format!("\"{text}\".parse::<Id<_>>()?")
                }
                Some("date") => self.parsed(text, "Date"),
                Some("date-time") => self.parsed(text, "Timestamp"),
                _ if schema["enum"].is_array() => self.word(field, text),
                _ => format!("{text:?}"),
            },
            Value::Array(entries) => {
                let schema = &schema["items"];
                return match schema_name(schema) {
                    "" => {
                        Expression::List(entries.iter().map(|it| self.entry(it, schema)).collect())
                    }
                    of => self.list(of, schema, value),
                };
            }
            other => other.to_string(),
        };
        Expression::Word(word)
    }

    /// An entry of a list of ids or texts.
    fn entry(&mut self, entry: &Value, schema: &Value) -> Expression {
        match (entry, schema["format"].as_str()) {
            (Value::String(text), None) => Expression::Word(format!("{text:?}.to_owned()")),
            _ => self.value(("", ""), schema, entry),
        }
    }

    fn parsed(&mut self, text: impl std::fmt::Display, kind: &str) -> String {
        self.name(kind);
        format!("\"{text}\".parse::<{kind}>()?")
    }

    /// One of the words of a field: `dine_in` is `Fulfilment::DineIn`.
    fn word(&mut self, (of, field): (&str, &str), word: &str) -> String {
        let mut types = WORDS.iter();
        let found = types.find(|(holder, holds, _)| *holder == of && *holds == field);
        let (.., kind) =
            found.unwrap_or_else(|| panic!("no type for {field} of {of} in {}", file!()));
        self.name(kind);
        let parts = word.split('_').map(|part| {
            let (first, rest) = part.split_at(1);
            first.to_uppercase() + rest
        });
        format!("{kind}::{}", parts.collect::<String>())
    }

    fn name(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }
}

/// The method that sets a field.
fn setter(field: &str) -> String {
    match field {
        "type" => "kind".to_owned(),
        field => snake_case(field),
    }
}
