//! The event feed shows a caller what it may read at the location by other means.

use std::net::IpAddr;

use connect_core::{
    Access, Error, Grant, NewToken,
    wire::{EventType, ProductInput, Scope, query::EventQuery},
};

use crate::shop::Shop;

/// The access of a new token with these scopes.
async fn with(shop: &Shop, scopes: &[Scope]) -> Access {
    let here = shop.at.location().id;
    let new = NewToken {
        name: "Reader".into(),
        expires_at: None,
        grants: vec![Grant {
            location_id: here,
            scopes: scopes.to_vec(),
        }],
    };
    let issued = shop.connect.create_token(shop.account, new).await.unwrap();
    let from = IpAddr::from([127, 0, 0, 1]);
    let caller = shop
        .connect
        .authenticate(from, Some(issued.secret.expose()));
    let caller = caller.await.unwrap();
    caller.authorize(here, &scopes[0]).unwrap()
}

#[tokio::test]
async fn a_token_sees_the_events_of_its_scopes() {
    let shop = Shop::open().await;
    let bread = shop.products().create(ProductInput::named("Bread")).await;
    let count = serde_json::from_str(r#"{ "quantity": 3 }"#).unwrap();
    let stock = shop.connect.location(&shop.at).stock();
    stock.count(bread.unwrap().id, count).await.unwrap();
    let seen = async |at: &Access, kind: Option<EventType>| {
        let query = EventQuery {
            kind,
            ..EventQuery::default()
        };
        let events = shop.connect.location(at).events().list(&query).await;
        events.map(|page| -> Vec<EventType> {
            page.data.into_iter().map(|event| event.kind).collect()
        })
    };
    let product = EventType::ProductChanged;
    let counted = EventType::StockChanged;
    let both = [product.clone(), counted.clone()];
    let all = with(&shop, EventType::SCOPES).await;
    let reader = with(&shop, &[Scope::StockRead]).await;
    let other = with(&shop, &[Scope::CatalogRead]).await;
    for at in [&shop.at, &all] {
        assert_eq!(seen(at, None).await.unwrap(), both);
        for kind in &both {
            let found = seen(at, Some(kind.clone())).await.unwrap();
            assert_eq!(found, std::slice::from_ref(kind));
        }
    }
    for (at, own, hidden) in [(&reader, &counted, &product), (&other, &product, &counted)] {
        let own_events = std::slice::from_ref(own);
        assert_eq!(seen(at, None).await.unwrap(), own_events);
        assert_eq!(seen(at, Some(own.clone())).await.unwrap(), own_events);
        // An empty list would look as if nothing had happened.
        let refused = seen(at, Some(hidden.clone())).await.unwrap_err();
        assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused}");
    }
}
