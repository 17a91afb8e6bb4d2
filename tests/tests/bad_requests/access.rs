//! Who asks. Every token in braces is one of the scene's.

use super::table::{Bad, anywhere, at_home, write};

/// Requests of all kinds, good but for who sends them.
const REQUESTS: [&str; 6] = [
    "GET products",
    "POST products",
    "GET products/{product}",
    "DELETE categories/{category}",
    "POST products/batch",
    "GET nowhere/at/all",
];

/// `Authorization` headers that present no valid token.
const NOBODY: &[(&str, &str)] = &[
    ("", "empty"),
    ("Bearer", "a scheme alone"),
    ("Bearer ", "an empty token"),
    ("{token}", "a token without a scheme"),
    ("Basic {token}", "a token under another scheme"),
    ("Basic Y29ubmVjdDpjb25uZWN0", "a user name and password"),
    ("Bearer: {token}", "a colon after the scheme"),
    ("Bearer{token}", "no blank"),
    ("Bearer {token}x", "a token with a letter too many"),
    ("Bearer {cut token}", "a token cut off"),
    ("Bearer {token} {token}", "two tokens"),
    ("Bearer {token},Bearer {token}", "two tokens with a comma"),
    (
        "Bearer ck_test_0000000000000000000000000000000000000000000",
        "an unknown token",
    ),
    ("Bearer {expired}", "an expired token"),
    ("Bearer {revoked}", "a revoked token"),
    ("Bearer \u{e9}", "what is not ASCII"),
];

pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    for (value, why) in NOBODY {
        let request = at_home("GET products").header("authorization", value);
        table.push(Bad::unauthorized(&format!("Authorization: {why}"), request));
    }
    let twice = at_home("GET products")
        .header("authorization", "Bearer {token}")
        .header("authorization", "Bearer {token}");
    table.push(Bad::unauthorized("Authorization: twice", twice));
    for request in REQUESTS {
        // Without a token nothing is learned, not even which paths there are.
        let nobody = at_home(request).header("x-no-token", "1");
        table.push(Bad::unauthorized(&format!("{request}: no token"), nobody));
    }
    for target in [
        "/v1",
        "/v1/",
        "/v1/nowhere",
        "/v1/locations",
        "/v1/openapi.yaml",
    ] {
        let nobody = anywhere(&format!("GET {target}")).header("x-no-token", "1");
        table.push(Bad::unauthorized(
            &format!("GET {target}: no token"),
            nobody,
        ));
    }
    let query = anywhere("GET /v1/locations?access_token={token}").header("x-no-token", "1");
    table.push(Bad::unauthorized("a token in the query", query));

    let mut forbidden = |request: &str, token: &str, code, why: &str| {
        let sent = match request.split(' ').next() {
            Some("POST" | "PATCH") => write(request, r#"{"name":"Rye","items":[]}"#),
            _ => at_home(request),
        };
        let sent = sent.header("authorization", format!("Bearer {token}"));
        table.push(Bad::forbidden(&format!("{request}: {why}"), sent, code));
    };
    for request in REQUESTS.iter().take(5) {
        forbidden(
            request,
            "{elsewhere token}",
            "forbidden_location",
            "a token for another location",
        );
        forbidden(
            request,
            "{stranger}",
            "forbidden_location",
            "a token of another account",
        );
        forbidden(
            request,
            "{closed}",
            "api_not_available",
            "a token of an account without screens",
        );
        forbidden(request, "{till}", "forbidden_scope", "a token for tills");
    }
    for request in [
        "POST products",
        "PATCH products/{product}",
        "DELETE products/{product}",
        "POST products/batch",
        "POST categories",
        "PATCH categories/{category}",
        "DELETE categories/{category}",
    ] {
        forbidden(
            request,
            "{reader}",
            "forbidden_scope",
            "a token that may only read",
        );
    }
    for request in [
        "GET products",
        "GET products/{product}",
        "GET categories",
        "GET categories/{category}",
    ] {
        // Writing does not include reading.
        forbidden(
            request,
            "{writer}",
            "forbidden_scope",
            "a token that may only write",
        );
    }
    let locations = anywhere("GET /v1/locations").header("authorization", "Bearer {closed}");
    table.push(Bad::forbidden(
        "GET locations: no screens",
        locations,
        "api_not_available",
    ));
    for (location, why) in [
        (
            "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02",
            "a location that is not",
        ),
        ("00000000-0000-0000-0000-000000000000", "the nil location"),
    ] {
        let request = anywhere(&format!("GET /v1/locations/{location}/products"));
        table.push(Bad::forbidden(
            &format!("GET {why}"),
            request,
            "forbidden_location",
        ));
    }
    table
}

#[tokio::test]
async fn wrong_callers_are_refused() {
    super::hold(table()).await;
}
