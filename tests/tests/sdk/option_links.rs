//! Linking option groups to products, through the SDK and against the document.

use connect_client::{
    Client,
    wire::{
        ErrorCode, EventType, Field, Id, LinkFailure, LinkTarget, OptionGroup, OptionGroupInput,
        OptionGroupLinks, OptionGroupRef, OptionInput, OptionLinksResult, Product, ProductInput,
        ProductsChanged,
        query::{EventQuery, ProductQuery},
    },
};
use connect_core::wire::Scope;
use connect_tests::{http::Request, shop::Shop};

use super::{coded, open};

async fn group(
    client: &Client,
    location: Id<connect_client::wire::Location>,
    code: &str,
) -> OptionGroup {
    let input = OptionGroupInput {
        external_id: code.into(),
        ..OptionGroupInput::named(code, vec![OptionInput::named("One")])
    };
    client
        .location(location)
        .option_groups()
        .create(&input)
        .await
        .unwrap()
}

fn links(products: &[Id<Product>], codes: &[&str]) -> OptionGroupLinks {
    OptionGroupLinks {
        product_ids: Field::Value(products.to_vec()),
        product_external_ids: Field::Value(codes.iter().map(|&code| code.to_owned()).collect()),
        ..OptionGroupLinks::default()
    }
}

fn by_code(codes: &[&str]) -> Field<connect_client::wire::form::Objects<OptionGroupRef, 0, 50>> {
    Field::Value(
        codes
            .iter()
            .map(|&code| OptionGroupRef::by_external_id(code))
            .collect(),
    )
}

fn failures(result: &OptionLinksResult) -> Vec<(LinkTarget, &str, ErrorCode, &str)> {
    let tell = |failure: &'_ LinkFailure| {
        let LinkFailure { kind, error, .. } = failure.clone();
        (kind, error.code)
    };
    let each = result.failed.iter().map(|failure| {
        let (kind, code) = tell(failure);
        let field = failure.error.field.as_deref().unwrap_or_default();
        (kind, failure.reference.as_str(), code, field)
    });
    each.collect()
}

async fn is_sound(shop: &Shop) {
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn groups_are_removed_then_added_and_keep_their_places() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let products = here.products();
    let mut groups = Vec::new();
    for code in ["A", "B", "C"] {
        groups.push(group(&client, shop.here, code).await.id);
    }
    let [a, b, c] = groups[..] else {
        panic!("three groups")
    };
    let make = async |code: &str, groups: &[Id<OptionGroup>]| {
        let input = ProductInput {
            option_group_ids: Field::Value(groups.to_vec()),
            ..coded(code, code)
        };
        products.create(&input).await.unwrap()
    };
    let rye = make("RYE", &[b, a]).await;
    let bun = make("BUN", &[c]).await;
    let pie = make("PIE", &[]).await;
    let plain = make("PLAIN", &[c]).await;
    shop.clock.advance(1);
    let before = here
        .events()
        .stream(&EventQuery::default())
        .all()
        .await
        .unwrap();
    // RYE is named twice, and counts once.
    let request = OptionGroupLinks {
        add: Field::Value(vec![
            OptionGroupRef::by_id(c),
            OptionGroupRef::by_external_id("A"),
        ]),
        remove: by_code(&["B"]),
        ..links(&[pie.id, rye.id], &["RYE", "BUN", "RYE"])
    };
    let done = products.link_option_groups(&request).await.unwrap();
    assert_eq!((done.affected, done.unchanged), (3, 0));
    assert_eq!(done.failed, Vec::new());
    for (product, groups) in [(&rye, vec![a, c]), (&bun, vec![c, a]), (&pie, vec![c, a])] {
        let now = products.get(product.id).await.unwrap();
        assert_eq!(now.option_group_ids, groups, "{}", product.name);
        assert!(now.updated_at > product.updated_at);
    }
    assert_eq!(products.get(plain.id).await.unwrap(), plain);
    let events = here
        .events()
        .stream(&EventQuery::default())
        .all()
        .await
        .unwrap();
    let [event] = &events[before.len()..] else {
        panic!("{} events", events.len() - before.len());
    };
    assert_eq!(event.kind, EventType::ProductsChanged);
    let changed: ProductsChanged = event.data_as().unwrap();
    assert_eq!(
        (&*changed.reason, changed.deleted_ids),
        ("optionGroups", None)
    );
    assert_eq!(changed.ids, [pie.id.uuid(), rye.id.uuid(), bun.id.uuid()]);
    for product in [&rye, &bun, &pie] {
        assert_eq!(
            products.get(product.id).await.unwrap().updated_at,
            event.created_at
        );
    }

    // A second time nothing changes but what is removed and added anew, which goes to the end.
    let again = OptionGroupLinks {
        add: by_code(&["C", "A"]),
        ..links(&[rye.id, bun.id, pie.id], &[])
    };
    let done = products.link_option_groups(&again).await.unwrap();
    assert_eq!((done.affected, done.unchanged), (0, 3));
    let both = OptionGroupLinks {
        add: by_code(&["A"]),
        remove: by_code(&["A"]),
        ..links(&[], &["RYE", "BUN"])
    };
    let done = products.link_option_groups(&both).await.unwrap();
    assert_eq!((done.affected, done.unchanged), (1, 1));
    assert_eq!(products.get(rye.id).await.unwrap().option_group_ids, [c, a]);
    let all = here
        .events()
        .stream(&EventQuery::default())
        .all()
        .await
        .unwrap();
    assert_eq!(all.len(), events.len() + 1);
    is_sound(&shop).await;
}

#[tokio::test]
async fn what_is_wrong_with_some_does_not_hold_up_the_others() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let products = here.products();
    let here_group = group(&client, shop.here, "A").await.id;
    // The other location has an A too, and it is not the one that is meant.
    let their_group = group(&client, shop.there, "A").await.id;
    let their_product = client.location(shop.there).products();
    let their_product = their_product
        .create(&coded("THEIRS", "Theirs"))
        .await
        .unwrap();
    let rye = products.create(&coded("RYE", "Rye")).await.unwrap();
    let mut fifty = Vec::new();
    for number in 0..50 {
        fifty.push(group(&client, shop.here, &format!("G-{number}")).await.id);
    }
    let full = ProductInput {
        option_group_ids: Field::Value(fifty.clone()),
        ..coded("FULL", "Full")
    };
    let full = products.create(&full).await.unwrap();
    let nowhere = uuid::Uuid::now_v7();
    let request = OptionGroupLinks {
        add: Field::Value(vec![
            OptionGroupRef::by_id(their_group),
            OptionGroupRef::by_external_id("A"),
            OptionGroupRef::by_id(nowhere),
        ]),
        remove: by_code(&["NONE", "NONE"]),
        ..links(
            &[
                their_product.id,
                full.id,
                Id::new(nowhere),
                Id::new(nowhere),
            ],
            &["THEIRS", "RYE", "THEIRS", "FULL"],
        )
    };
    let done = products.link_option_groups(&request).await.unwrap();
    assert_eq!((done.affected, done.unchanged), (1, 0));
    let (group, product) = (LinkTarget::OptionGroup, LinkTarget::Product);
    let text = |id: &dyn std::fmt::Display| id.to_string();
    let (their_group, nowhere, their_product, full_id) = (
        text(&their_group),
        text(&nowhere),
        text(&their_product.id),
        text(&full.id),
    );
    assert_eq!(
        failures(&done),
        [
            (
                group.clone(),
                &*their_group,
                ErrorCode::ForbiddenLocation,
                "add[0]"
            ),
            (group.clone(), &*nowhere, ErrorCode::NotFound, "add[2]"),
            (group, "NONE", ErrorCode::NotFound, "remove[0]"),
            (
                product.clone(),
                &*their_product,
                ErrorCode::ForbiddenLocation,
                "productIds[0]"
            ),
            (
                product.clone(),
                &*full_id,
                ErrorCode::Conflict,
                "productIds[1]"
            ),
            (
                product.clone(),
                &*nowhere,
                ErrorCode::NotFound,
                "productIds[2]"
            ),
            (
                product,
                "THEIRS",
                ErrorCode::NotFound,
                "productExternalIds[0]"
            ),
        ]
    );
    assert_eq!(
        products.get(rye.id).await.unwrap().option_group_ids,
        [here_group]
    );
    // One that would have too many stays as it is, with its removals.
    assert_eq!(products.get(full.id).await.unwrap(), full);
    let room = OptionGroupLinks {
        add: by_code(&["A"]),
        remove: by_code(&["G-0"]),
        ..links(&[full.id], &[])
    };
    assert_eq!(
        products.link_option_groups(&room).await.unwrap().affected,
        1
    );
    let now = products.get(full.id).await.unwrap().option_group_ids;
    assert_eq!((now.len(), now[0], now[49]), (50, fifty[1], here_group));
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_thousand_products_are_linked_at_once() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let products = here.products();
    let a = group(&client, shop.here, "A").await.id;
    let items: Vec<_> = (0..1000)
        .map(|number| coded(&format!("P-{number}"), "P"))
        .collect();
    products.upsert_all(&items).run().await.unwrap();
    let codes: Vec<_> = (0..1000).map(|number| format!("P-{number}")).collect();
    let request = OptionGroupLinks {
        product_external_ids: Field::Value(codes),
        add: by_code(&["A"]),
        ..OptionGroupLinks::default()
    };
    assert_eq!(
        products
            .link_option_groups(&request)
            .await
            .unwrap()
            .affected,
        1000
    );
    let all = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    assert!(all.iter().all(|product| product.option_group_ids == [a]));
    assert!(
        all.iter()
            .all(|product| product.updated_at == all[0].updated_at)
    );
    here.option_groups().delete(a).await.unwrap();
    let all = products
        .stream(&ProductQuery::default())
        .all()
        .await
        .unwrap();
    assert!(
        all.iter()
            .all(|product| product.option_group_ids.is_empty())
    );
    is_sound(&shop).await;
}

#[tokio::test]
async fn a_request_is_answered_once_under_its_key_and_needs_the_scope() {
    let (shop, _watch, client) = open().await;
    group(&client, shop.here, "A").await;
    let rye = client.location(shop.here).products();
    rye.create(&coded("RYE", "Rye")).await.unwrap();
    let body = serde_json::json!({
        "productExternalIds": ["RYE"], "add": [{ "externalId": "A" }],
    });
    let post = || Request::post(shop.at("products/option-groups"), &body);
    let first = shop.send(post().key("once")).await.expect(200);
    let again = shop.send(post().key("once")).await.expect(200);
    assert_eq!(first.json(), again.json());
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(shop.send(post()).await.expect(200).data()["unchanged"], 1);
    let reader = shop.token_for(shop.here, &[Scope::CatalogRead]).await;
    shop.send_as(&reader, post())
        .await
        .fails(403, "forbidden_scope");
}
