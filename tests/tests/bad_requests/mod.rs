//! Wrong requests, each with the exact status and code, and what its message has to name.
//!
//! # Which failure wins
//! A request can be wrong in more than one way. The first check that fails answers:
//!
//! | | check | answer |
//! |---|---|---|
//! | 1 | the address is not blocked | 429 |
//! | 2 | there is a valid token | 401 |
//! | 3 | token and account are within their limits | 429 |
//! | 4 | the path exists, its ids are UUIDs, the method is one of its own | 404, 405 |
//! | 5 | the API is available to the account | 403 `api_not_available` |
//! | 6 | the token has access to the location | 403 `forbidden_location` |
//! | 7 | and the scope there | 403 `forbidden_scope` |
//! | 8 | the body is not too large, in an encoding that is taken, and as that wants it | 413, 415, 400 |
//! | 9 | `Idempotency-Key` and `Content-Type` are good | 400 |
//! | 10 | the key is new, or was used for the same request | stored answer, 409 |
//! | 11 | query and JSON are well-formed | 400 |
//! | 12 | the fields are valid | 422 |
//! | 13 | the state allows it | 404, 409 |
//!
//! `order.rs` has requests with two faults for each neighbouring pair.

mod access;
mod batches;
mod bodies;
mod categories;
mod conflicts;
mod devices;
mod fields;
mod headers;
mod journal;
mod option_groups;
mod option_links;
mod order;
mod orders;
mod products;
mod queries;
mod routes;
mod scene;
mod stock;
mod table;

use scene::Scene;
use table::Bad;

/// Sends every request of a table and says at once all that went otherwise than expected.
async fn hold(table: Vec<Bad>) {
    let scene = Scene::set().await;
    let before = scene.everything().await;
    let mut wrong = Vec::new();
    for bad in &table {
        wrong.extend(scene.try_out(bad).await);
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong requests were not answered as they should be:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n"),
    );
    assert_eq!(
        scene.everything().await,
        before,
        "a wrong request left something behind"
    );
}

/// Every table of this module.
fn tables() -> Vec<Vec<Bad>> {
    let mut tables = devices::tables();
    tables.extend([
        bodies::table(),
        products::table(),
        categories::table(),
        option_groups::table(),
        option_groups::items(),
        option_links::table(),
        stock::table(),
        stock::items(),
        batches::table(),
        batches::items(),
        queries::table(),
        journal::table(),
        routes::table(),
        headers::table(),
        access::table(),
        conflicts::table(),
        order::table(),
        orders::table(),
    ]);
    tables
}

#[test]
fn there_are_many_and_each_has_a_name_of_its_own() {
    let all: Vec<Bad> = tables().into_iter().flatten().collect();
    let mut names = std::collections::HashSet::new();
    for bad in &all {
        assert!(
            names.insert(&bad.name),
            "two requests are called {}",
            bad.name
        );
    }
    assert!(all.len() >= 220, "only {}", all.len());
}

/// What the service refuses as a field, the document refuses too, where it can say so.
#[test]
fn the_document_refuses_the_same_bodies() {
    let mut seen = 0;
    for bad in tables().into_iter().flatten() {
        if let Some(faults) = bad.faults_in_the_document() {
            assert!(
                !faults.is_empty(),
                "{}: the document allows this body",
                bad.name
            );
            seen += 1;
        }
    }
    assert!(seen >= 100, "only {seen} bodies were looked at");
}
