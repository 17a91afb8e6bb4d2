//! The checker itself: it lets good responses pass and names what is wrong with bad ones.

use bytes::Bytes;
use connect_tests::{
    check::Checker,
    http::{Answer, Request},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use serde_json::{Value, json};

const PLACE: &str = "/v1/locations/019a8c52-7d10-7a31-9f0e-3b1c5d7e9a01";

/// The answer to `request`, with the headers that every answer has.
fn answer(request: Request, status: u16, body: &str) -> Answer {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("x-ratelimit-limit", "120"),
        ("x-ratelimit-remaining", "119"),
        ("x-ratelimit-reset", "1795000020"),
        ("x-request-id", "r-1"),
        ("content-type", "application/json"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    let (path, _) = request
        .target
        .split_once('?')
        .unwrap_or((&request.target, ""));
    let is_list = path.ends_with("/categories") || path.ends_with("/products");
    if is_list && request.method == Method::GET && status == 200 {
        let state = HeaderValue::from_static("2026-11-20T10:00:00.000000Z");
        headers.insert("connect-state", state);
    }
    Answer {
        request,
        status: StatusCode::from_u16(status).unwrap(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn with(mut answer: Answer, name: &'static str, value: &'static str) -> Answer {
    answer.headers.append(name, HeaderValue::from_static(value));
    answer
}

fn without(mut answer: Answer, name: &str) -> Answer {
    answer.headers.remove(name);
    answer
}

fn good(answer: &Answer) {
    let faults = Checker::v1().faults(answer);
    assert!(faults.is_empty(), "{faults:?}");
}

/// The answer has a fault that is described with these words.
fn bad(answer: &Answer, words: &str) {
    let faults = Checker::v1().faults(answer);
    let named = faults.iter().any(|fault| fault.contains(words));
    assert!(named, "wanted {words:?}, found {faults:?}");
}

fn category() -> Value {
    json!({
        "id": "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02",
        "name": "Bread",
        "isActive": true,
        "position": 1,
        "createdAt": "2026-11-20T09:15:30.123456Z",
        "updatedAt": "2026-11-20T09:15:30.123456Z",
    })
}

fn get_category() -> Request {
    Request::get(format!(
        "{PLACE}/categories/019a8c52-8e20-7c42-8a1f-4c2d6e8fab02"
    ))
}

fn single(data: &Value) -> Answer {
    answer(get_category(), 200, &json!({ "data": data }).to_string())
}

fn page(target: &str, data: &Value) -> Answer {
    let body = json!({ "data": data, "nextCursor": null }).to_string();
    answer(Request::get(format!("{PLACE}{target}")), 200, &body)
}

fn failure(status: u16, code: &str) -> Answer {
    let body = json!({ "error": { "code": code, "message": "limit: is wrong", "field": "limit" } })
        .to_string();
    answer(Request::get(format!("{PLACE}/categories")), status, &body)
}

#[test]
fn good_answers_pass() {
    good(&single(&category()));
    good(&page("/categories", &json!([category()])));
    good(&failure(400, "validation_failed"));
    good(&failure(403, "forbidden_location"));
    good(&with(failure(429, "rate_limited"), "retry-after", "17"));
    let deleted = answer(Request::delete(get_category().target), 204, "");
    good(&without(deleted, "content-type"));
    // Paths outside the document are none of its business.
    good(&answer(Request::get("/healthz"), 418, "tea"));
}

#[test]
fn an_undocumented_status_is_a_fault() {
    bad(&failure(418, "teapot"), "418");
    bad(&failure(409, "conflict"), "409");
    bad(&answer(get_category(), 204, ""), "204");
}

#[test]
fn a_missing_repeated_or_malformed_header_is_a_fault() {
    let good = || single(&category());
    bad(
        &without(good(), "x-ratelimit-limit"),
        "X-RateLimit-Limit is missing",
    );
    bad(&without(good(), "x-request-id"), "X-Request-Id is missing");
    bad(&with(good(), "x-ratelimit-limit", "120"), "stands 2 times");
    bad(
        &with(
            without(good(), "x-ratelimit-reset"),
            "x-ratelimit-reset",
            "soon",
        ),
        "X-RateLimit-Reset",
    );
    bad(
        &with(
            without(good(), "x-ratelimit-reset"),
            "x-ratelimit-reset",
            "1795000021",
        ),
        "X-RateLimit-Reset",
    );
    bad(
        &with(
            without(good(), "x-ratelimit-remaining"),
            "x-ratelimit-remaining",
            "-1",
        ),
        "X-RateLimit-Remaining",
    );
    bad(
        &with(
            without(good(), "x-ratelimit-remaining"),
            "x-ratelimit-remaining",
            "121",
        ),
        "121 requests remain of 120",
    );
    bad(
        &with(without(good(), "x-request-id"), "x-request-id", "a b"),
        "X-Request-Id",
    );
    bad(&failure(429, "rate_limited"), "Retry-After is missing");
    let list = || {
        let request = Request::get(format!("{PLACE}/categories"));
        answer(request, 200, r#"{"data":[],"nextCursor":null}"#)
    };
    self::good(&list());
    let stateless = without(list(), "connect-state");
    bad(&stateless, "header Connect-State is missing");
    bad(&with(stateless, "connect-state", "today"), "Connect-State");
}

#[test]
fn a_header_where_it_does_not_belong_is_a_fault() {
    bad(
        &with(single(&category()), "idempotent-replayed", "true"),
        "Idempotent-Replayed",
    );
    bad(
        &with(single(&category()), "retry-after", "1"),
        "Retry-After",
    );
    bad(
        &with(
            single(&category()),
            "connect-state",
            "2026-11-20T10:00:00.000000Z",
        ),
        "Connect-State",
    );
    bad(
        &with(single(&category()), "access-control-allow-origin", "*"),
        "CORS",
    );
}

#[test]
fn the_request_id_that_was_sent_comes_back() {
    let named = |id: &str| Answer {
        request: get_category().header("x-request-id", id),
        ..single(&category())
    };
    good(&named("r-1"));
    good(&named("not an id"));
    bad(&named("r-2"), "not r-2 as it was sent");
}

#[test]
fn a_body_that_is_not_as_the_schema_wants_it_is_a_fault() {
    let changed = |key: &str, value: Value| {
        let mut category = category();
        category[key] = value;
        single(&category)
    };
    bad(&changed("colour", json!("red")), "colour");
    bad(&changed("name", json!("")), "/data/name");
    bad(&changed("name", json!(" Bread")), "/data/name");
    bad(&changed("position", json!(1_000_001)), "/data/position");
    bad(
        &changed("id", json!("019A8C52-8E20-7C42-8A1F-4C2D6E8FAB02")),
        "/data/id",
    );
    bad(
        &changed("id", json!("4f8c9e52-8e20-4c42-8a1f-4c2d6e8fab02")),
        "/data/id",
    );
    bad(
        &changed("updatedAt", json!("2026-11-20T09:15:30Z")),
        "/data/updatedAt",
    );
    bad(
        &changed("updatedAt", json!("2026-11-20T09:15:30.123456+00:00")),
        "/data/updatedAt",
    );
    let mut lacking = category();
    lacking.as_object_mut().unwrap().remove("position");
    bad(&single(&lacking), "position");
    bad(&answer(get_category(), 200, "{"), "not JSON");
    bad(
        &with(
            without(single(&category()), "content-type"),
            "content-type",
            "text/plain",
        ),
        "Content-Type",
    );
    let deleted = answer(Request::delete(get_category().target), 204, "");
    bad(&deleted, "Content-Type but no body");
}

#[test]
fn an_error_has_the_code_of_its_status_and_nothing_else() {
    bad(&failure(400, "bad_request"), "/error/code");
    bad(&failure(403, "unauthorized"), "/error/code");
    let extra = r#"{"error":{"code":"validation_failed","message":"x","line":"x"}}"#;
    bad(
        &answer(Request::get(format!("{PLACE}/categories")), 400, extra),
        "line",
    );
    let silent = r#"{"error":{"code":"validation_failed","message":""}}"#;
    bad(
        &answer(Request::get(format!("{PLACE}/categories")), 400, silent),
        "/error/message",
    );
}

#[test]
fn a_head_answer_has_no_body() {
    let request = Request::new(http::Method::HEAD, get_category().target);
    good(&answer(request.clone(), 200, ""));
    bad(&answer(request, 200, "{}"), "HEAD has a body");
}

#[test]
fn unknown_paths_and_methods_have_their_own_answers() {
    let body = r#"{"error":{"code":"not_found","message":"path: there is none"}}"#;
    let lost = |target: &str| answer(Request::get(target), 404, body);
    good(&lost("/v1/nowhere"));
    good(&lost(&format!("{PLACE}/categories/")));
    bad(&answer(Request::get("/v1/nowhere"), 200, "{}"), "200");
    let body = r#"{"error":{"code":"method_not_allowed","message":"method: not here"}}"#;
    let put = |allow: &'static str| {
        let request = Request::new(http::Method::PUT, format!("{PLACE}/categories"));
        with(answer(request, 405, body), "allow", allow)
    };
    good(&put("GET, HEAD, POST"));
    bad(&put("GET, POST"), "Allow");
    bad(&put("GET, HEAD, POST, DELETE"), "Allow");
    bad(&put("get, head, post"), "Allow");
    // What the document has is not refused.
    bad(
        &with(answer(get_category(), 405, body), "allow", "GET"),
        "405",
    );
}

#[test]
fn the_fixed_path_goes_before_the_one_with_an_id() {
    let body = r#"{"error":{"code":"method_not_allowed","message":"method: not here"}}"#;
    let request = Request::get(format!("{PLACE}/products/batch"));
    good(&with(answer(request, 405, body), "allow", "POST"));
}

#[test]
fn a_list_is_in_order_and_holds_what_was_asked_for() {
    let entry = |id: u8, second: u8| {
        let mut category = category();
        category["id"] = json!(format!("019a8c52-8e20-7c42-8a1f-4c2d6e8fab{id:02x}"));
        category["updatedAt"] = json!(format!("2026-11-20T09:15:{second:02}.000000Z"));
        category
    };
    good(&page(
        "/categories",
        &json!([entry(2, 1), entry(1, 2), entry(3, 2)]),
    ));
    bad(
        &page("/categories", &json!([entry(2, 2), entry(1, 1)])),
        "order",
    );
    bad(
        &page("/categories", &json!([entry(2, 1), entry(1, 1)])),
        "order",
    );
    bad(
        &page("/categories", &json!([entry(1, 1), entry(1, 1)])),
        "order",
    );
    bad(
        &page("/categories?limit=1", &json!([entry(1, 1), entry(2, 2)])),
        "2 records on a page of 1",
    );
    let since = "/categories?updatedSince=2026-11-20T09:15:02.000000Z";
    good(&page(since, &json!([entry(1, 2)])));
    bad(&page(since, &json!([entry(1, 1)])), "before updatedSince");
    let tombstone = json!([{
        "id": "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02",
        "deleted": true,
        "updatedAt": "2026-11-20T09:15:30.123456Z",
    }]);
    good(&page("/categories?includeDeleted=true", &tombstone));
    bad(&page("/categories", &tombstone), "tombstone");
}

#[test]
fn a_request_that_was_taken_is_one_that_the_document_allows() {
    bad(&page("/categories?limit=0", &json!([])), "limit");
    bad(&page("/categories?limit=+5", &json!([])), "limit");
    bad(&page("/categories?limit=5&limit=5", &json!([])), "twice");
    bad(&page("/categories?colour=red", &json!([])), "colour");
    bad(
        &page("/categories?includeDeleted=yes", &json!([])),
        "includeDeleted",
    );
    let made = |body: &str| {
        let request =
            Request::post(format!("{PLACE}/categories"), &json!({})).body(body.to_owned());
        answer(request, 201, &json!({ "data": category() }).to_string())
    };
    good(&made(r#"{"name":" Bread ","id":7}"#));
    bad(&made(r#"{"name":"Bread","colour":"red"}"#), "colour");
    bad(&made(r#"{"position":1}"#), "name");
    bad(&made(r#"{"name":" "}"#), "name");
    bad(&made("{"), "not JSON");
    let keyed = |key: &str| {
        let made = made(r#"{"name":"Bread"}"#);
        Answer {
            request: made.request.clone().key(key),
            ..made
        }
    };
    good(&keyed("k-1"));
    bad(&keyed("a b"), "Idempotency-Key");
    bad(&keyed(&"k".repeat(101)), "Idempotency-Key");
}

#[test]
fn the_parts_of_a_batch_answer_go_together() {
    let id = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let batch = |counts: [u8; 4], results: Value| {
        let items = json!({ "items": [{ "name": "Rye" }, { "name": 7 }] });
        let request = Request::post(format!("{PLACE}/products/batch"), &items);
        let [created, updated, unchanged, failed] = counts;
        let body = json!({ "data": {
            "created": created, "updated": updated, "unchanged": unchanged, "failed": failed,
            "imagesQueued": 0, "results": results,
        }});
        answer(request, 200, &body.to_string())
    };
    let made = json!({ "index": 0, "status": "created", "id": id });
    let refused = json!({
        "index": 1,
        "status": "failed",
        "error": {
            "code": "validation_failed",
            "message": "name: must be a string",
            "field": "name",
        },
    });
    good(&batch([1, 0, 0, 1], json!([made, refused])));
    bad(&batch([2, 0, 0, 0], json!([made, refused])), "created is 2");
    bad(&batch([1, 0, 0, 1], json!([refused, made])), "numbered");
    bad(&batch([1, 0, 0, 0], json!([made])), "1 results for 2 items");
    let nameless = json!({ "index": 0, "status": "created" });
    bad(
        &batch([1, 0, 0, 1], json!([nameless, refused])),
        "/data/results/0",
    );
    let both = json!({
        "index": 0, "status": "updated", "id": id,
        "error": { "code": "conflict", "message": "x" },
    });
    bad(
        &batch([0, 1, 0, 1], json!([both, refused])),
        "/data/results/0",
    );
    // The item that was taken has to be one that may be taken.
    let also = json!({ "index": 1, "status": "created", "id": id });
    bad(&batch([2, 0, 0, 0], json!([made, also])), "/items/1/name");
}
