//! One operation: its parameters, body, responses and errors, with samples beside them.

use maud::{Markup, html};

use super::{
    document::{Components, Document, Json, Parameter, PathOperation, RequestBody, Response},
    fields::{Named, Shapes},
    markdown::markdown,
};

/// The groups of parameters, in the order shown.
const PLACES: [(&str, &str); 3] = [
    ("path", "Path"),
    ("query", "Query parameters"),
    ("header", "Headers"),
];

/// Shows an operation.
pub(super) fn operation(document: &Document, call: &PathOperation<'_>) -> Markup {
    let components = &document.components;
    let operation = call.operation;
    let responses: Vec<_> = operation
        .responses
        .iter()
        .filter_map(|(status, response)| Some((&status[..], response.of(&components.responses)?)))
        .collect();
    let (errors, answers): (Vec<_>, Vec<_>) = responses
        .iter()
        .partition(|(_, (_, response))| !response.codes.is_empty());
    html! {
        article id=(operation.operation_id) {
            div.text {
                h3 { a href={ "#" (operation.operation_id) } { (operation.summary) } }
                p.call { span class={ "method " (call.method) } { (call.method) } " " code { (call.path) } }
                (markdown(&operation.description))
                (parameters(components, &call.parameters(components)))
                @if let Some(body) = &operation.request_body { (request(components, body)) }
                @for (status, (_, response)) in answers { (answer(components, status, response)) }
                @if !errors.is_empty() {
                    h4 { "Errors" }
                    ul.errors {
                        @for (status, (name, response)) in errors {
                            li { (error(status, name, response)) }
                        }
                    }
                }
            }
            div.code {
                @if operation.samples.is_empty() {
                    @if let Some(example) = operation.request_body.as_ref().and_then(body_example) {
                        (json("Request", example))
                    }
                } @else {
                    (samples(document, call))
                }
                @for (status, (_, response)) in responses {
                    @if response.codes.is_empty()
                        && let Some(example) = response.content.values().find_map(|media| media.example())
                    {
                        (json(&format!("Response {status}"), example))
                    }
                }
            }
        }
    }
}

fn parameters(components: &Components, all: &[&Parameter]) -> Markup {
    let shapes = Shapes::new(components, Named::InFull);
    html! {
        @for (place, title) in PLACES {
            @let here: Vec<_> = all.iter().filter(|parameter| parameter.place == place).collect();
            @if !here.is_empty() {
                h4 { (title) }
                dl {
                    @for parameter in here {
                        (shapes.line_with(
                            &parameter.name,
                            parameter.required,
                            &parameter.description,
                            &parameter.schema,
                            parameter.example.as_ref(),
                        ))
                    }
                }
            }
        }
    }
}

fn request(components: &Components, body: &RequestBody) -> Markup {
    html! {
        h4 { "Body" }
        (markdown(&body.description))
        @for schema in body.content.values().filter_map(|media| media.schema.as_ref()) {
            (Shapes::new(components, Named::InFull).body(schema))
        }
    }
}

fn answer(components: &Components, status: &str, response: &Response) -> Markup {
    html! {
        h4 { "Response " (status) }
        (markdown(&response.description))
        @for schema in response.content.values().filter_map(|media| media.schema.as_ref()) {
            (Shapes::new(components, Named::Linked).body(schema))
        }
        (headers(response))
    }
}

/// Shows the names of a response's headers. One section describes them all.
pub(super) fn headers(response: &Response) -> Markup {
    html! {
        @if !response.headers.is_empty() {
            p.note {
                "Headers: "
                @for (i, name) in response.headers.keys().enumerate() {
                    @if i > 0 { ", " }
                    a href="#headers" { code { (name) } }
                }
            }
        }
    }
}

fn error(status: &str, name: Option<&str>, response: &Response) -> Markup {
    html! {
        @match name {
            Some(name) => a href={ "#error-" (name) } { (status) },
            None => strong { (status) },
        }
        @for code in &response.codes { " " code { (code) } }
        (markdown(&response.description))
    }
}

fn samples(document: &Document, call: &PathOperation<'_>) -> Markup {
    let languages = document.languages();
    let number = |label: &str| languages.get_index_of(label).unwrap_or_default();
    html! {
        div.samples {
            div.tabs aria-hidden="true" {
                @for sample in &call.operation.samples {
                    label for={ "language-" (number(&sample.label)) } { (sample.label) }
                }
            }
            @for sample in &call.operation.samples {
                figure class={ "sample language-" (number(&sample.label)) } {
                    figcaption { (sample.label) }
                    pre tabindex="0" { code { (sample.source) } }
                }
            }
        }
    }
}

/// Shows an example.
pub(super) fn json(title: &str, example: &Json) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            pre tabindex="0" { code { (example.lines()) } }
        }
    }
}

fn body_example(body: &RequestBody) -> Option<&Json> {
    body.content.values().find_map(|media| media.example())
}
