//! The fields of a shape: name, type, description, allowed values, an example.

use maud::{Markup, html};
use serde_json::Value;

use super::{
    document::{Components, Json, Map, Schema},
    markdown::markdown,
};

/// The most levels of nested objects shown.
const DEEPEST: usize = 6;

/// The way a shape with a name of its own is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// With its fields, so all of a request can be read in one place.
    InFull,
    /// As a link to it.
    Linked,
}

/// A writer of shapes.
#[derive(Clone, Copy)]
pub(super) struct Shapes<'a> {
    schemas: &'a Map<Schema>,
    named: Named,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(components: &'a Components, named: Named) -> Self {
        Self {
            schemas: &components.schemas,
            named,
        }
    }

    /// Shows the fields of an object, or the type of any other shape.
    pub(super) fn body(self, schema: &'a Schema) -> Markup {
        let shape = self.resolve(schema);
        html! {
            @if shape.properties.is_empty() {
                p { (self.kind(shape)) }
                (allowed(shape))
            } @else {
                (self.fields(shape, 0))
            }
        }
    }

    /// Shows a line for a named value, such as a parameter or a header.
    pub(super) fn line(self, name: &str, required: bool, text: &str, schema: &'a Schema) -> Markup {
        self.entry(name, required, text, schema, None, 0)
    }

    /// Shows a [`line`](Self::line) with an example.
    pub(super) fn line_with(
        self,
        name: &str,
        required: bool,
        text: &str,
        schema: &'a Schema,
        example: Option<&Json>,
    ) -> Markup {
        self.entry(name, required, text, schema, example, 0)
    }

    fn fields(self, schema: &'a Schema, depth: usize) -> Markup {
        html! {
            dl {
                @for (name, field) in &schema.properties {
                    @let required = schema.required.contains(name);
                    @let text = match &field.description[..] {
                        "" => &self.resolve(field).description,
                        own => own,
                    };
                    (self.entry(name, required, text, field, field.examples.first(), depth))
                }
            }
        }
    }

    fn entry(
        self,
        name: &str,
        required: bool,
        text: &str,
        schema: &'a Schema,
        example: Option<&Json>,
        depth: usize,
    ) -> Markup {
        html! {
            dt {
                code.name { (name) }
                " " span.kind { (self.kind(schema)) }
                @if required { " " span.required { "required" } }
            }
            dd {
                (markdown(text))
                (allowed(schema))
                @if let Some(example) = example {
                    p.note { "Example: " code { (example.line()) } }
                }
                @if depth < DEEPEST {
                    @for inner in self.inner(schema) {
                        details {
                            summary { "Fields" @if let Some(name) = inner.0 { " of " code { (name) } } }
                            (self.fields(inner.1, depth + 1))
                        }
                    }
                }
            }
        }
    }

    /// Returns the objects within a field to be shown with it.
    fn inner(self, field: &'a Schema) -> Vec<(Option<&'a str>, &'a Schema)> {
        let is_link = field.name().is_some() && self.named == Named::Linked;
        let shape = self.resolve(field);
        if is_link {
            Vec::new()
        } else if !shape.properties.is_empty() {
            vec![(field.name(), shape)]
        } else {
            let parts = shape.items.as_deref().into_iter().chain(shape.choices());
            parts.flat_map(|part| self.inner(part)).collect()
        }
    }

    /// Shows the type in words.
    fn kind(self, schema: &'a Schema) -> Markup {
        if let (Some(name), Named::Linked) = (schema.name(), self.named) {
            return html! { a href={ "#schema-" (name) } { (name) } };
        }
        let shape = self.resolve(schema);
        if !shape.choices().is_empty() {
            return html! {
                @for (i, choice) in shape.choices().iter().enumerate() {
                    @if i > 0 { " or " }
                    (self.kind(choice))
                }
            };
        }
        let types = shape.types.as_slice();
        html! {
            @for (i, name) in types.iter().enumerate() {
                @if i > 0 { " or " }
                @match (&name[..], &shape.items, &shape.format) {
                    ("array", Some(items), _) => { "array of " (self.kind(items)) }
                    ("string", _, Some(format)) => { "string, " (format) }
                    (name, ..) => { (name) }
                }
            }
            @if types.is_empty() { "any value" }
        }
    }

    /// Follows a reference.
    fn resolve(self, schema: &'a Schema) -> &'a Schema {
        let named = schema.name().and_then(|name| self.schemas.get(name));
        named.unwrap_or(schema)
    }
}

/// Lists the values allowed for a field.
fn allowed(schema: &Schema) -> Markup {
    let values = |values: &[Json]| values.iter().map(Json::line).collect::<Vec<_>>();
    let mut limits = Vec::new();
    limits.extend(range(&schema.minimum, &schema.maximum));
    limits.extend(count(schema.min_length, schema.max_length, "characters"));
    limits.extend(count(schema.min_items, schema.max_items, "items"));
    limits.extend(
        schema
            .decimals
            .map(|most| format!("at most {most} decimals")),
    );
    // The pattern of a format only repeats the format.
    let pattern = schema.pattern.as_ref().filter(|_| schema.format.is_none());
    html! {
        @if let Some(value) = &schema.constant {
            p.note { "Always " code { (value.line()) } }
        }
        @if !schema.values.is_empty() {
            p.note { "One of " (codes(&values(&schema.values))) }
        }
        @if !schema.values_so_far.is_empty() {
            p.note { "One of " (codes(&values(&schema.values_so_far))) "; there may be more later" }
        }
        @if !limits.is_empty() { p.note { "Allowed: " (limits.join(", ")) } }
        @if let Some(pattern) = pattern { p.note { "Pattern: " code { (pattern) } } }
    }
}

fn codes(values: &[String]) -> Markup {
    html! {
        @for (i, value) in values.iter().enumerate() {
            @if i > 0 { ", " }
            code { (value) }
        }
    }
}

fn range(least: &Option<Value>, most: &Option<Value>) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("{least} or more")),
        (None, Some(most)) => Some(format!("{most} or less")),
        (None, None) => None,
    }
}

fn count(least: Option<u64>, most: Option<u64>, what: &str) -> Option<String> {
    match (least, most) {
        (None | Some(0), Some(most)) => Some(format!("at most {most} {what}")),
        (Some(least), Some(most)) if least == most => Some(format!("{most} {what}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most} {what}")),
        (Some(least), None) if least > 0 => Some(format!("at least {least} {what}")),
        _ => None,
    }
}
