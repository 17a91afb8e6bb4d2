//! Requests that are good by themselves but not with what is there.

use super::table::{Bad, write};

pub(super) fn table() -> Vec<Bad> {
    vec![
        Bad::conflict(
            "POST product: an externalId that is taken",
            write("POST products", r#"{"name":"Rye","externalId":"SCENE-1"}"#),
            "externalId",
        ),
        Bad::conflict(
            "PATCH product: an externalId that is taken",
            write("PATCH products/{product}", r#"{"externalId":"SCENE-2"}"#),
            "externalId",
        ),
        Bad::conflict(
            "POST category: a name that is taken",
            write("POST categories", r#"{"name":"Bread"}"#),
            "name",
        ),
        Bad::conflict(
            "POST category: a name that is taken, in capitals",
            write("POST categories", r#"{"name":"BREAD"}"#),
            "name",
        ),
        Bad::conflict(
            "POST category: a name that is taken, with blanks",
            write("POST categories", r#"{"name":"  bread "}"#),
            "name",
        ),
        Bad::conflict(
            "POST category: a name that is taken, in capitals beyond ASCII",
            write("POST categories", r#"{"name":"CRÈME"}"#),
            "name",
        ),
        Bad::conflict(
            "PATCH category: a name that is taken",
            write("PATCH categories/{category}", r#"{"name":"crème"}"#),
            "name",
        ),
        Bad::forbidden(
            "POST product: a category of another location",
            write("POST products", r#"{"name":"Rye","categoryId":"{theirs}"}"#),
            "forbidden_location",
        ),
        Bad::forbidden(
            "PATCH product: a category of another location",
            write("PATCH products/{product}", r#"{"categoryId":"{theirs}"}"#),
            "forbidden_location",
        ),
        Bad::invalid(
            "POST product: a category of another account",
            write(
                "POST products",
                r#"{"name":"Rye","categoryId":"{strange category}"}"#,
            ),
            "categoryId",
        )
        .unstated(),
        // The scene has used the key for another product.
        Bad::conflict(
            "a key that was used for another body",
            write("POST products", r#"{"name":"Rye"}"#).key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "a key that was used for another body that means the same",
            write("POST products", r#"{ "name": "Used" }"#).key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "a key that was used on another path",
            write("POST categories", r#"{"name":"Used"}"#).key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "a key that was used with another method",
            write("PATCH products/{product}", r#"{"name":"Used"}"#).key("used"),
            "Idempotency-Key",
        ),
        Bad::conflict(
            "a key that was used without a query",
            write("POST products?x=1", r#"{"name":"Used"}"#).key("used"),
            "Idempotency-Key",
        ),
    ]
}

#[tokio::test]
async fn what_the_state_forbids_is_refused() {
    super::hold(table()).await;
}
