//! The authors of movements, by their times.

use connect_core::{
    Author, Error, NewUser, Role, UserRole,
    wire::{ProductInput, StockCount, query::StockMovementQuery},
};

use super::{noor, token};
use crate::properties::shop::Shop;

on_each_store!(a_movement_has_its_author);

async fn a_movement_has_its_author(shop: Shop) {
    let account = shop.at.account().id;
    let location = shop.at.location().id;
    let (by_token, id) = token(&shop).await;
    let by_noor = noor(&shop).await;
    let products = shop.connect.location(&shop.at).products();
    let rye = products
        .create(ProductInput::named("Rye"))
        .await
        .unwrap()
        .id;
    // The entries of other changes stand between those of the movements.
    let calls = [
        (&by_noor, &shop.at),
        (&shop.connect, &by_token),
        (&shop.connect, &shop.at),
        (&by_noor, &shop.at),
    ];
    for ((connect, at), number) in calls.into_iter().zip(0_i64..) {
        shop.clock.advance(60);
        let here = connect.location(at);
        let count: StockCount =
            serde_json::from_str(&format!("{{\"quantity\":{number}}}")).unwrap();
        here.stock().count(rye, count).await.unwrap();
        let price = ProductInput::default().price_cents(number);
        here.products().update(rye, price).await.unwrap();
    }
    let movements = shop.connect.location(&shop.at).stock().movements();
    let query = StockMovementQuery::default();
    let movements = movements.list(&query).await.unwrap().data;
    let mut times: Vec<_> = movements.iter().map(|moved| moved.created_at).collect();
    // At these times nothing was done.
    times.extend([
        times[0].plus_micros(1),
        times[0].plus_seconds(-7200),
        times[3].plus_seconds(7200),
    ]);
    let user = by_noor.account(account).await.unwrap().users[0].id;
    let noor = Some(Author::User { id: user });
    let expected = [
        noor.clone(),
        Some(Author::Token {
            id: id.into(),
            name: "Sync".to_owned(),
        }),
        Some(Author::Service),
        noor,
        None,
        None,
        None,
    ];
    let found = shop.connect.authors_at(account, location, &times).await;
    assert_eq!(found.unwrap(), expected);
    let none = shop.connect.authors_at(account, location, &[]).await;
    assert_eq!(none.unwrap(), []);

    // Whoever may not read the trail here learns nothing of them.
    let there = shop.there.location().id;
    for (role, location_id, is_refused) in [
        (Role::Developer, None, true),
        (Role::Manager, Some(there), false),
    ] {
        let new = NewUser {
            name: "Ans".to_owned(),
            email: format!("{}@bakery.example", role.name()),
            language: Default::default(),
            roles: vec![UserRole { location_id, role }],
        };
        let id = shop.connect.create_user(account, new).await.unwrap().id;
        let by_ans = shop.connect.by(Author::User { id }, Default::default());
        match by_ans.authors_at(account, location, &times).await {
            Err(Error::ForbiddenScope(_)) => assert!(is_refused),
            found => {
                assert!(!is_refused);
                assert_eq!(found.unwrap(), vec![None; times.len()]);
            }
        }
    }
}
