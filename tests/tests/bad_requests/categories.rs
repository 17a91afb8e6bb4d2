//! Fields of a category.

use super::{
    fields::{Fault, fault, no_boolean, no_integer, no_name, no_number, no_string},
    table::{Bad, write},
};

fn faults() -> Vec<Fault> {
    let mut all = Vec::new();
    all.extend(no_string("name", false));
    all.extend(no_name("name", 100));
    all.extend(no_boolean("isActive"));
    all.extend(no_number("position"));
    all.extend(no_integer("position", 1_000_000));
    all.extend([
        fault("colour", "\"red\"", "a field that is not"),
        fault("externalId", "\"C-1\"", "a field of products"),
        fault("priceCents", "1", "another field of products"),
    ]);
    all
}

/// Each fault in a create and in an update.
pub(super) fn table() -> Vec<Bad> {
    let mut table = vec![
        Bad::invalid(
            "POST category: no name",
            write("POST categories", r#"{"position":1}"#),
            "name",
        ),
        Bad::invalid(
            "POST category: nothing at all",
            write("POST categories", "{}"),
            "name",
        ),
    ];
    for Fault {
        field,
        value,
        why,
        names,
        unstated,
    } in faults()
    {
        let name = if field == "name" {
            ""
        } else {
            r#""name":"Pies","#
        };
        let body = format!(r#"{{{name}"{field}":{value}}}"#);
        let called = |request: &str| format!("{request}: {field} is {why}");
        let cases = [
            Bad::invalid(
                &called("POST category"),
                write("POST categories", body.clone()),
                names,
            ),
            Bad::invalid(
                &called("PATCH category"),
                write("PATCH categories/{category}", body),
                names,
            ),
        ];
        table.extend(cases.map(|bad| if unstated { bad.unstated() } else { bad }));
    }
    table
}

#[tokio::test]
async fn wrong_categories_are_refused() {
    super::hold(table()).await;
}
