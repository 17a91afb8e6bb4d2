//! Requests that link option groups to products.

use super::table::{Bad, at_home, write};

fn link(body: impl Into<String>) -> connect_tests::http::Request {
    write("POST products/option-groups", body.into())
}

fn list(entry: &str, count: usize) -> String {
    format!("[{}]", vec![entry; count].join(","))
}

pub(super) fn table() -> Vec<Bad> {
    let mut table = vec![
        Bad::malformed(
            "links: a field of a reference twice",
            link(r#"{"productIds":["{product}"],"add":[{"externalId":"A","externalId":"B"}]}"#),
            "\"externalId\" twice",
        ),
        Bad::malformed(
            "links: a query",
            write("POST products/option-groups?x=1", "{}"),
            "x",
        ),
        Bad::no_method("GET links", at_home("GET products/option-groups")),
    ];
    let good = r#""productIds":["{product}"],"add":[{"id":"{group}"}]"#;
    for field in ["productIds", "productExternalIds", "add", "remove"] {
        // The other lists name enough.
        let rest = match field {
            "productIds" => r#""productExternalIds":["SCENE-1"],"add":[{"id":"{group}"}]"#,
            "add" => r#""productIds":["{product}"],"remove":[{"id":"{group}"}]"#,
            _ => good,
        };
        let entries = [
            ("a number in the list", "[7]", format!("{field}[0]")),
            ("a null in the list", "[null]", format!("{field}[0]")),
            ("a list in the list", "[[]]", format!("{field}[0]")),
        ];
        let wholes = [
            ("null", "null"),
            ("an object", "{}"),
            ("a string", "\"A\""),
            ("a number", "12"),
        ];
        let wholes = wholes.map(|(why, value)| (why, value, field.to_owned()));
        for (why, value, names) in entries.into_iter().chain(wholes) {
            let body = link(format!(r#"{{{rest},"{field}":{value}}}"#));
            table.push(Bad::invalid(
                &format!("links: {field} is {why}"),
                body,
                &names,
            ));
        }
    }
    let invalid = |why: &str, body: String, names: &str| {
        Bad::invalid(&format!("links: {why}"), link(body), names)
    };
    let id = r#""019a8c52-8e20-7c42-8a1f-4c2d6e8fab02""#;
    let add = r#""add":[{"externalId":"SCENE-G1"}]"#;
    table.extend([
        invalid(
            "an unknown field",
            format!(r#"{{{good},"dryRun":true}}"#),
            "dryRun",
        ),
        invalid(
            "an id that is none",
            format!(r#"{{"productIds":["{{product}}","x"],{add}}}"#),
            "productIds[1]",
        ),
        invalid(
            "an externalId that is none",
            format!(r#"{{"productExternalIds":["A"," B"],{add}}}"#),
            "productExternalIds[1]",
        ),
        invalid(
            "too many ids",
            format!(r#"{{"productIds":{},{add}}}"#, list(id, 1001)),
            "productIds",
        ),
        invalid(
            "too many external ids",
            format!(r#"{{"productExternalIds":{},{add}}}"#, list("\"A\"", 1001)),
            "productExternalIds",
        ),
        invalid(
            "too many groups to add",
            format!(
                r#"{{"productIds":[{id}],"add":{}}}"#,
                list(&format!(r#"{{"id":{id}}}"#), 51)
            ),
            "add",
        ),
        invalid(
            "too many groups to remove",
            format!(
                r#"{{"productIds":[{id}],"remove":{}}}"#,
                list(r#"{"externalId":"A"}"#, 51)
            ),
            "remove",
        ),
        invalid(
            "an unknown field of a reference",
            format!(r#"{{"productIds":[{id}],"add":[{{"id":{id}}},{{"name":"A"}}]}}"#),
            "add[1].name",
        ),
        invalid(
            "a reference whose id is none",
            format!(r#"{{"productIds":[{id}],"remove":[{{"id":"x"}}]}}"#),
            "remove[0].id",
        ),
        invalid(
            "a reference whose externalId is null",
            format!(r#"{{"productIds":[{id}],"remove":[{{"externalId":null}}]}}"#),
            "remove[0].externalId",
        ),
    ]);
    // What the schema does not say.
    table.extend(
        [
            invalid("nothing at all", "{}".to_owned(), "productIds"),
            invalid("no products", format!("{{{add}}}"), "productIds"),
            invalid("no groups", format!(r#"{{"productIds":[{id}]}}"#), "add"),
            invalid(
                "two empty lists of groups",
                format!(r#"{{"productIds":[{id}],"add":[],"remove":[]}}"#),
                "add",
            ),
            invalid(
                "too many products together",
                format!(
                    r#"{{"productIds":{},"productExternalIds":{},{add}}}"#,
                    list(id, 500),
                    list("\"A\"", 501)
                ),
                "productIds",
            ),
            invalid(
                "a reference to nothing",
                format!(r#"{{"productIds":[{id}],"add":[{{}}]}}"#),
                "add[0]",
            ),
            invalid(
                "a reference in two ways",
                format!(r#"{{"productIds":[{id}],"remove":[{{"id":{id},"externalId":"A"}}]}}"#),
                "remove[0]",
            ),
        ]
        .map(Bad::unstated),
    );
    table
}

#[tokio::test]
async fn wrong_links_are_refused() {
    super::hold(table()).await;
}
