//! Option groups and their options, through the SDK and against the document.

use std::collections::HashMap;

use connect_client::{
    Error, Records,
    wire::{
        AnyEvent, Batch, BatchStatus, Changed, Deleted, ErrorCode, EventType, Field, Id, MatchBy,
        OptionGroup, OptionGroupInput, OptionInput, Product, ProductInput, ProductsChanged,
        RecordsWritten,
        query::{EventQuery, OptionGroupQuery, ProductQuery},
    },
};
use connect_tests::shop::Shop;

use super::{coded, open};

fn sauces() -> OptionGroupInput {
    OptionGroupInput {
        external_id: "SAUCES".into(),
        max_select: Field::Value(2),
        ..OptionGroupInput::named(
            "Sauces",
            vec![priced("Ketchup", 50), priced("Mayonnaise", 60)],
        )
    }
}

fn priced(name: &str, price_cents: i64) -> OptionInput {
    OptionInput {
        price_cents: Field::Value(price_cents),
        ..OptionInput::named(name)
    }
}

fn with_options(options: Vec<OptionInput>) -> OptionGroupInput {
    OptionGroupInput {
        options: Field::Value(options),
        ..OptionGroupInput::default()
    }
}

fn with_groups(groups: &[Id<OptionGroup>]) -> ProductInput {
    ProductInput {
        option_group_ids: Field::Value(groups.to_vec()),
        ..ProductInput::default()
    }
}

fn names(group: &OptionGroup) -> Vec<&str> {
    let options = group.options.iter();
    options.map(|option| option.name.as_str()).collect()
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> (ErrorCode, Option<String>) {
    let error = result.unwrap_err();
    let error = error.api().unwrap();
    (error.code.clone().unwrap(), error.field.clone())
}

/// The events after `last`.
async fn news(feed: &Records<AnyEvent>, last: &mut Option<Id<AnyEvent>>) -> Vec<AnyEvent> {
    let mut events = feed.events_after(*last);
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        all.push(event.unwrap());
    }
    *last = events.last();
    all
}

async fn is_sound(shop: &Shop) {
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn a_group_is_made_read_changed_and_deleted() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (groups, feed, mut last) = (here.option_groups(), here.events(), None);
    let made = groups.create(&sauces()).await.unwrap();
    assert_eq!(
        (&*made.name, made.min_select, made.max_select, made.position),
        ("Sauces", 0, 2, 0)
    );
    assert_eq!(
        (&*made.currency, names(&made)),
        ("EUR", vec!["Ketchup", "Mayonnaise"])
    );
    assert!(made.options.iter().all(|option| option.is_available));
    assert_eq!(made.created_at, made.updated_at);
    assert_eq!(groups.get(made.id).await.unwrap(), made);

    // What changes nothing keeps its time, and tells nobody.
    shop.clock.advance(5);
    assert_eq!(groups.update(made.id, &sauces()).await.unwrap(), made);
    let same = OptionInput::named("Ketchup");
    let ketchup = made.options[0].id;
    assert_eq!(
        groups.update_option(made.id, ketchup, &same).await.unwrap(),
        made
    );

    let sold_out = OptionInput {
        is_available: Field::Value(false),
        ..OptionInput::default()
    };
    let changed = groups
        .update_option(made.id, ketchup, &sold_out)
        .await
        .unwrap();
    assert!(changed.updated_at > made.updated_at && !changed.options[0].is_available);
    assert_eq!(changed.options[1], made.options[1]);
    let by_code = OptionGroupQuery {
        external_id: Some("SAUCES".into()),
        ..OptionGroupQuery::default()
    };
    assert_eq!(
        groups.stream(&by_code).all().await.unwrap(),
        std::slice::from_ref(&changed)
    );
    groups.delete(made.id).await.unwrap();
    assert_eq!(refused(groups.get(made.id).await).0, ErrorCode::NotFound);
    let gone = groups.update_option(made.id, ketchup, &sold_out).await;
    assert_eq!(refused(gone).0, ErrorCode::NotFound);
    let (entries, _) = groups.changes_since(None).all().await.unwrap();
    assert_eq!(entries.len(), 1);

    let events = news(&feed, &mut last).await;
    assert!(
        events
            .iter()
            .all(|event| event.kind == EventType::OptionGroupChanged)
    );
    let changes: Vec<Changed<OptionGroup>> = events[..2]
        .iter()
        .map(|event| event.data_as().unwrap())
        .collect();
    let records: Vec<_> = changes
        .into_iter()
        .map(|it| (it.record, it.deleted))
        .collect();
    assert_eq!(records, [(made.clone(), false), (changed, false)]);
    let deleted: Deleted = events[2].data_as().unwrap();
    assert_eq!(
        (deleted.id, deleted.deleted, events.len()),
        (made.id.uuid(), true, 3)
    );
    // The code is free again.
    groups.create(&sauces()).await.unwrap();
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_list_of_options_replaces_the_one_that_is_there() {
    let (shop, _watch, client) = open().await;
    let groups = client.location(shop.here).option_groups();
    let coded = OptionInput {
        external_id: "C".into(),
        ..priced("Curry", 70)
    };
    let first = [priced("Ketchup", 50), priced("Mayonnaise", 60), coded];
    let made = OptionGroupInput::named("Sauces", first.to_vec());
    let made = groups.create(&made).await.unwrap();
    let ids: Vec<_> = made.options.iter().map(|option| option.id).collect();
    let by_id = OptionInput {
        id: Field::Value(ids[0]),
        ..OptionInput::named("Tomato ketchup")
    };
    let by_code = OptionInput {
        external_id: "C".into(),
        ..OptionInput::named("Ketchup")
    };
    let list = vec![
        OptionInput::named("Piri piri"),
        by_code,
        OptionInput::named("Mayonnaise"),
        by_id,
    ];
    let changed = groups.update(made.id, &with_options(list)).await.unwrap();
    assert_eq!(
        names(&changed),
        ["Piri piri", "Ketchup", "Mayonnaise", "Tomato ketchup"]
    );
    let now: Vec<_> = changed.options.iter().map(|option| option.id).collect();
    assert_eq!(now[1..], [ids[2], ids[1], ids[0]]);
    assert!(!ids.contains(&now[0]));
    let prices: Vec<_> = changed
        .options
        .iter()
        .map(|option| option.price_cents)
        .collect();
    assert_eq!(prices, [0, 70, 60, 50]);

    // Those that are left out are gone, and their ids with them.
    let rest = with_options(vec![OptionInput::named("Mayonnaise")]);
    let rest = groups.update(made.id, &rest).await.unwrap();
    assert_eq!(rest.options, [changed.options[2].clone()]);
    let gone = OptionInput {
        id: Field::Value(ids[0]),
        ..OptionInput::named("Ketchup")
    };
    let gone = groups.update(made.id, &with_options(vec![gone])).await;
    assert_eq!(
        refused(gone),
        (
            ErrorCode::ValidationFailed,
            Some("options[0].id".to_owned())
        )
    );
    // The same list in another order is another list.
    let two = || vec![OptionInput::named("A"), OptionInput::named("B")];
    let one = groups.update(made.id, &with_options(two())).await.unwrap();
    shop.clock.advance(1);
    assert_eq!(
        groups.update(made.id, &with_options(two())).await.unwrap(),
        one
    );
    let turned = with_options(two().into_iter().rev().collect());
    let turned = groups.update(made.id, &turned).await.unwrap();
    assert!(turned.updated_at > one.updated_at);
    assert_eq!(
        turned.options,
        [one.options[1].clone(), one.options[0].clone()]
    );
    is_sound(&shop).await;
}

#[tokio::test]
async fn one_option_is_changed_within_the_rules_of_its_group() {
    let (shop, _watch, client) = open().await;
    let groups = client.location(shop.here).option_groups();
    let made = groups.create(&sauces()).await.unwrap();
    let (ketchup, mayonnaise) = (made.options[0].id, made.options[1].id);
    let input = OptionInput {
        external_id: "K".into(),
        ..priced("Tomato", 55)
    };
    let changed = groups
        .update_option(made.id, ketchup, &input)
        .await
        .unwrap();
    let option = &changed.options[0];
    assert_eq!(
        (option.id, &*option.name, option.price_cents),
        (ketchup, "Tomato", 55)
    );
    assert_eq!(option.external_id.as_deref(), Some("K"));
    // What has to be unique in the group is a rule about the body, whichever option comes first.
    for (option, input, field) in [
        (mayonnaise, OptionInput::named("Tomato"), "name"),
        (ketchup, OptionInput::named("Mayonnaise"), "name"),
        (
            mayonnaise,
            OptionInput {
                external_id: "K".into(),
                ..OptionInput::default()
            },
            "externalId",
        ),
    ] {
        let expected = (ErrorCode::ValidationFailed, Some(field.to_owned()));
        let result = groups.update_option(made.id, option, &input).await;
        assert_eq!(refused(result), expected, "{input:?}");
    }
    assert_eq!(groups.get(made.id).await.unwrap(), changed);
    let no_code = OptionInput {
        external_id: Field::Null,
        ..OptionInput::default()
    };
    let changed = groups
        .update_option(made.id, ketchup, &no_code)
        .await
        .unwrap();
    assert_eq!(changed.options[0].external_id, None);
    is_sound(&shop).await;
}

#[tokio::test]
async fn groups_are_written_in_batches() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (groups, feed, mut last) = (here.option_groups(), here.events(), None);
    let sizes = OptionGroupInput {
        external_id: "SIZES".into(),
        ..OptionGroupInput::named("Sizes", vec![OptionInput::named("Small")])
    };
    let dearer = OptionGroupInput {
        external_id: "SAUCES".into(),
        ..with_options(vec![priced("Ketchup", 75)])
    };
    let nameless = OptionGroupInput {
        external_id: "NONE".into(),
        ..OptionGroupInput::default()
    };
    let items = vec![sauces(), sizes.clone(), nameless, dearer.clone(), dearer];
    let dry = Batch {
        dry_run: true,
        ..Batch::new(items.clone())
    };
    let rehearsed = groups.batch(&dry).await.unwrap();
    let all = OptionGroupQuery::default();
    assert_eq!(groups.stream(&all).all().await.unwrap(), []);
    assert_eq!(news(&feed, &mut last).await, []);
    let done = groups.batch(&Batch::new(items)).await.unwrap();
    let expected = [
        BatchStatus::Created,
        BatchStatus::Created,
        BatchStatus::Failed,
        BatchStatus::Updated,
        BatchStatus::Unchanged,
    ];
    for result in [&rehearsed, &done] {
        let statuses: Vec<_> = result.results.iter().map(|it| it.status.clone()).collect();
        assert_eq!(statuses, expected);
        let counts = (
            result.created,
            result.updated,
            result.unchanged,
            result.failed,
        );
        assert_eq!(counts, (2, 1, 1, 1));
    }
    assert_eq!(done.results[2].external_id.as_deref(), Some("NONE"));
    let there: Vec<OptionGroup> = groups.stream(&all).all().await.unwrap();
    let ids: HashMap<_, _> = there.iter().map(|it| (&*it.name, it.id.uuid())).collect();
    assert!(
        there
            .iter()
            .all(|group| group.updated_at == there[0].updated_at)
    );
    let events = news(&feed, &mut last).await;
    assert_eq!(
        (events.len(), &events[0].kind),
        (1, &EventType::OptionGroupChanged)
    );
    let written: RecordsWritten = events[0].data_as().unwrap();
    assert_eq!(written.ids, [ids["Sauces"], ids["Sizes"]]);
    assert_eq!((written.created, written.updated), (2, 1));

    // By id, and without making any.
    let by_id = |id: uuid::Uuid| OptionGroupInput {
        id: Field::Value(id.into()),
        position: Field::Value(3),
        ..OptionGroupInput::default()
    };
    let batch = Batch {
        match_by: MatchBy::Id,
        ..Batch::new(vec![by_id(ids["Sizes"]), by_id(uuid::Uuid::now_v7())])
    };
    let done = groups.batch(&batch).await.unwrap();
    assert_eq!((done.updated, done.failed), (1, 1));
    assert_eq!(
        done.results[1].error.as_ref().unwrap().code,
        ErrorCode::NotFound
    );
    let batch = Batch {
        create_missing: false,
        ..Batch::new(vec![sizes, with_options(vec![OptionInput::named("A")])])
    };
    let done = groups.batch(&batch).await.unwrap();
    assert_eq!((done.unchanged, done.failed), (1, 1));
    assert_eq!(news(&feed, &mut last).await.len(), 1);

    // 450 groups go out in three requests, and a second time nothing changes.
    let many: Vec<_> = (0..450)
        .map(|number| OptionGroupInput {
            external_id: Field::Value(format!("G-{number}")),
            ..OptionGroupInput::named("Many", vec![OptionInput::named("A")])
        })
        .collect();
    assert_eq!(groups.upsert_all(&many).run().await.unwrap().created, 450);
    assert_eq!(news(&feed, &mut last).await.len(), 3);
    assert_eq!(groups.upsert_all(&many).run().await.unwrap().unchanged, 450);
    assert_eq!(news(&feed, &mut last).await, []);
    is_sound(&shop).await;
}

#[tokio::test]
async fn products_have_groups_in_their_order_until_a_group_is_deleted() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let (groups, products, feed) = (here.option_groups(), here.products(), here.events());
    let mut ids = Vec::new();
    for name in ["A", "B", "C"] {
        let group = OptionGroupInput::named(name, vec![OptionInput::named("One")]);
        ids.push(groups.create(&group).await.unwrap().id);
    }
    let rye = ProductInput {
        option_group_ids: Field::Value(vec![ids[2], ids[0]]),
        ..coded("RYE", "Rye")
    };
    let rye: Product = products.create(&rye).await.unwrap();
    assert_eq!(rye.option_group_ids, [ids[2], ids[0]]);
    let bun = ProductInput {
        option_group_ids: Field::Value(vec![ids[0]]),
        ..coded("BUN", "Bun")
    };
    let pie = ProductInput {
        option_group_ids: Field::Value(vec![ids[1]]),
        ..coded("PIE", "Pie")
    };
    let done = products.batch(&Batch::new(vec![bun, pie])).await.unwrap();
    assert_eq!(done.created, 2);
    let turned = products
        .update(rye.id, &with_groups(&[ids[0], ids[2]]))
        .await
        .unwrap();
    assert_eq!(turned.option_group_ids, [ids[0], ids[2]]);
    assert!(turned.updated_at > rye.updated_at);
    let same = products
        .update(rye.id, &with_groups(&[ids[0], ids[2]]))
        .await
        .unwrap();
    assert_eq!(same, turned);

    // A group elsewhere is forbidden, one that is nowhere is unknown; the item alone fails.
    let theirs = client.location(shop.there).option_groups();
    let theirs = theirs.create(&sauces()).await.unwrap().id;
    let nowhere = Id::new(uuid::Uuid::now_v7());
    for (group, code) in [
        (theirs, ErrorCode::ForbiddenLocation),
        (nowhere, ErrorCode::ValidationFailed),
    ] {
        let wrong = with_groups(&[ids[0], group]);
        let expected = (code.clone(), Some("optionGroupIds[1]".to_owned()));
        assert_eq!(refused(products.update(rye.id, &wrong).await), expected);
        let item = ProductInput {
            external_id: "RYE".into(),
            ..wrong
        };
        let done = products.batch(&Batch::new(vec![item])).await.unwrap();
        let error = done.results[0].error.as_ref().unwrap();
        assert_eq!((error.code.clone(), error.field.clone()), expected);
    }

    let mut last = None;
    news(&feed, &mut last).await;
    shop.clock.advance(1);
    groups.delete(ids[0]).await.unwrap();
    let all = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    let left: HashMap<&str, &Product> = all.iter().map(|it| (&*it.name, it)).collect();
    assert_eq!(left["Rye"].option_group_ids, [ids[2]]);
    assert!(left["Bun"].option_group_ids.is_empty());
    assert_eq!(left["Pie"].option_group_ids, [ids[1]]);
    let events = news(&feed, &mut last).await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.clone()).collect();
    assert_eq!(
        kinds,
        [EventType::OptionGroupChanged, EventType::ProductsChanged]
    );
    let changed: ProductsChanged = events[1].data_as().unwrap();
    let mut expected = vec![left["Rye"].id.uuid(), left["Bun"].id.uuid()];
    let mut told = changed.ids.clone();
    expected.sort();
    told.sort();
    assert_eq!(
        (&*changed.reason, changed.deleted_ids, told),
        ("optionGroups", None, expected)
    );
    // The deletion and its products have one time.
    assert_eq!(events[0].created_at, events[1].created_at);
    assert_eq!(left["Rye"].updated_at, events[0].created_at);
    assert_eq!(left["Bun"].updated_at, events[0].created_at);
    assert!(left["Pie"].updated_at < events[0].created_at);

    // A group without products tells of itself only.
    let rest: EventQuery = EventQuery::default();
    let before = feed.stream(&rest).all().await.unwrap().len();
    products.delete(left["Pie"].id).await.unwrap();
    groups.delete(ids[1]).await.unwrap();
    assert_eq!(feed.stream(&rest).all().await.unwrap().len(), before + 2);
    is_sound(&shop).await;
}
