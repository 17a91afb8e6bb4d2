//! Requests with two faults: the check that comes first answers. The table in `mod.rs` numbers
//! the checks; the address block (1) and the limits (3) are in `rate_limits.rs`.

use super::table::{Bad, anywhere, at_home, write};
use bytes::Bytes;
use connect_tests::http::Request;

const UNKNOWN: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

fn as_whom(request: Request, token: &str) -> Request {
    request.header("authorization", format!("Bearer {token}"))
}

/// A body that is too large and no JSON either.
fn huge() -> Bytes {
    Bytes::from(vec![b'x'; 2_000_001])
}

pub(super) fn table() -> Vec<Bad> {
    let somewhere = |request: &str| anywhere(request);
    vec![
        Bad::unauthorized(
            "token before route: nobody asks for no path",
            as_whom(somewhere("GET /v1/nowhere"), "x"),
        ),
        Bad::unauthorized(
            "token before route: nobody asks with no method",
            as_whom(at_home("PUT products"), "x"),
        ),
        Bad::unauthorized(
            "token before body: nobody sends too much",
            as_whom(write("POST products", huge()), "x"),
        ),
        Bad::not_found(
            "route before availability: no path, no screens",
            as_whom(somewhere("GET /v1/nowhere"), "{closed}"),
        ),
        Bad::no_method(
            "route before availability: no method, no screens",
            as_whom(at_home("PUT products"), "{closed}"),
        ),
        Bad::no_method(
            "route before location: no method, no access",
            as_whom(at_home("PUT products"), "{elsewhere token}"),
        ),
        Bad::not_found(
            "route before location: an id that is none, no access",
            as_whom(at_home("GET products/bread"), "{elsewhere token}"),
        ),
        Bad::no_method(
            "route before body: no method, too much",
            write("PUT products", huge()),
        ),
        Bad::no_method(
            "route before key: no method, a bad key",
            write("PUT products", "{}").key("a b"),
        ),
        Bad::forbidden(
            "availability before location: no screens, no such location",
            as_whom(somewhere(&format!("GET /v1/locations/{UNKNOWN}/products")), "{closed}"),
            "api_not_available",
        ),
        Bad::forbidden(
            "location before scope: no access, and it may only read elsewhere",
            as_whom(write("POST products", "{}"), "{elsewhere reader}"),
            "forbidden_location",
        ),
        Bad::forbidden(
            "location before query: no access, a bad limit",
            as_whom(at_home("GET products?limit=0"), "{elsewhere token}"),
            "forbidden_location",
        ),
        Bad::forbidden(
            "scope before body: may only read, too much",
            as_whom(write("POST products", huge()), "{reader}"),
            "forbidden_scope",
        ),
        Bad::forbidden(
            "scope before key: may only read, a bad key",
            as_whom(write("POST products", "{}"), "{reader}").key("a b"),
            "forbidden_scope",
        ),
        Bad::forbidden(
            "scope before JSON: may only read, no JSON",
            as_whom(write("POST products", "{"), "{reader}"),
            "forbidden_scope",
        ),
        Bad::forbidden(
            "scope before state: may only read, no such product",
            as_whom(at_home(&format!("DELETE products/{UNKNOWN}")), "{reader}"),
            "forbidden_scope",
        ),
        Bad::too_large(
            "size before key: too much, a bad key",
            write("POST products", huge()).key("a b"),
        ),
        Bad::too_large(
            "size before content type: too much, of no type",
            at_home("POST products").body(huge()),
        ),
        Bad::too_large(
            "size before stored answers: too much, a used key",
            write("POST products", huge()).key("used"),
        ),
        Bad::malformed(
            "key before JSON: a bad key, no JSON",
            write("POST products", "{").key("a b"),
            "Idempotency-Key",
        ),
        Bad::malformed(
            "content type before stored answers: of no type, a used key",
            at_home("POST products").body("{}").key("used"),
            "Content-Type",
        ),
        Bad::malformed(
            "content type before JSON: of no type, no JSON",
            at_home("POST products").body("{"),
            "Content-Type",
        ),
        Bad::malformed(
            "content type before query: of no type, an unknown parameter",
            at_home("POST products?x=1").body("{}"),
            "Content-Type",
        ),
        Bad::conflict(
            "stored answers before query: a used key, an unknown parameter",
            write("POST products?x=1", "{}").key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "stored answers before JSON: a used key, no JSON",
            write("POST products", "{").key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "stored answers before fields: a used key, no name",
            write("POST products", "{}").key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "stored answers before state: a used key, no such product",
            at_home(&format!("DELETE products/{UNKNOWN}")).key("used"),
            "Idempotency-Key",
        ),
        Bad::malformed(
            "query before fields: an unknown parameter, no name",
            write("POST products?x=1", "{}"),
            "x",
        ),
        Bad::malformed(
            "query before state: an unknown parameter, no such product",
            at_home(&format!("GET products/{UNKNOWN}?x=1")),
            "x",
        ),
        Bad::malformed(
            "JSON before fields: a wrong price, then a key twice",
            write("POST products", r#"{"name":"Rye","priceCents":-1,"name":"Bun"}"#),
            "body",
        ),
        Bad::malformed(
            "JSON before fields: an unknown field, then the text ends",
            write("POST products", r#"{"colour":"red","name":"Rye""#),
            "body",
        ),
        Bad::malformed(
            "JSON before state: no JSON, no such product",
            write(&format!("PATCH products/{UNKNOWN}"), "{"),
            "body",
        ),
        Bad::invalid(
            "fields before state: a wrong price, no such product",
            write(&format!("PATCH products/{UNKNOWN}"), r#"{"priceCents":-1}"#),
            "priceCents",
        ),
        Bad::invalid(
            "fields before state: a wrong price, an externalId that is taken",
            write("POST products", r#"{"name":"Rye","externalId":"SCENE-1","priceCents":-1}"#),
            "priceCents",
        ),
        Bad::invalid(
            "fields before state: an option group, an externalId that is taken",
            write(
                "POST products",
                format!(r#"{{"name":"Rye","externalId":"SCENE-1","optionGroupIds":["{UNKNOWN}"]}}"#),
            ),
            "optionGroupIds",
        )
        .unstated(),
        Bad::invalid(
            "fields before state: no such category, an externalId that is taken",
            write(
                "POST products",
                format!(r#"{{"name":"Rye","externalId":"SCENE-1","categoryId":"{UNKNOWN}"}}"#),
            ),
            "categoryId",
        )
        .unstated(),
        Bad::invalid(
            "fields before state: until before from, an externalId that is taken",
            write(
                "POST products",
                r#"{"name":"Rye","externalId":"SCENE-1","availableFrom":"2026-11-20","availableUntil":"2026-11-19"}"#,
            ),
            "availableUntil",
        )
        .unstated(),
        Bad::invalid(
            "fields before state: a wrong position, a name that is taken",
            write("POST categories", r#"{"name":"Bread","position":-1}"#),
            "position",
        ),
    ]
}

#[tokio::test]
async fn the_first_check_that_fails_answers() {
    super::hold(table()).await;
}
