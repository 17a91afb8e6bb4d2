//! One idempotency key over time.

use proptest::prelude::*;
use serde_json::json;

use super::{
    check::{Threads, on_each_backend},
    keys::{begun, keyed_write},
    shop::{Call, Reply, Shop, Verb, events},
};

on_each_backend!(
    a_key_is_remembered_for_a_day,
    Threads::One,
    60,
    4,
    (keyed_write(), any::<bool>()),
    |shop, (write, maintains)| async move {
        let mut session = begun(shop).await;
        let call = session.resolve(&write);
        let first = session.send(vec![call.clone()]).await.remove(0);
        assert!(!first.replayed);
        for seconds in [0, 60, 24 * 3600 - 61] {
            session.shop.clock.advance(seconds);
            if maintains {
                session.shop.connect.maintain().await.unwrap();
            }
            // The session checks that it is the first answer again.
            let again = session.send(vec![call.clone()]).await.remove(0);
            assert!(again.replayed);
        }
        session.shop.clock.advance(1);
        if maintains {
            let done = session.shop.connect.maintain().await.unwrap();
            assert_eq!(done.answers, 1);
        }
        let anew = session.send(vec![call.clone()]).await.remove(0);
        assert!(!anew.replayed, "{anew:?}");
        let again = session.send(vec![call]).await.remove(0);
        assert_eq!(
            again,
            Reply {
                replayed: true,
                ..anew
            }
        );
    }
);

on_each_backend!(
    refusals_are_remembered,
    Threads::One,
    1,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let missing = Verb::UpdateProduct(uuid::Uuid::from_u128(5));
        let taken = json!({ "externalId": "A", "name": "Tea" });
        let session = begun(shop).await;
        let shop = session.shop;
        let told = events(&shop).await.len();
        for (number, (status, call)) in [
            (404, Call::new(missing, json!({ "name": "Tea" }))),
            (409, Call::new(Verb::CreateProduct, taken)),
            (422, Call::new(Verb::CreateProduct, json!({ "name": "" }))),
            (422, Call::new(Verb::WriteProducts, json!({ "items": [] }))),
            (422, Call::new(Verb::CreateCategory, json!({ "colour": 5 }))),
        ]
        .into_iter()
        .enumerate()
        {
            let call = call.keyed(&format!("refused-{number}"));
            let first = shop.send(call.clone()).await;
            assert_eq!((first.status, first.replayed), (status, false), "{first:?}");
            let again = shop.send(call.clone()).await;
            assert_eq!(
                again,
                Reply {
                    replayed: true,
                    ..first
                }
            );
        }
        assert_eq!(events(&shop).await.len(), told);
    }
);

on_each_backend!(
    a_key_used_twice_in_a_day_and_a_day_is_forgotten_once,
    Threads::One,
    1,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let call = Call::new(Verb::CreateProduct, json!({ "name": "Bread" })).keyed("k");
        // So that the row is there which says when maintenance last ran.
        shop.connect.maintain().await.unwrap();
        assert_eq!(shop.send(call.clone()).await.status, 201);
        shop.clock.advance(24 * 3600);
        assert!(!shop.send(call.clone()).await.replayed);
        shop.clock.advance(24 * 3600);
        // Both uses are over; there is one answer to forget, the later.
        let rows = shop.rows().await.len();
        assert_eq!(shop.connect.maintain().await.unwrap().answers, 1);
        assert_eq!(shop.rows().await.len(), rows - 3);
        assert!(!shop.send(call).await.replayed);
    }
);
