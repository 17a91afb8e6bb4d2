//! One idempotency key, used by many at once.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    check::{Threads, on_each_backend},
    input::{Deed, Mix, Write, writes},
    model::Kind,
    session::{Call, Session},
    shop::Shop,
};
use crate::calls::{Reply, Verb};

/// A write that is no dry run.
fn keyed_write() -> impl Strategy<Value = Write> {
    writes(Mix::ALL).prop_map(|mut write| {
        if let Some(is_dry) = write.body.get_mut("dryRun") {
            *is_dry = json!(false);
        }
        Write {
            key: Some("once"),
            ..write
        }
    })
}

on_each_backend!(
    one_key_used_by_many_at_once_executes_once,
    Threads::Many,
    60,
    6,
    (keyed_write(), 2_usize..12),
    |shop, (write, clients)| async move {
        let mut session = Session::new(shop).await;
        // A product that is in the way of some writes, and a category.
        let bread = json!({ "externalId": "A", "name": "Bread", "categoryName": "Food" });
        session
            .send(vec![Call::new(Deed::Create(Kind::Product), bread)])
            .await;
        let call = session.resolve(&write).unwrap();
        let (now, sent) = (session.now(), call.to_send(&session.names));
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                // Some clients reach another process on the same storage.
                let connect = match client % 3 {
                    2 => session.shop.beside(session.shop.clock.clone()),
                    _ => session.shop.connect.clone(),
                };
                tokio::spawn(sent.clone().answer(connect, session.caller(call.by)))
            })
            .collect();
        let mut replies = Vec::new();
        for task in tasks {
            replies.push(Reply::from(task.await.unwrap()));
        }
        let fresh: Vec<&Reply> = replies.iter().filter(|reply| !reply.replayed).collect();
        let [fresh] = fresh[..] else {
            panic!("not one was fresh: {replies:?}")
        };
        for reply in &replies {
            assert_eq!((reply.status, &reply.body), (fresh.status, &fresh.body));
        }
        // It is in the shop once: the model, told once, has the same.
        session.learn(&call, fresh, now);
        session.compare().await;

        // Another request under the key is a conflict, however often it comes; nothing happens.
        let rows = session.shop.rows().await;
        let other = json!({ "name": "Something else", "externalId": "Other" });
        for verb in [
            Verb::CreateProduct,
            Verb::DeleteProduct(uuid::Uuid::from_u128(5)),
        ] {
            let (body, key) = (other.clone(), sent.key.clone());
            let call = crate::calls::Call { verb, body, key };
            let reply = call
                .answer(session.shop.connect.clone(), session.caller(write.by))
                .await;
            let reply = Reply::from(reply);
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
        let create = |name: &str| crate::calls::Call {
            verb: Verb::CreateProduct,
            body: json!({ "name": name }),
            key: Some("once".to_owned()),
        };
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                // The request names its location, so at another location it is another.
                let (call, at) = match client % 2 {
                    0 => (create("Bread"), shop.at.clone()),
                    _ => (create("Tea"), shop.there.clone()),
                };
                tokio::spawn(call.answer(shop.connect.clone(), at))
            })
            .collect();
        let mut counts = [0; 3];
        for task in tasks {
            let reply = Reply::from(task.await.unwrap());
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
        let is_same = same.contains(&(first + again)) && same.contains(&refused);
        assert!(is_same, "{counts:?}");

        // Another caller has keys of its own.
        let (account, location) = (shop.at.account().id, shop.at.location().id);
        let stranger = uuid::Uuid::from_u128(0x57A);
        let at = shop
            .connect
            .authorize_owner(account, location, stranger)
            .await
            .unwrap();
        let reply = Reply::from(create("Bread").answer(shop.connect.clone(), at).await);
        assert_eq!((reply.status, reply.replayed), (201, false));
    }
);

// What fails is remembered like anything else, but a dry run is not, whatever became of it.
on_each_backend!(
    refusals_are_remembered_and_dry_runs_are_not,
    Threads::One,
    1,
    1,
    Just(()),
    |shop: Shop, ()| async move {
        let mut session = Session::new(shop).await;
        let product = Deed::Create(Kind::Product);
        let batch = Deed::Batch(Kind::Product);
        let bread = json!({ "externalId": "A", "name": "Bread" });
        session.send(vec![Call::new(product, bread.clone())]).await;
        for (number, (status, deed, body)) in [
            (409, product, bread),
            (422, product, json!({ "name": "" })),
            (422, batch, json!({ "items": [] })),
            (422, Deed::Create(Kind::Category), json!({ "colour": 5 })),
        ]
        .into_iter()
        .enumerate()
        {
            let key = ["k0", "k1", "k2", "k3"][number];
            let call = Call {
                key: Some(key),
                ..Call::new(deed, body)
            };
            for replayed in [false, true] {
                let reply = session.send(vec![call.clone()]).await.remove(0);
                assert_eq!(
                    (reply.status, reply.replayed),
                    (status, replayed),
                    "{reply:?}"
                );
            }
        }
        for (status, items, is_dry) in [
            (422, json!([]), true),
            (200, json!([{ "name": "Tea" }]), true),
            (200, json!([{ "name": "Tea" }]), false),
        ] {
            let body = json!({ "dryRun": is_dry, "items": items });
            let call = Call {
                key: Some("dry"),
                ..Call::new(batch, body)
            };
            let reply: Reply = session.send(vec![call]).await.remove(0);
            assert_eq!((reply.status, reply.replayed), (status, false), "{reply:?}");
        }
        let tea = json!({ "dryRun": true, "items": [Value::Null] });
        let call = Call {
            key: Some("dry"),
            ..Call::new(batch, tea)
        };
        assert_eq!(session.send(vec![call]).await[0].status, 409);
    }
);
