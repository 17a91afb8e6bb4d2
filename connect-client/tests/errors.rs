//! What an error says, and what it never says.

use connect_client::{
    ErrorKind, RetryPolicy, SettingsError,
    transport::{Fault, TransportError},
    wire::{CategoryInput, ErrorCode},
};

use crate::support::{
    LOCATION, TOKEN, categories,
    records::error,
    script::{Reply, Script, json, text},
};

async fn failed(reply: Reply) -> connect_client::Error {
    let script = Script::new([reply]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    let call = categories(&client).create(&CategoryInput::named("Bread"));
    call.await.unwrap_err()
}

#[tokio::test]
async fn every_code_of_the_service_is_recognised() {
    for (status, code) in [
        (400, ErrorCode::ValidationFailed),
        (401, ErrorCode::Unauthorized),
        (403, ErrorCode::ForbiddenScope),
        (403, ErrorCode::ForbiddenLocation),
        (403, ErrorCode::ApiNotAvailable),
        (404, ErrorCode::NotFound),
        (405, ErrorCode::MethodNotAllowed),
        (408, ErrorCode::ValidationFailed),
        (409, ErrorCode::Conflict),
        (413, ErrorCode::PayloadTooLarge),
        (422, ErrorCode::ValidationFailed),
        (422, ErrorCode::LimitReached),
        (429, ErrorCode::RateLimited),
        (500, ErrorCode::ServerError),
        (418, ErrorCode::Unknown("a_code_of_tomorrow".to_owned())),
    ] {
        let error = failed(json(status, &error(code.as_str(), "why"))).await;
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.code(), Some(&code));
        assert_eq!(error.api().unwrap().message, "why");
        assert_eq!(
            error.retryable(),
            matches!(status, 408 | 429 | 500),
            "{status}"
        );
        assert_eq!(error.is_not_found(), status == 404);
        assert_eq!(error.is_conflict(), status == 409);
    }
}

#[tokio::test]
async fn the_text_names_request_status_code_message_and_request_id() {
    let body = error("validation_failed", "name: is required").to_string();
    let headers = [
        ("x-request-id", "req-1"),
        ("x-ratelimit-limit", "120"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1800000000"),
    ];
    let error = failed(text(422, &headers, &body)).await;
    assert_eq!(
        error.to_string(),
        format!(
            "POST /locations/{LOCATION}/categories: 422 validation_failed: name: is required \
             [request req-1]"
        )
    );
    assert_eq!(error.request_id(), Some("req-1"));
    assert_eq!(error.meta().unwrap().rate_limit.unwrap().remaining, 0);
    assert_eq!(error.gave_up(), None);
}

#[tokio::test]
async fn a_body_that_is_not_the_services_is_shown_in_part() {
    let page = format!(
        "<html>\r\n<h1>502 Bad Gateway</h1>{}</html>",
        "x".repeat(5000)
    );
    let error = failed(text(502, &[("content-type", "text/html")], &page)).await;
    assert_eq!((error.code(), error.status()), (None, Some(502)));
    let message = &error.api().unwrap().message;
    assert!(message.starts_with("<html><h1>502 Bad Gateway</h1>xxx"));
    assert!(
        message.ends_with('…') && message.chars().count() == 301,
        "{message}"
    );

    for odd in [
        "",
        "null",
        "[]",
        r#"{"error":"no"}"#,
        r#"{"error":{}}"#,
        "\u{fffd}\u{0}",
    ] {
        let error = failed(text(503, &[], odd)).await;
        assert_eq!(error.code(), None, "{odd:?}");
        let told = error.to_string();
        assert_eq!(
            told.contains("503 without a body"),
            odd.is_empty(),
            "{told}"
        );
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn an_unknown_code_and_a_request_id_are_shown_in_part() {
    let long = "x".repeat(5000);
    let body = error(&long, "why").to_string();
    let error = failed(text(400, &[("x-request-id", &long)], &body)).await;
    for shown in [error.code().unwrap().as_str(), error.request_id().unwrap()] {
        assert!(
            shown.ends_with('…') && shown.chars().count() == 301,
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_success_that_is_no_record_is_an_error_with_the_beginning_of_the_body() {
    for body in [
        "<html>Sign in to the guest network</html>",
        "",
        "{",
        r#"{"data":null}"#,
        r#"{"data":{"id":"no uuid"}}"#,
    ] {
        let error = failed(text(200, &[("x-request-id", "r")], body)).await;
        let ErrorKind::Decode(unexpected) = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!(unexpected.body, body);
        assert_eq!(error.request_id(), Some("r"));
        assert_eq!(error.status(), Some(200));
        assert!(error.idempotency_key().is_some());
        assert!(!error.retryable());
    }
}

#[tokio::test]
async fn a_token_that_comes_back_is_not_shown() {
    let echo = format!("<pre>Authorization: Bearer {TOKEN}</pre>");
    for reply in [
        text(502, &[], &echo),
        text(200, &[], &echo),
        text(200, &[], &format!(r#"{{"data":"{TOKEN}"}}"#)),
        json(401, &error("unauthorized", &echo)),
        json(400, &error(&echo, "why")),
        text(502, &[("x-request-id", TOKEN)], ""),
        text(400, &[], &format!("{}{TOKEN}", "y".repeat(290))),
    ] {
        let error = failed(reply).await;
        for shown in [
            format!("{error}"),
            format!("{error:?}"),
            format!("{error:#?}"),
        ] {
            assert!(!shown.contains("ck_test"), "{shown}");
        }
    }
}

#[tokio::test]
async fn an_unsendable_request_is_an_error_before_it_is_sent() {
    let script = Script::new([]);
    let query = connect_client::wire::query::CategoryQuery {
        search: None,
        sync: connect_client::wire::query::SyncQuery {
            cursor: Some("c".repeat(70_000)),
            ..Default::default()
        },
    };
    let error = categories(&script.client()).list(&query).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Request(_)), "{error}");
    assert_eq!(error.attempts(), 0);
    assert!(script.finish().is_empty());
}

#[tokio::test]
async fn an_error_can_travel() {
    fn travels<T: std::error::Error + Send + Sync + 'static>(_: &T) {}
    let error = failed(json(404, &error("not_found", "no such category"))).await;
    travels(&error);
    assert_eq!(error.code(), Some(&ErrorCode::NotFound));
    assert!(error.to_string().contains("not_found"));
}

#[tokio::test]
async fn debug_reads_like_display_unless_every_part_is_asked_for() {
    let body = error("conflict", "name: is taken");
    let error = failed(json(409, &body)).await;
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(format!("{error:#?}").contains("may_be_applied: false"));
}

#[tokio::test]
async fn all_fields_at_fault_are_told() {
    let mut body = error("validation_failed", "name: is required");
    let price = serde_json::json!({ "field": "priceCents", "message": TOKEN });
    body["error"]["details"] = serde_json::json!([{ "field": "name", "message": "no" }, price]);
    let error = failed(json(422, &body)).await;
    let details = error.details();
    assert_eq!((details.len(), &*details[0].field), (2, "name"));
    assert_eq!(
        (&*details[1].field, &*details[1].message),
        ("priceCents", "[token]")
    );
    let other = failed(text(502, &[], "no")).await;
    assert_eq!((other.details(), other.field()), (&[][..], None));
}

/// `{:?}` is what a `main` prints that returns the error.
#[tokio::test]
async fn every_error_reads_the_same_in_debug_output() {
    let read = |error: &dyn std::error::Error, part: &str| {
        assert_eq!(format!("{error:?}"), error.to_string());
        let whole = format!("{error:#?}");
        assert!(whole.contains(part), "{part} is not in {whole}");
    };
    let variable = SettingsError::Environment("CONNECT_URL");
    read(&variable, "Environment {");
    let told = "environment: CONNECT_URL is not set, is empty, or is not text";
    assert_eq!(variable.to_string(), told);
    read(&SettingsError::PlainHttp, "PlainHttp");
    read(
        &TransportError::because(Fault::Connect, "refused"),
        "source: Some",
    );

    let refused = failed(json(422, &error("validation_failed", "name: is required"))).await;
    read(&refused, "attempts: 1");
    read(refused.kind(), "Api {");
    read(refused.api().unwrap(), "retry_after: None");

    let garbled = failed(text(200, &[], "<html>")).await;
    let ErrorKind::Decode(decode) = garbled.kind() else {
        panic!("{garbled}");
    };
    read(decode, "body: \"<html>\"");

    let unsent = Script::new([]).client().locations().header("a b", "");
    let unsent = unsent.await.unwrap_err();
    let ErrorKind::Request(request) = unsent.kind() else {
        panic!("{unsent}");
    };
    read(request, "RequestError {");
}
