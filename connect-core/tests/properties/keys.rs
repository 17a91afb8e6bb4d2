//! One idempotency key, used by many at once.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::{
    check::{Threads, on_each_backend},
    input::{Shape, Write, writes},
    session::Session,
    shop::{Call, Reply, Shop, Verb},
};

/// A write that is no dry run.
pub(crate) fn keyed_write() -> impl Strategy<Value = Write> {
    writes().prop_map(|mut write| {
        if let Shape::Batch { dry_run, .. } = &mut write.shape {
            *dry_run = None;
        }
        write.key = Some("once");
        write
    })
}

/// What was there before: a product that is in the way of some writes, a category.
pub(crate) async fn begun(shop: Shop) -> Session {
    let mut session = Session::new(shop, 200);
    let bread = json!({ "externalId": "A", "name": "Bread", "categoryName": "Food" });
    session
        .send(vec![Call::new(Verb::CreateProduct, bread)])
        .await;
    session
}

on_each_backend!(
    one_key_used_by_many_at_once_executes_once,
    Threads::Many,
    60,
    6,
    (keyed_write(), 2_usize..12),
    |shop, (write, clients)| async move {
        let mut session = begun(shop).await;
        let call = session.resolve(&write);
        let shop = Arc::new(session.shop);
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                // Some clients reach another process on the same storage.
                let connect = match client % 3 {
                    2 => shop.beside(shop.clock.clone()),
                    _ => shop.connect.clone(),
                };
                tokio::spawn(call.clone().send(connect, shop.at.clone()))
            })
            .collect();
        let mut replies = Vec::new();
        for task in tasks {
            replies.push(task.await.unwrap());
        }
        let fresh: Vec<&Reply> = replies.iter().filter(|reply| !reply.replayed).collect();
        let [fresh] = fresh[..] else {
            panic!("not one was fresh: {replies:?}")
        };
        for reply in &replies {
            assert_eq!((reply.status, &reply.body), (fresh.status, &fresh.body));
        }

        // It is in the shop once: the model, told once, has the same.
        let Some(shop) = Arc::into_inner(shop) else {
            panic!("a client is still there")
        };
        let expected = session.model.apply(&call);
        session.shop = shop;
        session.hear_late(&expected, fresh).await;

        // Another request under the key is a conflict, however often it comes; nothing happens.
        let rows = session.shop.rows().await;
        let body = json!({ "name": "Something else", "externalId": "Other" });
        let verbs = match call.verb {
            // A deletion has no body that could be another.
            Verb::DeleteCategory(_) | Verb::DeleteProduct(_) => vec![Verb::CreateProduct],
            verb => vec![verb, Verb::DeleteProduct(uuid::Uuid::from_u128(5)), verb],
        };
        for verb in verbs {
            let reply = session
                .shop
                .send(Call::new(verb, body.clone()).keyed("once"))
                .await;
            assert_eq!((reply.status, reply.replayed), (409, false), "{reply:?}");
        }
        assert_eq!(session.shop.rows().await, rows);
    }
);

on_each_backend!(
    a_key_counts_for_one_caller_wherever_it_is_used,
    Threads::Many,
    20,
    3,
    2_usize..10,
    |shop: Shop, clients: usize| async move {
        let call = Call::new(Verb::CreateProduct, json!({ "name": "Bread" })).keyed("once");
        let other = Call::new(Verb::CreateProduct, json!({ "name": "Tea" })).keyed("once");
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                // The request names its location, so at another location it is another.
                let (call, at) = match client % 2 {
                    0 => (call.clone(), shop.at.clone()),
                    _ => (other.clone(), shop.there.clone()),
                };
                tokio::spawn(call.send(shop.connect.clone(), at))
            })
            .collect();
        let mut counts = [0; 3];
        for task in tasks {
            let reply = task.await.unwrap();
            match (reply.status, reply.replayed) {
                (201, false) => counts[0] += 1,
                (201, true) => counts[1] += 1,
                (409, false) => counts[2] += 1,
                _ => panic!("{reply:?}"),
            }
        }
        let [first, again, refused] = counts;
        assert_eq!(first, 1);
        let same = [clients.div_ceil(2), clients / 2];
        assert!(
            same.contains(&(first + again)) && same.contains(&refused),
            "{counts:?}"
        );

        // Another caller has keys of its own.
        let (account, location) = (shop.at.account().id, shop.at.location().id);
        let stranger = uuid::Uuid::from_u128(0x57A);
        let at = shop
            .connect
            .authorize_owner(account, location, stranger)
            .await
            .unwrap();
        let reply = call.send(shop.connect.clone(), at).await;
        assert_eq!((reply.status, reply.replayed), (201, false));
    }
);
