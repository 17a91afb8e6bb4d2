//! One idempotency key, used by many at once and over time.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Item, Shape, Write, writes},
    session::Session,
    shop::{Call, Reply, Shop, Verb, events},
};

/// A write that is no dry run.
fn write() -> impl Strategy<Value = Write> {
    writes().prop_map(|mut write| {
        if let Shape::Batch { dry_run, .. } = &mut write.shape {
            *dry_run = None;
        }
        write.key = Some("once");
        write
    })
}

/// What was there before: a product that is in the way of some writes, a category.
async fn begun(shop: Shop) -> Session {
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
    (write(), 2_usize..12),
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
    a_key_is_remembered_for_a_day,
    Threads::One,
    60,
    4,
    (write(), any::<bool>()),
    |shop, (write, upkeep)| async move {
        let mut session = begun(shop).await;
        let call = session.resolve(&write);
        let first = session.send(vec![call.clone()]).await.remove(0);
        assert!(!first.replayed);
        for seconds in [0, 60, 24 * 3600 - 61] {
            session.shop.clock.advance(seconds);
            if upkeep {
                session.shop.connect.upkeep().await.unwrap();
            }
            // The session checks that it is the first answer again.
            let again = session.send(vec![call.clone()]).await.remove(0);
            assert!(again.replayed);
        }
        session.shop.clock.advance(1);
        if upkeep {
            let done = session.shop.connect.upkeep().await.unwrap();
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
            .enter_as_owner(account, location, stranger)
            .await
            .unwrap();
        let reply = call.send(shop.connect.clone(), at).await;
        assert_eq!((reply.status, reply.replayed), (201, false));
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
        assert_eq!(shop.send(call.clone()).await.status, 201);
        shop.clock.advance(24 * 3600);
        assert!(!shop.send(call.clone()).await.replayed);
        shop.clock.advance(24 * 3600);
        // Both uses are over; there is one answer to forget, the later.
        let rows = shop.rows().await.len();
        assert_eq!(shop.connect.upkeep().await.unwrap().answers, 1);
        assert_eq!(shop.rows().await.len(), rows - 3);
        assert!(!shop.send(call).await.replayed);
    }
);

/// So that the generators are seen to make what the properties are about.
#[test]
fn the_inputs_hold_every_kind_of_write() {
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut kinds = std::collections::BTreeMap::<_, usize>::new();
    for _ in 0..400 {
        let write = write().new_tree(&mut runner).unwrap().current();
        let kind = match write.shape {
            Shape::CreateCategory(_) => "create category",
            Shape::UpdateCategory(..) => "update category",
            Shape::DeleteCategory(_) => "delete category",
            Shape::CreateProduct(Item::Other(_)) => "no product",
            Shape::CreateProduct(_) => "create product",
            Shape::UpdateProduct(..) => "update product",
            Shape::DeleteProduct(_) => "delete product",
            Shape::Batch { .. } => "batch",
            Shape::Again(_) => "again",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    let value = Value::from_iter(kinds);
    assert!(value["batch"].as_u64() > Some(50), "{value}");
}
