//! Wrong requests, each with its exact status and code, and a part of its message.
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
//! `order.txt` has requests with two faults for each neighbouring pair.
//!
//! # The tables
//! A table is a text beside this file. `categories.txt` is the smallest:
//!
//! ```text
//! > 422 POST categories             {"name":"Pies"}
//! > 422 PATCH categories/{category} {"name":"Pies"}
//! name       @no-string @no-name(100)
//! externalId "C-1" | a field of products
//! ```
//!
//! A line with `>` is an answer and a request; several of them make a group. Each row below a group
//! is put into each of its requests. A row is the path of a field in the body, a JSON text for it,
//! and the fault in words. `(left out)` removes the field. Where the request has `{value}`, the row
//! goes there as it is, even a whole request; with `{field}` too, the row is a name and a value.
//!
//! - An answer is a status, and its code if the status has several. `item` is a 200 with a first
//!   item that fails. The message has to contain the path of the field, or the text after `->`.
//! - Paths begin at the scene's location, or with a slash. Names in braces are those of `scene.rs`.
//!   POST, PUT and PATCH have the content type of JSON, and all have the scene's token.
//! - Columns after these, of a request or a row: `-> text`; `as reader`, with this token of the
//!   scene; `as nobody`; `key a`, with this `Idempotency-Key`; `no type`; `Header: value`;
//!   `at items[0]`, the object with the field; `pieces 100`, a chunked body; `unstated`, for a
//!   fault that the document cannot state.
//! - `= no-name` begins a set of rows. `name @no-name(100)` stands for its rows with `name` in
//!   front of each, and with 101 for `{n+1}`. `* GET PUT` stands for the rows `GET` and `PUT`.
//! - `let {name} text` names a text. `<3*ab>` is `ababab`, `<3*#,>` is `0,1,2`, `<0xff>` is a byte.

mod scene;
mod screens;
mod table;

use scene::Scene;
pub(crate) use table::expand;
use table::{Bad, Reader};

macro_rules! tables {
    ($($name:ident)*) => {
        /// Every table, with its text.
        const TABLES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!(stringify!($name), ".txt")))),*];

        $(
            #[tokio::test]
            async fn $name() {
                hold(stringify!($name)).await;
            }
        )*
    };
}

tables! {
    access batches bodies categories conflicts headers journal option_groups option_links order orders
    products queries routes stock screen_access screen_orders screen_rows screen_sums
}

/// The wrong requests of a table.
fn read(name: &str) -> Vec<Bad> {
    let mut reader = Reader::default();
    reader.read("values.txt", include_str!("values.txt"));
    reader.read("screen_values.txt", include_str!("screen_values.txt"));
    let (_, table) = TABLES.iter().find(|(table, _)| *table == name).unwrap();
    reader.read(&format!("{name}.txt"), table)
}

/// Sends every request of a table, and tells all unexpected answers at once.
async fn hold(table: &str) {
    let table = read(table);
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

#[test]
fn there_are_many_and_each_table_is_tried() {
    let all = TABLES
        .iter()
        .map(|(name, _)| read(name).len())
        .sum::<usize>();
    assert!(all >= 3500, "only {all}");
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_requests");
    let files = std::fs::read_dir(here)
        .unwrap()
        .map(|file| file.unwrap().path());
    let texts = files.filter(|path| path.extension().is_some_and(|it| it == "txt"));
    assert_eq!(texts.count(), TABLES.len() + 2);
}

/// The document refuses the same bodies as the service, where it can state the fault.
#[test]
fn the_document_refuses_the_same_bodies() {
    let mut seen = 0;
    for bad in TABLES.iter().flat_map(|(name, _)| read(name)) {
        if let Some(faults) = bad.faults_in_the_document() {
            assert!(
                !faults.is_empty(),
                "{}: the document allows this body",
                bad.name
            );
            seen += 1;
        }
    }
    assert!(seen >= 1000, "only {seen} bodies were looked at");
}
