//! Writes in a small space, in which codes, names and references collide.

use proptest::{collection::vec, option::weighted, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// The external ids of products and of groups.
pub(super) const CODES: [&str; 4] = ["A", "B", "C", "D"];

/// A record to refer to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick {
    /// One that is there.
    Live(u8),
    /// One of another location.
    Foreign,
    /// One that never was.
    Unknown,
}

/// A group by its id or by its external id.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ref {
    Id(Pick),
    Code(&'static str),
}

/// The fields that a body has.
pub(super) type Fields = Map<String, Value>;

/// The body of a group.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) fields: Fields,
    pub(super) options: Option<Vec<Sent>>,
}

/// An option that is sent, with the id of one that is there or without.
pub(super) type Sent = (Option<Pick>, Fields);

/// A write, before it is known what its references lead to.
#[derive(Clone, Debug)]
pub(super) enum Step {
    CreateGroup(Body),
    UpdateGroup(Pick, Body),
    UpdateOption(Pick, Pick, Fields),
    DeleteGroup(Pick),
    WriteGroups {
        by_id: bool,
        create_missing: bool,
        dry_run: bool,
        items: Vec<(Option<Pick>, Body)>,
    },
    CreateProduct(Option<&'static str>, Vec<Pick>),
    UpdateProduct(Pick, Vec<Pick>),
    DeleteProduct(Pick),
    Link {
        ids: Vec<Pick>,
        codes: Vec<&'static str>,
        add: Vec<Ref>,
        remove: Vec<Ref>,
    },
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        20 => any::<u8>().prop_map(Pick::Live),
        1 => Just(Pick::Foreign),
        1 => Just(Pick::Unknown),
    ]
}

fn code() -> impl Strategy<Value = &'static str> {
    select(CODES.to_vec())
}

fn group_ref() -> impl Strategy<Value = Ref> {
    prop_oneof![pick().prop_map(Ref::Id), code().prop_map(Ref::Code)]
}

/// Fields, each of which is given with a probability.
fn fields(of: Vec<(&'static str, f64, Vec<Value>)>) -> impl Strategy<Value = Fields> {
    let of: Vec<_> = of
        .into_iter()
        .map(|(name, often, values)| {
            weighted(
                often,
                select(values).prop_map(move |it| (name.to_owned(), it)),
            )
        })
        .collect();
    of.prop_map(|fields| fields.into_iter().flatten().collect())
}

fn option() -> impl Strategy<Value = Fields> {
    fields(vec![
        ("externalId", 0.4, vec![json!("x"), json!("y"), Value::Null]),
        (
            "name",
            0.8,
            vec![json!("P"), json!(" P "), json!("Q"), json!("R"), json!("q")],
        ),
        ("priceCents", 0.3, vec![json!(0), json!(50), json!(50.0)]),
        ("isAvailable", 0.3, vec![json!(true), json!(false)]),
    ])
}

fn body() -> impl Strategy<Value = Body> {
    let mut codes: Vec<Value> = CODES[..3].iter().map(|code| json!(code)).collect();
    codes.push(Value::Null);
    let given = fields(vec![
        ("externalId", 0.6, codes),
        (
            "name",
            0.8,
            vec![json!("Sizes"), json!("Sauces"), json!(" Sizes ")],
        ),
        (
            "minSelect",
            0.2,
            vec![json!(0), json!(1), json!(2), json!(3)],
        ),
        ("maxSelect", 0.2, vec![json!(0), json!(1), json!(2)]),
        ("position", 0.1, vec![json!(0), json!(1)]),
        ("currency", 0.05, vec![json!("XXX")]),
    ]);
    let options = vec((weighted(0.2, pick()), option()), 1..5);
    (given, weighted(0.7, options)).prop_map(|(fields, options)| Body { fields, options })
}

/// A write.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let groups = || vec(pick(), 0..4);
    let items = vec((weighted(0.6, pick()), body()), 1..6);
    let batch = (any::<bool>(), any::<bool>(), any::<bool>(), items);
    let link = (
        vec(pick(), 0..4),
        vec(code(), 1..4),
        vec(group_ref(), 0..4),
        vec(group_ref(), 1..3),
    );
    prop_oneof![
        5 => body().prop_map(Step::CreateGroup),
        4 => (pick(), body()).prop_map(|(group, body)| Step::UpdateGroup(group, body)),
        3 => (pick(), pick(), option())
            .prop_map(|(group, option, body)| Step::UpdateOption(group, option, body)),
        1 => pick().prop_map(Step::DeleteGroup),
        4 => batch.prop_map(|(by_id, create_missing, dry_run, items)| Step::WriteGroups {
            by_id,
            create_missing,
            dry_run,
            items,
        }),
        4 => (weighted(0.8, code()), groups())
            .prop_map(|(code, groups)| Step::CreateProduct(code, groups)),
        3 => (pick(), groups()).prop_map(|(product, groups)| Step::UpdateProduct(product, groups)),
        1 => pick().prop_map(Step::DeleteProduct),
        5 => link.prop_map(|(ids, codes, add, remove)| Step::Link { ids, codes, add, remove }),
    ]
}
