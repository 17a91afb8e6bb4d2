//! Paths, ids and methods.

use super::table::{Bad, anywhere, at_home, write};

/// Ids in a path that stand for no record: all the same 404, whatever is wrong with them.
const NO_IDS: &[(&str, &str)] = &[
    ("019a8c52-8e20-7c42-8a1f-4c2d6e8fab02", "an id of no record"),
    ("00000000-0000-0000-0000-000000000000", "the nil id"),
    ("7", "a number"),
    ("bread", "a word"),
    (
        "%7B019a8c52-8e20-7c42-8a1f-4c2d6e8fab02%7D",
        "an id in braces",
    ),
    ("019a8c528e207c428a1f4c2d6e8fab02", "an id without hyphens"),
    (
        "urn:uuid:019a8c52-8e20-7c42-8a1f-4c2d6e8fab02",
        "an id as a URN",
    ),
    ("019a8c52-8e20-7c42-8a1f-4c2d6e8fab0", "an id cut off"),
    (
        "019a8c52-8e20-7c42-8a1f-4c2d6e8fab0g",
        "an id with a letter beyond f",
    ),
    (
        "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02%20",
        "an id with a blank",
    ),
    ("..", "a step back"),
    ("%00", "a NUL"),
    ("%ff", "what is not UTF-8"),
    ("%zz", "a broken escape"),
];

pub(super) fn table() -> Vec<Bad> {
    let mut table = Vec::new();
    for kind in ["products", "categories"] {
        for (id, why) in NO_IDS {
            let name = format!("GET {kind}: {why}");
            table.push(Bad::not_found(&name, at_home(&format!("GET {kind}/{id}"))));
        }
        for (id, why) in &NO_IDS[..2] {
            let name = format!("DELETE {kind}: {why}");
            table.push(Bad::not_found(
                &name,
                at_home(&format!("DELETE {kind}/{id}")),
            ));
            let name = format!("PATCH {kind}: {why}");
            let request = write(&format!("PATCH {kind}/{id}"), r#"{"isActive":true}"#);
            table.push(Bad::not_found(&name, request));
        }
    }
    for (target, why) in [
        ("products/{category}", "a category among products"),
        ("categories/{product}", "a product among categories"),
        ("products/{elsewhere}", "a product of another location"),
        ("categories/{theirs}", "a category of another location"),
        ("products/", "a slash at the end of a list"),
        ("products/{product}/", "a slash at the end of a record"),
        ("products/{product}/options", "a path below a record"),
        ("Products", "a path in another case"),
        ("product", "a path in the singular"),
        ("shelves", "a chapter that is not there"),
        ("", "nothing after the location's slash"),
    ] {
        table.push(Bad::not_found(
            &format!("GET {why}"),
            at_home(&format!("GET {target}")),
        ));
    }
    for (target, why) in [
        ("/v1", "the base"),
        ("/v1/", "the base with a slash"),
        ("/v1/nowhere", "no such path"),
        ("/v1/locations/", "a slash after locations"),
        ("/v1/locations/{here}", "a location by itself"),
        ("/v1/locations/x/products", "a location that is no id"),
        (
            "/v1/locations/%7B{here}%7D/products",
            "a location in braces",
        ),
        ("/v1//locations", "two slashes"),
        ("/v1/locations//products", "no location"),
        ("/v1/./locations", "a dot"),
        ("/v1/openapi.yaml", "the document in another form"),
        ("/v2/locations", "another version"),
        ("/locations", "no version"),
    ] {
        let bad = Bad::not_found(&format!("GET {why}"), anywhere(&format!("GET {target}")));
        table.push(bad);
    }
    table.extend(methods());
    table
}

/// Methods that a path does not have. `Allow` is held against the document by the checker.
fn methods() -> Vec<Bad> {
    let mut table = Vec::new();
    let mut add = |request: String, target: &str| {
        table.push(Bad::no_method(
            &request,
            anywhere(&format!(
                "{} {target}",
                request.split(' ').next().expect("a method")
            )),
        ));
    };
    for (path, target, methods) in [
        (
            "locations",
            "/v1/locations",
            &["POST", "PUT", "PATCH", "DELETE", "OPTIONS"][..],
        ),
        (
            "openapi.json",
            "/v1/openapi.json",
            &["POST", "DELETE", "OPTIONS"],
        ),
        (
            "products",
            "/v1/locations/{here}/products",
            &["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"],
        ),
        (
            "product",
            "/v1/locations/{here}/products/{product}",
            &["POST", "PUT", "OPTIONS"],
        ),
        (
            "batch",
            "/v1/locations/{here}/products/batch",
            &["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"],
        ),
        (
            "categories",
            "/v1/locations/{here}/categories",
            &["PUT", "PATCH", "DELETE", "OPTIONS"],
        ),
        (
            "category",
            "/v1/locations/{here}/categories/{category}",
            &["POST", "PUT", "OPTIONS", "PURGE", "get"],
        ),
    ] {
        for method in methods {
            add(format!("{method} to {path}"), target);
        }
    }
    table
}

#[tokio::test]
async fn wrong_paths_and_methods_are_refused() {
    super::hold(table()).await;
}
