//! The page as a whole.
//! Its parts are introduction, contents, operations by tag, webhooks, errors and objects.

use maud::{Markup, PreEscaped, html};

use super::{
    document::{Document, Response},
    fields::{Named, Shapes},
    markdown::markdown,
    operation::{headers, json, operation},
};
use crate::dashboard::html_document;

/// The tag of requests sent by the service.
/// Its operations are the webhooks of the document.
const WEBHOOKS: &str = "Webhooks";

/// Renders the page.
pub(super) fn page(document: &Document, style: &str) -> Markup {
    let info = &document.info;
    let body = html! {
        a.skip href="#content" { "Skip to the content" }
        header { (top(document)) }
        nav aria-label="Contents" { (contents(document)) }
        main id="content" {
            section id="introduction" {
                h1 { (info.title) " API reference" }
                (introduction(document))
            }
            details.contents { summary { "Contents" } (contents(document)) }
            @for tag in &document.tags {
                @let is_webhooks = tag.name == WEBHOOKS;
                section id={ "tag-" (tag.name) } {
                    h2 { (title(&tag.name)) }
                    (markdown(&tag.description))
                    @for call in document.tagged(&tag.name) { (operation(document, &call)) }
                    @if is_webhooks {
                        @for call in document.events() { (operation(document, &call)) }
                    }
                }
            }
            (errors(document))
            (response_headers(document))
            (objects(document))
        }
    };
    let title = format!("{} API reference", info.title);
    html_document(&title, &html! { style { (PreEscaped(style)) } }, &body)
}

/// Shows the bar at the top.
/// Choosing a language there chooses it for all samples.
fn top(document: &Document) -> Markup {
    html! {
        a.brand href="#introduction" { (document.info.title) }
        fieldset {
            legend { "Language of the samples" }
            @for (i, language) in document.languages().into_iter().enumerate() {
                input type="radio" name="language" id={ "language-" (i) } checked[i == 0];
                label for={ "language-" (i) } { (language) }
            }
        }
    }
}

fn introduction(document: &Document) -> Markup {
    html! {
        p.note {
            "Version " (document.info.version) ". For programs: "
            a href="openapi.json" { "openapi.json" } " (OpenAPI 3.1)."
        }
        @if let Some(server) = document.servers.first() {
            p { "Base address: " code { (server.url) } }
        }
        (markdown(&document.info.description))
        @for (name, scheme) in &document.components.security_schemes {
            h2 id={ "security-" (name) } { "Authentication" }
            (markdown(&scheme.description))
        }
    }
}

fn contents(document: &Document) -> Markup {
    html! {
        ul {
            @for tag in &document.tags {
                li {
                    a href={ "#tag-" (tag.name) } { (title(&tag.name)) }
                    ul {
                        @let events = document.events().filter(|_| tag.name == WEBHOOKS);
                        @for call in document.tagged(&tag.name).chain(events) {
                            li { a href={ "#" (call.operation.operation_id) } { (call.operation.summary) } }
                        }
                    }
                }
            }
            li { a href="#errors" { "Errors" } }
            li { a href="#headers" { "Headers of responses" } }
            li { a href="#objects" { "Objects" } }
        }
    }
}

fn errors(document: &Document) -> Markup {
    html! {
        section id="errors" {
            h2 { "Errors" }
            p { "Each error has a status, and a body of one shape, " a href="#schema-ErrorBody" { "ErrorBody" } "." }
            @for (name, response) in &document.components.responses {
                article id={ "error-" (name) } { (error(name, response)) }
            }
        }
    }
}

fn error(name: &str, response: &Response) -> Markup {
    html! {
        div.text {
            h3 { (title(name)) }
            p.call { @for code in &response.codes { code { (code) } " " } }
            (markdown(&response.description))
            (headers(response))
        }
        div.code {
            @if let Some(example) = response.content.values().find_map(|media| media.example()) {
                (json("Body", example))
            }
        }
    }
}

fn response_headers(document: &Document) -> Markup {
    let shapes = Shapes::new(&document.components, Named::Linked);
    html! {
        section id="headers" {
            h2 { "Headers of responses" }
            dl {
                @for (name, header) in document.headers() {
                    (shapes.line(name, false, &header.description, &header.schema))
                }
            }
        }
    }
}

fn objects(document: &Document) -> Markup {
    let shapes = Shapes::new(&document.components, Named::Linked);
    html! {
        section id="objects" {
            h2 { "Objects" }
            p { "The shapes of requests and responses, by name." }
            @for (name, schema) in &document.components.schemas {
                article id={ "schema-" (name) } {
                    div.text {
                        h3 { a href={ "#schema-" (name) } { (name) } }
                        (markdown(&schema.description))
                        (shapes.body(schema))
                    }
                }
            }
        }
    }
}

/// Returns a name of several words as a title: `ZReports` is "Z reports".
fn title(name: &str) -> String {
    let mut title = String::with_capacity(name.len() + 4);
    for (i, letter) in name.char_indices() {
        if i > 0 && letter.is_ascii_uppercase() {
            title.push(' ');
            title.push(letter.to_ascii_lowercase());
        } else {
            title.push(letter);
        }
    }
    title
}
