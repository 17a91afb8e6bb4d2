//! The API reference at `/v1/docs` and at `/device/v1/docs`.

use std::{collections::BTreeSet, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use connect_core::{Connect, storage::memory::MemoryStorage};
use http::{HeaderMap, Response};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use warp::Filter as _;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Sends a request without a token.
async fn send(method: &str, path: &str) -> Response<Bytes> {
    let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
    let site = connect_server::api(connect.clone()).or(connect_server::device_api(connect));
    let request = warp::test::request().method(method).path(path);
    request.reply(&site).await
}

async fn page(path: &str) -> (HeaderMap, String) {
    let answer = send("GET", path).await;
    assert_eq!(answer.status(), 200, "{path}");
    let (head, body) = answer.into_parts();
    (head.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// The values of an attribute.
fn attributes<'a>(html: &'a str, name: &str) -> BTreeSet<&'a str> {
    let marker = format!(" {name}=\"");
    let values = html.split(&marker[..]).skip(1);
    values.map(|rest| rest.split('"').next().unwrap()).collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    text.replace('/', "&#x2f;").replace('\'', "&#x27;")
}

/// The part of the page that is about an operation.
fn article<'a>(html: &'a str, id: &str) -> &'a str {
    let start = html.find(&format!("<article id=\"{id}\""));
    let rest = &html[start.unwrap_or_else(|| panic!("{id} is not on the page"))..];
    &rest[..rest.find("</article>").unwrap()]
}

#[tokio::test]
async fn every_operation_is_there_with_its_fields_and_samples() {
    for folder in ["/v1", "/device/v1"] {
        let (_, html) = page(&format!("{folder}/docs")).await;
        let document = send("GET", &format!("{folder}/openapi.json")).await;
        let document: Value = serde_json::from_slice(document.body()).unwrap();
        let mut seen = 0;
        for part in ["paths", "webhooks"] {
            for (path, item) in document[part].as_object().into_iter().flatten() {
                for method in METHODS {
                    let Some(operation) = item.get(method) else {
                        continue;
                    };
                    seen += 1;
                    let id = operation["operationId"].as_str().unwrap();
                    let article = article(&html, id);
                    assert!(article.contains(&escaped(path)), "{id}: {path}");
                    assert!(article.contains(&method.to_uppercase()), "{id}: {method}");
                    let summary = operation["summary"].as_str().unwrap();
                    assert!(article.contains(&escaped(summary)), "{id}: {summary}");
                    for sample in operation["x-codeSamples"].as_array().into_iter().flatten() {
                        let source = sample["source"].as_str().unwrap();
                        assert!(article.contains(&escaped(source)), "{id}: {source}");
                    }
                    for (status, _) in operation["responses"].as_object().into_iter().flatten() {
                        assert!(article.contains(status), "{id}: {status}");
                    }
                    for field in fields(&document, operation) {
                        let shown = format!("<code class=\"name\">{}</code>", escaped(&field));
                        assert!(article.contains(&shown), "{id}: {field}");
                    }
                }
            }
        }
        assert!(seen > 4, "{folder} has {seen} operations");
        for (name, _) in document["components"]["schemas"].as_object().unwrap() {
            article(&html, &format!("schema-{name}"));
        }
    }
}

/// The names of the parameters and of the fields of the body.
fn fields(document: &Value, operation: &Value) -> Vec<String> {
    let resolve = |part: &Value| match part["$ref"].as_str() {
        Some(path) => document.pointer(&path[1..]).unwrap().clone(),
        None => part.clone(),
    };
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let mut names: Vec<String> = parameters
        .map(|parameter| resolve(parameter)["name"].as_str().unwrap().to_owned())
        .collect();
    let body = resolve(&operation["requestBody"]["content"]["application/json"]["schema"]);
    let fields = body["properties"].as_object().into_iter().flatten();
    names.extend(fields.map(|(name, _)| name.clone()));
    names
}

#[tokio::test]
async fn nothing_comes_from_elsewhere_and_every_link_leads_somewhere() {
    for path in ["/v1/docs", "/device/v1/docs"] {
        let (headers, html) = page(path).await;
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
        let lower = html.to_lowercase();
        for forbidden in [
            "<script", "<iframe", "<img", "<object", " src=", "@import", "url(",
        ] {
            assert!(!lower.contains(forbidden), "{path} has {forbidden}");
        }
        let ids = attributes(&html, "id");
        for link in attributes(&html, "href") {
            let leads = match link.strip_prefix('#') {
                Some(id) => ids.contains(id),
                None => matches!(link, "openapi.json" | "data:,"),
            };
            assert!(leads, "{path} has a link to {link}");
        }
        assert_eq!(html.matches(" id=\"").count(), ids.len(), "an id twice");

        let style = html.split("<style>").nth(1).unwrap();
        let style = style.split("</style>").next().unwrap();
        let hash = BASE64_STANDARD.encode(Sha256::digest(style));
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(policy.contains(&format!("style-src 'sha256-{hash}';")));
        assert!(!html.contains(" style=\""), "the policy forbids it");
    }
}

#[tokio::test]
async fn it_is_asked_for_as_the_document_is() {
    let head = send("HEAD", "/v1/docs").await;
    assert_eq!(head.status(), 200);
    assert!(head.headers().contains_key("x-ratelimit-remaining"));
    assert!(head.headers().contains_key("x-request-id"));
    let other = send("POST", "/v1/docs").await;
    assert_eq!(other.status(), 405);
    assert_eq!(other.headers()["allow"], "GET, HEAD");
    assert_eq!(send("GET", "/v1/docs?page=2").await.status(), 400);
    assert_eq!(send("GET", "/v1/docs/products").await.status(), 401);
}

#[test]
fn what_a_document_says_is_text() {
    let evil = r#"<script>alert("x")</script>"#;
    let document = serde_json::json!({
        "info": { "title": evil, "version": evil, "description": evil },
        "servers": [{ "url": evil }],
        "tags": [{ "name": "T", "description": evil }],
        "paths": { "/<script>": { "get": {
            "operationId": "get", "tags": ["T"], "summary": evil, "description": evil,
            "parameters": [{
                "name": "<script>", "in": "query", "description": evil,
                "schema": { "type": "string", "pattern": "<script>", "const": "<script>" },
                "example": "<script>",
            }],
            "responses": { "200": { "description": evil, "content": { "application/json": {
                "schema": { "type": "object", "properties": { "<script>": { "type": "<script>" } } },
                "example": { "<script>": evil },
            } } } },
            "x-codeSamples": [{ "label": "<script>", "source": "<script>" }],
        } } },
    });
    let html = connect_server::docs::render(&document.to_string()).unwrap();
    let html = html.html;
    assert!(!html.contains("<script"), "{html}");
    // Each of the texts above is on the page: the title three times.
    assert!(html.matches("&lt;script&gt;").count() >= 22, "{html}");
}
