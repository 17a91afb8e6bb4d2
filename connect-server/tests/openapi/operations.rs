//! The paths of the document, from the route table.

use connect_core::wire::{
    limits::{DEFAULT_PAGE_SIZE, MAX_CURSOR_LEN, MAX_PAGE_SIZE},
    query::ParameterKind,
};
use connect_server::{
    endpoint::{Needs, QueryParameter, Route},
    routes::Table,
};
use http::{Method, StatusCode};
use serde_json::{Value, json};

/// Adds an operation for each route of a table. `texts` holds, by operation, what no type tells: a
/// description and examples.
pub(super) fn add(document: &mut Value, table: &Table, mut texts: Value) {
    let base = document["servers"][0]["url"].as_str().unwrap().to_owned();
    for route in table.routes() {
        let id = &route.operation.id;
        let text = texts.as_object_mut().unwrap().remove(id);
        let path = documented(route.path.strip_prefix(&base).unwrap());
        let item = &mut document["paths"][&path];
        if item.is_null() {
            *item = json!({ "parameters": path_parameters(&path) });
        }
        let method = route.method.as_str().to_lowercase();
        item[method] = operation(route, text.unwrap_or_default());
    }
    assert_eq!(
        texts,
        json!({}),
        "texts for operations that the table does not have"
    );
}

fn shared(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// The path with names of ids that tell in a generated client what they are ids of.
fn documented(path: &str) -> String {
    path.replace("{location}", "{locationId}")
        .replace("/stock/{id}", "/stock/{productId}")
        .replace("/options/{part}", "/options/{optionId}")
}

fn path_parameters(path: &str) -> Vec<Value> {
    let mut names = Vec::new();
    names.extend(path.contains("{locationId}").then_some("LocationId"));
    names.extend(path.contains("{id}").then_some("RecordId"));
    names.extend(path.contains("{productId}").then_some("ProductId"));
    names.extend(path.contains("{optionId}").then_some("OptionId"));
    names.push("RequestId");
    let parameter = |name| shared("parameters", name);
    names.into_iter().map(parameter).collect()
}

fn operation(route: &Route, mut text: Value) -> Value {
    let operation = &route.operation;
    let needs = match &route.needs {
        Needs::Nothing | Needs::Screen(_) => String::new(),
        Needs::Scope(scope) => format!("Needs `{scope}`. "),
        Needs::AnyScope(scopes) => {
            let names: Vec<_> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
            format!("Needs {}. ", names.join(" or "))
        }
    };
    let more = text["description"].as_str().unwrap_or_default();
    let mut parameters: Vec<_> = operation.query.iter().map(parameter).collect();
    if is_write(route) {
        parameters.push(shared("parameters", "IdempotencyKey"));
    }
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": format!("{needs}{more}").trim_end(),
    });
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(body) = &operation.body {
        let content = content(body, text["request"].take());
        described["requestBody"] = json!({ "required": true, "content": content });
    }
    let mut responses = json!({ operation.status.as_str(): success(route, text["answer"].take()) });
    for (status, name) in errors(route) {
        responses[status.to_string()] = shared("responses", name);
    }
    described["responses"] = responses;
    described
}

fn is_write(route: &Route) -> bool {
    route.method != Method::GET
}

/// A write of many records tells what became of each: nothing is wrong with it as a whole when
/// something is with some.
fn is_bulk(route: &Route) -> bool {
    let is_about_many = matches!(route.method, Method::POST | Method::PUT);
    is_about_many && !route.path.contains("{id}") && route.operation.status == StatusCode::OK
}

fn content(schema: &str, example: Value) -> Value {
    let mut content = json!({ "schema": shared("schemas", schema) });
    if !example.is_null() {
        content["example"] = example;
    }
    json!({ "application/json": content })
}

fn success(route: &Route, example: Value) -> Value {
    let operation = &route.operation;
    let mut headers = json!({
        "X-RateLimit-Limit": shared("headers", "RateLimit"),
        "X-RateLimit-Remaining": shared("headers", "RateRemaining"),
        "X-RateLimit-Reset": shared("headers", "RateReset"),
    });
    headers["X-Request-Id"] = shared("headers", "RequestId");
    if operation
        .query
        .iter()
        .any(|parameter| parameter.kind == ParameterKind::Cursor)
    {
        headers["Connect-State"] = shared("headers", "State");
    }
    if is_write(route) {
        headers["Idempotent-Replayed"] = shared("headers", "Replayed");
    }
    let description = match (operation.status.as_u16(), route.method.as_str()) {
        (201, _) => "The record as it was saved.",
        (204, _) => "Deleted.",
        _ if is_bulk(route) => "The result of each item.",
        (_, "PATCH" | "PUT") => "The record as it is now.",
        _ => "The answer.",
    };
    let mut success = json!({ "description": description, "headers": headers });
    if let Some(answer) = &operation.answer {
        success["content"] = content(answer, example);
    }
    success
}

/// The errors that an endpoint of this form can give, with the responses that describe them.
fn errors(route: &Route) -> Vec<(u16, &'static str)> {
    let (is_write, has_body) = (is_write(route), route.operation.body.is_some());
    let (has_location, has_id) = (
        route.path.contains("{location}"),
        route.path.contains("{id}"),
    );
    let forbidden = match (&route.needs, has_location) {
        (Needs::Screen(_), _) => "ForbiddenScreen",
        (_, false) => "ForbiddenAnywhere",
        _ if has_body && !is_bulk(route) => "ForbiddenWrite",
        _ => "Forbidden",
    };
    let missing = if is_write && has_id {
        "WriteNotFound"
    } else {
        "NotFound"
    };
    let errors = [
        (true, 400, if is_write { "BadWrite" } else { "BadRequest" }),
        (true, 401, "Unauthorized"),
        (true, 403, forbidden),
        (has_location || has_id, 404, missing),
        (is_write, 408, "BodyTooSlow"),
        (is_write, 409, "Conflict"),
        (is_write, 413, "PayloadTooLarge"),
        (is_write, 415, "UnsupportedEncoding"),
        (is_write && has_body, 422, "Invalid"),
        (true, 429, "RateLimited"),
        (true, 500, "ServerError"),
        (true, 503, "Busy"),
    ];
    let given = errors.into_iter().filter(|(is_given, ..)| *is_given);
    given.map(|(_, status, name)| (status, name)).collect()
}

fn parameter(parameter: &QueryParameter) -> Value {
    let schema = match parameter.kind {
        ParameterKind::PageSize => json!({
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_PAGE_SIZE,
        }),
        ParameterKind::Cursor => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_CURSOR_LEN,
            "pattern": "^[A-Za-z0-9._~-]+$",
        }),
        ParameterKind::Time => json!({
            "type": "string",
            "format": "date-time",
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?\
                        ([Zz]|[+-][0-9]{2}:[0-9]{2})$",
        }),
        ParameterKind::Moment => json!({
            "type": "string",
            "anyOf": [{ "format": "date" }, { "format": "date-time" }],
        }),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::Text(longest) => {
            json!({ "type": "string", "minLength": 1, "maxLength": longest })
        }
        ParameterKind::Id => json!({ "type": "string", "format": "uuid" }),
        ParameterKind::Day => json!({ "type": "string", "format": "date" }),
        ParameterKind::Whole => json!({ "type": "integer", "minimum": 0 }),
        ParameterKind::Word(words) => json!({ "type": "string", "enum": words }),
    };
    let about = parameter.about;
    json!({
        "name": parameter.name,
        "in": "query",
        // Not in the schema: generated clients send a default that stands there.
        "description": match parameter.kind {
            ParameterKind::PageSize => format!("{about} {DEFAULT_PAGE_SIZE} by default."),
            _ => about.to_owned(),
        },
        "schema": schema,
    })
}
