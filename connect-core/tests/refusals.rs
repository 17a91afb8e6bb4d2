//! Refusals name all fields at fault, and say what to do.

use connect_core::{
    Answer, Error, Refusal, Request,
    wire::{
        Batch, CategoryInput, ErrorCode, Field, OptionGroup, OptionGroupInput, OptionInput,
        Product, ProductInput,
    },
};
use uuid::Uuid;

use crate::shop::{self, Shop};

/// The fields that a refusal names.
fn fields(refused: Result<Answer, Refusal>) -> Vec<String> {
    match refused.unwrap_err().error {
        Error::Invalid(reason) => reason.details.into_iter().map(|one| one.field).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn all_fields_at_fault_are_named() {
    let Shop { connect, at, .. } = Shop::open().await;
    let here = connect.location(&at);
    let (products, groups) = (here.json::<Product>(), here.json::<OptionGroup>());
    let stock = here.stock();
    let faulty = || Request::json(r#"{"name":1,"priceCents":"x"}"#);
    let expected = ["name", "priceCents"];
    assert_eq!(fields(products.create(faulty()).await), expected);
    let changed = products.update(Uuid::nil(), faulty()).await;
    assert_eq!(fields(changed), expected);
    let batch = r#"{"matchBy":"id","dryRun":"x","createMissing":1,"items":[{"name":"A"}]}"#;
    let expected = ["dryRun", "createMissing"];
    assert_eq!(fields(products.batch(Request::json(batch)).await), expected);
    let batch = r#"{"dryRun":"x","createMissing":1,"items":[{"name":"A"}]}"#;
    assert_eq!(fields(groups.batch(Request::json(batch)).await), expected);
    let counts = r#"{"note":1,"dryRun":"x","items":[{"externalId":"A","quantity":1}]}"#;
    let refused = stock.json().count_many(Request::json(counts)).await;
    assert_eq!(fields(refused), ["note", "dryRun"]);
}

#[tokio::test]
async fn an_item_that_makes_a_record_needs_a_name() {
    let shop = Shop::open().await;
    let nameless = ProductInput::default().external_id("A");
    let done = shop.products().batch(Batch::new(vec![nameless])).await;
    let error = done.unwrap().results.remove(0).error.unwrap();
    assert_eq!(error.code, ErrorCode::ValidationFailed);
}

/// A record of another location is told apart from one that is nowhere, whichever way it is named.
#[tokio::test]
async fn what_belongs_to_another_location_is_forbidden() {
    let shop = Shop::open().await;
    let connect = &shop.connect;
    let there = shop::location(connect, shop.account, "There").await;
    let at = connect.authorize_owner(shop.account, shop.at.location().id, shop.account);
    let at = at.await.unwrap();
    let (here, there) = (connect.location(&at), connect.location(&there));
    let own = here.products().create(ProductInput::named("Rye")).await;
    let own = own.unwrap().id;
    let theirs = there.products().create(ProductInput::named("Rye")).await;
    let theirs = theirs.unwrap().id;
    let category = there.categories().create(CategoryInput::named("Bread"));
    let category = category.await.unwrap().id;
    for (id, is_theirs) in [(category, true), (Uuid::from_u128(7).into(), false)] {
        let input = || ProductInput {
            category_id: Field::Value(id),
            ..ProductInput::named("Oat")
        };
        let held = |error: Error| match error {
            Error::ForbiddenLocation(_) => assert!(is_theirs),
            Error::Invalid(_) => assert!(!is_theirs),
            other => panic!("{other:?}"),
        };
        held(here.products().create(input()).await.unwrap_err());
        held(here.products().update(own, input()).await.unwrap_err());
        let many = here.products().change_many(vec![own], input()).await;
        let failed = &many.unwrap().failed[0].error;
        assert_eq!(failed.code == ErrorCode::ForbiddenLocation, is_theirs);
    }
    for (id, is_theirs) in [(theirs, true), (Uuid::from_u128(7).into(), false)] {
        let adjustment = format!(r#"{{ "productId": "{id}", "quantityChange": 1 }}"#);
        let adjustment = serde_json::from_str(&adjustment).unwrap();
        match here.stock().adjust(adjustment).await.unwrap_err() {
            Error::ForbiddenLocation(_) => assert!(is_theirs),
            other => assert!(!is_theirs, "{other:?}"),
        }
    }
}

/// A group that a product has keeps its place, one that is new has to be there.
#[tokio::test]
async fn an_unknown_group_beside_a_known_one_is_refused() {
    let Shop { connect, at, .. } = Shop::open().await;
    let here = connect.location(&at);
    let group = OptionGroupInput::named("Sauces", vec![OptionInput::named("Ketchup")]);
    let group = here.option_groups().create(group).await.unwrap().id;
    let with = |ids: Vec<_>| ProductInput {
        option_group_ids: Field::Value(ids),
        ..ProductInput::named("Chips")
    };
    let product = here.products().create(with(vec![group])).await.unwrap();
    let unknown = Uuid::from_u128(7).into();
    for (groups, place) in [
        (vec![group, unknown], "optionGroupIds[1]"),
        (vec![unknown, group], "optionGroupIds[0]"),
    ] {
        let refused = here.products().update(product.id, with(groups)).await;
        match refused.unwrap_err() {
            Error::Invalid(reason) => assert_eq!(reason.field.as_deref(), Some(place)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(here.products().get(product.id).await.unwrap(), product);
}
