//! Who changed what: single entries, their filters and their order.

use std::{collections::BTreeSet, sync::Arc};

use connect_core::{
    Author, Connect, Error, Language, NewPasskey, NewScreen, NewUser, Origin, Role, ScreenType,
    TrailEntry, TrailFilter, TrailPlace, TrailScope, UserRole,
    environment::{KeyRing, SecretKey},
    wire::{Field, ProductBatch, ProductInput, StockCount},
};
use serde_json::json;

use super::{entries, noor, token, verify};
use crate::properties::shop::Shop;

on_each_store!(the_trail_answers_who_changed_a_price);
on_each_store!(an_account_row_is_told_by_the_thing_in_it);
on_each_store!(filters_choose_and_pages_follow);
on_each_store!(a_user_reads_what_the_role_allows);

async fn the_trail_answers_who_changed_a_price(shop: Shop) {
    let (at, id) = token(&shop).await;
    let by_token = shop.connect.location(&at).products();
    let rye = by_token
        .create(ProductInput::named("Rye").price_cents(300))
        .await
        .unwrap();
    shop.clock.advance(60);
    // A token's change of a text is not in the trail; a person's is.
    let text = || ProductInput {
        description: Field::Value("Baked fresh".into()),
        ..ProductInput::default()
    };
    by_token.update(rye.id, text()).await.unwrap();
    let change = ProductInput::default().price_cents(345);
    by_token.update(rye.id, change.clone()).await.unwrap();
    // A change without an effect leaves nothing.
    by_token.update(rye.id, change).await.unwrap();
    let by_noor = noor(&shop).await;
    let here = by_noor.location(&shop.at);
    let change = ProductInput {
        description: Field::Null,
        ..ProductInput::named("Rye bread")
    };
    here.products().update(rye.id, change).await.unwrap();
    let count = serde_json::from_str::<StockCount>(r#"{"quantity":12}"#).unwrap();
    shop.connect
        .location(&at)
        .stock()
        .count(rye.id, count)
        .await
        .unwrap();
    by_token.delete(rye.id).await.unwrap();

    let about = TrailFilter {
        object: Some(rye.id.uuid()),
        ..TrailFilter::default()
    };
    let found = entries(&shop, &about).await;
    let told = found.iter().map(|entry| {
        let [change] = &entry.changes[..] else {
            panic!("{entry:?}")
        };
        assert_eq!((&*change.object, change.id), ("product", rye.id.uuid()));
        let name = change.name.as_deref().unwrap();
        json!([name, change.action, change.before, change.after])
    });
    let told: Vec<_> = told.collect();
    let last = json!({ "name": "Rye bread", "priceCents": 345, "stockQuantity": 12 });
    let renamed = [
        json!({ "name": "Rye", "description": "Baked fresh" }),
        json!({ "name": "Rye bread", "description": null }),
    ];
    assert_eq!(
        told,
        [
            json!(["Rye bread", "delete", last, {}]),
            json!(["Rye bread", "change", { "stockQuantity": null }, { "stockQuantity": 12 }]),
            json!(["Rye bread", "change", renamed[0], renamed[1]]),
            json!(["Rye", "change", { "priceCents": 300 }, { "priceCents": 345 }]),
            json!(["Rye", "create", {}, { "name": "Rye", "priceCents": 300 }]),
        ]
    );
    let sync = Author::Token {
        id: id.into(),
        name: "Sync".into(),
    };
    let noor = shop.connect.users(shop.at.account().id).await.unwrap()[0]
        .0
        .id;
    let authors: Vec<&Author> = found.iter().map(|entry| &entry.author).collect();
    assert_eq!(
        authors,
        [&sync, &sync, &Author::User { id: noor }, &sync, &sync]
    );
    assert_eq!(found[2].origin.request_id.as_deref(), Some("r-1"));
    assert!(found.windows(2).all(|pair| pair[0].at > pair[1].at));
    verify(&shop.connect).await;
}

async fn an_account_row_is_told_by_the_thing_in_it(shop: Shop) {
    let account = shop.at.account().id;
    let operator = Author::Operator {
        name: Some("root".into()),
    };
    let connect = shop.connect.by(operator.clone(), Origin::default());
    let new = NewScreen {
        location_id: shop.at.location().id,
        kind: ScreenType::Pos,
        name: "Bar".into(),
    };
    let screen = connect.create_screen(account, new).await.unwrap().id;
    connect
        .rename_screen(account, screen, "Till")
        .await
        .unwrap();
    connect
        .rename_screen(account, screen, "Till")
        .await
        .unwrap();
    connect.roll_screen_key(account, screen).await.unwrap();
    connect.delete_screen(account, screen).await.unwrap();
    connect
        .note_action(Some(account), "webhook", "test")
        .await
        .unwrap();
    let by = TrailFilter {
        author: Some("operator".into()),
        ..TrailFilter::default()
    };
    let told = entries(&shop, &by).await.into_iter().map(|entry| {
        assert_eq!(entry.author, operator);
        let told = entry.changes.into_iter();
        let told =
            told.map(|change| format!("{} {} {:?}", change.object, change.action, change.name));
        told.collect::<Vec<_>>().join(", ")
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "webhook test None",
            "screen delete Some(\"Till\"), screen key delete None",
            "screen key create None",
            "screen change Some(\"Till\")",
            "screen create Some(\"Bar\")",
        ]
    );
    verify(&shop.connect).await;
}

async fn filters_choose_and_pages_follow(shop: Shop) {
    let (by_noor, account) = (noor(&shop).await, shop.at.account().id);
    let id = shop.connect.users(account).await.unwrap()[0].0.id;
    let mut there = Vec::new();
    for round in 0..20 {
        let at = [&shop.at, &shop.there][round % 2];
        let products = by_noor.location(at).products();
        let item = |number: usize| {
            ProductInput::named(format!("P{number}")).external_id(format!("{number}"))
        };
        let items = (0..3)
            .map(item)
            .map(|item| item.price_cents(round as i64 + 1));
        let batch = ProductBatch::new(items.collect());
        products.batch(batch).await.unwrap();
        there.push(shop.connect.now());
        shop.clock.advance(10);
    }
    let of = |filter: TrailFilter| {
        let shop = &shop;
        async move { entries(shop, &filter).await }
    };
    let all = of(TrailFilter {
        author: Some(id.to_string()),
        ..TrailFilter::default()
    });
    let all = all.await;
    assert_eq!(all.len(), 20);
    assert!(all.iter().all(|entry| entry.changes.len() == 3));
    assert!(all.windows(2).all(|pair| pair[0].at > pair[1].at));
    let between = TrailFilter {
        location: Some(shop.there.location().id),
        kind: Some("product".into()),
        since: Some(there[5]),
        until: Some(there[15]),
        ..TrailFilter::default()
    };
    let expected = all.iter().filter(|entry| {
        let is_there = entry.chain == shop.there.location().id.uuid();
        is_there && entry.at >= there[5] && entry.at < there[15]
    });
    let expected: Vec<_> = expected.into_iter().cloned().collect();
    assert_eq!((of(between.clone()).await, expected.len()), (expected, 5));
    // An export has the stored rows, so each line leads to the next.
    let (scope, all) = (TrailScope::Everything, TrailFilter::default());
    let piece = shop.connect.export_trail(scope, &all, None).await.unwrap();
    let lines: Vec<TrailEntry> = piece
        .lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (lines.len(), piece.next),
        (entries(&shop, &all).await.len(), None)
    );
    let last = lines.last().unwrap();
    let place = TrailPlace {
        chain: last.chain,
        number: last.number - 3,
    };
    let rest = shop
        .connect
        .export_trail(scope, &all, Some(place))
        .await
        .unwrap();
    assert_eq!(rest.lines.lines().count(), 3);
    let wrong = shop.connect.trail(scope, &all, Some("00"), 5).await;
    assert!(wrong.is_err());
    shop.connect
        .trail(TrailScope::Store, &all, None, 5)
        .await
        .unwrap();
}

/// Adds a passkey of the owner.
async fn add_passkey(shop: &Shop) {
    const PASSWORD: &str = "rye and spelt";
    let keys = KeyRing::new(vec![SecretKey::new([7; 32])]);
    let connect = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let connect = connect.secret_keys(Arc::new(keys)).build();
    let invitation = connect
        .invite_owner(shop.at.account().id)
        .await
        .unwrap()
        .secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    let session = accepted.await.unwrap().secret;
    let session = connect.session(session.expose()).await.unwrap();
    let began = connect.begin_passkey(&session, PASSWORD, "Phone", "a challenge");
    began.await.unwrap();
    let new = NewPasskey {
        credential_id: "a passkey".to_owned(),
        credential: "its public key".to_owned(),
    };
    let added = connect.add_passkey(&session, |_| Ok(new.clone()));
    added.await.unwrap();
}

async fn a_user_reads_what_the_role_allows(shop: Shop) {
    let (connect, account) = (&shop.connect, shop.at.account().id);
    for at in [&shop.at, &shop.there] {
        let products = connect.location(at).products();
        products.create(ProductInput::named("Rye")).await.unwrap();
    }
    add_passkey(&shop).await;
    let here = shop.at.location().id;
    let scope = TrailScope::Account(account);
    let all = TrailFilter::default();
    let [about_users, about_passkeys] = ["user", "passkey"].map(|kind| TrailFilter {
        kind: Some(kind.to_owned()),
        ..TrailFilter::default()
    });
    // The role and its place; the number of chains, and of entries about people.
    for (role, place, expected) in [
        (Role::Owner, None, Ok((3, true))),
        (Role::Manager, None, Ok((3, false))),
        (Role::Accountant, Some(here), Ok((1, false))),
        (Role::Developer, None, Err(403)),
    ] {
        let new = NewUser {
            name: "Noor".into(),
            email: format!("{role:?}@roles.example"),
            language: Language::default(),
            roles: vec![UserRole {
                location_id: place,
                role,
            }],
        };
        let id = connect.create_user(account, new).await.unwrap().id;
        let by_user = connect.by(Author::User { id }, Origin::default());
        let found = async {
            let page = by_user.trail(scope, &all, None, 100).await?;
            let chains: BTreeSet<_> = page.entries.iter().map(|entry| entry.chain).collect();
            let users = by_user.trail(scope, &about_users, None, 100).await?;
            let passkeys = by_user.trail(scope, &about_passkeys, None, 100).await?;
            let people = [users, passkeys].map(|page| !page.entries.is_empty());
            assert_eq!(people[0], people[1], "{role:?}");
            Ok::<_, Error>((chains.len(), people[0]))
        };
        assert_eq!(
            found.await.map_err(|error| error.status()),
            expected,
            "{role:?}"
        );
        for scope in [TrailScope::Everything, TrailScope::Store] {
            assert!(by_user.trail(scope, &all, None, 1).await.is_err());
        }
        assert!(by_user.verify_trail(None, 1, &mut |_| {}).await.is_err());
    }
}
