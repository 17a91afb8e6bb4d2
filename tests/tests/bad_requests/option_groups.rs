//! Fields of an option group and of its options.

use super::{
    fields::{Fault, fault, many, no_boolean, no_integer, no_name, no_number, no_string},
    table::{Bad, at_home, write},
};

const UNKNOWN: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

fn external_ids() -> Vec<Fault> {
    let mut all = no_string("externalId", true);
    all.extend([
        fault("externalId", "\"\"", "empty"),
        fault("externalId", "\" S\"", "a code with a blank before it"),
        fault("externalId", "\"é\"", "a letter beyond ASCII"),
        fault("externalId", many("x", 101), "one character too long"),
    ]);
    all
}

fn of_groups() -> Vec<Fault> {
    let mut all = external_ids();
    all.extend(no_string("name", false));
    all.extend(no_name("name", 100));
    for (field, largest) in [
        ("minSelect", 100),
        ("maxSelect", 100),
        ("position", 1_000_000),
    ] {
        all.extend(no_number(field));
        all.extend(no_integer(field, largest));
    }
    let entries = |count: usize| {
        let options = (0..count).map(|at| format!(r#"{{"name":"{at}"}}"#));
        format!("[{}]", options.collect::<Vec<_>>().join(","))
    };
    all.extend([
        fault("options", "null", "null for what cannot be empty"),
        fault("options", "{}", "an object"),
        fault("options", "\"Small\"", "a string"),
        fault("options", "12", "a number"),
        fault("options", entries(0), "empty"),
        fault("options", entries(101), "one too many"),
        fault("options", "[null]", "a null in the list").named("options[0]"),
        fault("options", "[\"Small\"]", "a string in the list").named("options[0]"),
        fault("options", r#"[{"name":"A"},[]]"#, "a list in the list").named("options[1]"),
        fault("colour", "\"red\"", "a field that is not"),
        fault("min_select", "1", "a field in another spelling"),
        fault("isAvailable", "true", "a field of options"),
        fault("isActive", "true", "a field of products"),
    ]);
    all
}

fn of_options() -> Vec<Fault> {
    let mut all = external_ids();
    all.extend(no_string("name", false));
    all.extend(no_name("name", 100));
    all.extend(no_number("priceCents"));
    all.extend(no_integer("priceCents", 100_000_000));
    all.extend(no_boolean("isAvailable"));
    all.extend([
        fault("id", "\"x\"", "no UUID"),
        fault("id", "7", "a number"),
        fault("id", "null", "null for what cannot be empty"),
        fault("colour", "\"red\"", "a field that is not"),
        fault("position", "1", "a field of groups"),
        fault("options", "[]", "a list within a list"),
    ]);
    all
}

/// Each fault of a group in a create, in an update and in an item; each fault of an option besides
/// in the change of one option.
pub(super) fn table() -> Vec<Bad> {
    let mut table = together();
    for Fault {
        field,
        value,
        why,
        names,
        unstated,
    } in of_groups()
    {
        let mut body = format!(r#""{field}":{value}"#);
        for (other, good) in [("name", r#""Sizes""#), ("options", r#"[{"name":"Small"}]"#)] {
            if field != other {
                body = format!(r#""{other}":{good},{body}"#);
            }
        }
        let cases = each(
            "",
            &format!("{{{body}}}"),
            &format!("{field} is {why}"),
            names,
        );
        table.extend(cases.map(|bad| if unstated { bad.unstated() } else { bad }));
    }
    for Fault {
        field,
        value,
        why,
        names,
        unstated,
    } in of_options()
    {
        let name = if field == "name" {
            ""
        } else {
            r#""name":"Large","#
        };
        let option = format!(r#"{{{name}"{field}":{value}}}"#);
        let body = format!(r#"{{"name":"Sizes","options":[{{"name":"Small"}},{option}]}}"#);
        let path = format!("options[1].{names}");
        let about = format!("{field} is {why}");
        let mut cases = Vec::from(each(" option", &body, &about, &path));
        cases.push(Bad::invalid(
            &format!("PATCH one option: {about}"),
            write("PATCH option-groups/{group}/options/{option}", option),
            names,
        ));
        let stated = |bad: Bad| if unstated { bad.unstated() } else { bad };
        table.extend(cases.into_iter().map(stated));
    }
    table
}

fn each(of: &str, body: &str, about: &str, names: &str) -> [Bad; 3] {
    let batch = format!(r#"{{"items":[{body}]}}"#);
    [
        Bad::invalid(
            &format!("POST option group{of}: {about}"),
            write("POST option-groups", body.to_owned()),
            names,
        ),
        Bad::invalid(
            &format!("PATCH option group{of}: {about}"),
            write("PATCH option-groups/{group}", body.to_owned()),
            names,
        ),
        Bad::item(
            &format!("batch of option groups{of}: {about}"),
            write("POST option-groups/batch", batch),
            "validation_failed",
            names,
        ),
    ]
}

/// Requests that are wrong as a whole, or with what is there. The group of the scene has three
/// options, and both numbers of choices are 2.
fn together() -> Vec<Bad> {
    let post = |json: &'static str| write("POST option-groups", json);
    let patch = |json: &'static str| write("PATCH option-groups/{group}", json);
    let option = |json: &'static str| write("PATCH option-groups/{group}/options/{option}", json);
    let mut table = vec![
        Bad::invalid("POST option group: nothing at all", post("{}"), "name"),
        Bad::invalid(
            "POST option group: no options",
            post(r#"{"name":"Sizes"}"#),
            "options",
        ),
        Bad::invalid(
            "POST option group: no name",
            post(r#"{"options":[{"name":"Small"}]}"#),
            "name",
        ),
        Bad::malformed(
            "POST option group: a field of an option twice",
            post(r#"{"name":"Sizes","options":[{"name":"A","name":"B"}]}"#),
            "\"name\" twice",
        ),
        Bad::malformed(
            "PATCH option group: a field twice",
            patch(r#"{"position":1,"position":2}"#),
            "position",
        ),
        Bad::conflict(
            "POST option group: an externalId that is taken",
            post(r#"{"name":"A","externalId":"SCENE-G1","options":[{"name":"B"}]}"#),
            "externalId",
        ),
        Bad::conflict(
            "PATCH option group: an externalId that is taken",
            patch(r#"{"externalId":"SCENE-G2"}"#),
            "externalId",
        ),
        Bad::not_found(
            "PATCH one option: of another group",
            write("PATCH option-groups/{group}/options/{strange option}", "{}"),
        ),
        Bad::not_found(
            "PATCH one option: of a group elsewhere",
            write("PATCH option-groups/{their group}/options/{option}", "{}"),
        ),
        Bad::not_found(
            "PATCH option group: elsewhere",
            write("PATCH option-groups/{their group}", "{}"),
        ),
        Bad::not_found(
            "GET option group: elsewhere",
            at_home("GET option-groups/{their group}"),
        ),
        Bad::not_found(
            "DELETE option group: elsewhere",
            at_home("DELETE option-groups/{their group}"),
        ),
        Bad::no_method(
            "GET one option",
            at_home("GET option-groups/{group}/options/{option}"),
        ),
        Bad::no_method(
            "DELETE one option",
            at_home("DELETE option-groups/{group}/options/{option}"),
        ),
        Bad::forbidden(
            "POST product: an option group of another location",
            write(
                "POST products",
                r#"{"name":"Rye","optionGroupIds":["{group}","{their group}"]}"#,
            ),
            "forbidden_location",
        ),
        Bad::forbidden(
            "PATCH product: an option group of another location",
            write(
                "PATCH products/{product}",
                r#"{"optionGroupIds":["{their group}"]}"#,
            ),
            "forbidden_location",
        ),
    ];
    // What no schema can say.
    let unstated = [
        Bad::invalid(
            "PATCH product: an option group that is not",
            write(
                "PATCH products/{product}",
                format!(r#"{{"optionGroupIds":["{{group}}","{UNKNOWN}"]}}"#),
            ),
            "optionGroupIds[1]",
        ),
        Bad::invalid(
            "POST option group: more choices than options",
            post(r#"{"name":"A","minSelect":2,"options":[{"name":"B"}]}"#),
            "minSelect",
        ),
        Bad::invalid(
            "POST option group: fewer choices allowed than required",
            post(
                r#"{"name":"A","minSelect":2,"maxSelect":1,"options":[{"name":"B"},{"name":"C"}]}"#,
            ),
            "maxSelect",
        ),
        Bad::invalid(
            "PATCH option group: more choices than it has options",
            patch(r#"{"minSelect":4,"maxSelect":0}"#),
            "minSelect",
        ),
        Bad::invalid(
            "PATCH option group: more choices than it allows",
            patch(r#"{"minSelect":3}"#),
            "minSelect",
        ),
        Bad::invalid(
            "PATCH option group: fewer allowed than it requires",
            patch(r#"{"maxSelect":1}"#),
            "maxSelect",
        ),
        Bad::invalid(
            "PATCH option group: fewer options than it requires",
            patch(r#"{"options":[{"name":"Small"}]}"#),
            "options",
        ),
        Bad::invalid(
            "POST option group: a name of an option twice",
            post(r#"{"name":"A","options":[{"name":"B"},{"name":" B "}]}"#),
            "options[1].name",
        ),
        Bad::invalid(
            "POST option group: an externalId of an option twice",
            post(
                r#"{"name":"A","options":[{"name":"B","externalId":"X"},{"name":"C","externalId":"X"}]}"#,
            ),
            "options[1].externalId",
        ),
        Bad::invalid(
            "POST option group: an option without a name",
            post(r#"{"name":"A","options":[{"name":"B"},{"priceCents":5}]}"#),
            "options[1].name",
        ),
        Bad::invalid(
            "POST option group: an option of another group",
            post(r#"{"name":"A","options":[{"id":"{option}","name":"B"}]}"#),
            "options[0].id",
        ),
        Bad::invalid(
            "PATCH option group: an option of another group",
            patch(r#"{"options":[{"name":"Small"},{"id":"{strange option}","name":"B"}]}"#),
            "options[1].id",
        ),
        Bad::invalid(
            "PATCH option group: an option twice",
            patch(r#"{"options":[{"id":"{option}"},{"id":"{option}","name":"B"}]}"#),
            "options[1].id",
        ),
        Bad::invalid(
            "PATCH option group: a new option without a name",
            patch(r#"{"options":[{"externalId":"S"},{"externalId":"new"}]}"#),
            "options[1].name",
        ),
        Bad::invalid(
            "PATCH one option: the name of another",
            option(r#"{"name":"Large"}"#),
            "name",
        ),
        Bad::invalid(
            "PATCH one option: the externalId of another",
            write(
                "PATCH option-groups/{group}/options/{other option}",
                r#"{"externalId":"S"}"#,
            ),
            "externalId",
        ),
    ];
    table.extend(unstated.map(Bad::unstated));
    table
}

/// Batches, and items that fail with what is there.
pub(super) fn items() -> Vec<Bad> {
    let batch = |json: String| write("POST option-groups/batch", json);
    let many = vec![r#"{"name":"A","options":[{"name":"B"}]}"#; 201].join(",");
    let mut table = vec![
        Bad::invalid(
            "batch of option groups: no items",
            batch(r#"{"items":[]}"#.to_owned()),
            "items",
        ),
        Bad::invalid(
            "batch of option groups: 201 items",
            batch(format!(r#"{{"items":[{many}]}}"#)),
            "items",
        ),
        Bad::invalid(
            "batch of option groups: matched by barcode",
            batch(r#"{"matchBy":"barcode","items":[{"name":"A"}]}"#.to_owned()),
            "matchBy",
        ),
    ];
    for (why, settings, item, code, names) in [
        (
            "no group of this id",
            r#""matchBy":"id","#,
            format!(r#""id":"{UNKNOWN}","name":"A""#),
            "not_found",
            "id",
        ),
        (
            "a group of another location",
            r#""matchBy":"id","#,
            r#""id":"{their group}","name":"A""#.to_owned(),
            "not_found",
            "id",
        ),
        (
            "none is to be made",
            r#""createMissing":false,"#,
            r#""externalId":"new","name":"A","options":[{"name":"B"}]"#.to_owned(),
            "not_found",
            "externalId",
        ),
        (
            "an externalId that is taken",
            r#""matchBy":"id","#,
            r#""id":"{group}","externalId":"SCENE-G2""#.to_owned(),
            "conflict",
            "externalId",
        ),
        (
            "fewer options than it requires",
            "",
            r#""externalId":"SCENE-G1","options":[{"name":"Small"}]"#.to_owned(),
            "validation_failed",
            "options",
        ),
        (
            "no options to make a group with",
            "",
            r#""externalId":"new","name":"A""#.to_owned(),
            "validation_failed",
            "options",
        ),
    ] {
        let body = batch(format!(r#"{{{settings}"items":[{{{item}}}]}}"#));
        let name = format!("item of a batch of option groups: {why}");
        table.push(Bad::item(&name, body, code, names).unstated());
    }
    table
}

#[tokio::test]
async fn wrong_option_groups_are_refused() {
    super::hold(table()).await;
}

#[tokio::test]
async fn wrong_items_fail_alone() {
    super::hold(items()).await;
}
