//! The event feed, through the SDK and against the document.

use connect_client::wire::{
    AnyEvent, Changed, Deleted, ErrorCode, EventType, Product, ProductInput,
    query::{EventQuery, Paging},
};
use connect_core::wire::Scope;
use connect_tests::{http::Request, shop::Shop};
use uuid::Uuid;

use super::{coded, open};

/// The seconds of a day.
const DAY: i64 = 24 * 3600;

fn numbers(events: &[AnyEvent]) -> Vec<u64> {
    events.iter().filter_map(|event| event.sequence).collect()
}

#[tokio::test]
async fn a_follower_gets_every_event_once_in_the_order_of_the_commits() {
    let (shop, watch, client) = open().await;
    let here = client.location(shop.here);
    let (products, feed) = (here.products(), here.events());
    let mut last = None;
    let mut seen: Vec<AnyEvent> = Vec::new();
    for round in 0..4 {
        // Nothing comes a second time.
        for expected in [3, 0] {
            if expected > 0 {
                let name = format!("Bun {round}");
                let made = products.create(&ProductInput::named(&name)).await.unwrap();
                let batch = [
                    coded(&format!("A-{round}"), "A"),
                    coded(&format!("B-{round}"), "B"),
                ];
                products.upsert_all(&batch).run().await.unwrap();
                products.delete(made.id).await.unwrap();
            }
            let mut events = feed.events_after(last);
            let before = seen.len();
            while let Some(event) = events.next().await {
                let event = event.unwrap();
                assert_eq!(events.last(), Some(event.id));
                seen.push(event);
            }
            last = events.last();
            assert_eq!(seen.len() - before, expected, "round {round}");
        }
    }
    assert_eq!(numbers(&seen), (1..=12).collect::<Vec<_>>());
    assert!(seen.is_sorted_by(|one, next| one.created_at < next.created_at));
    assert!(
        seen.iter()
            .all(|event| event.location_id == Some(shop.here))
    );
    let changed: Changed<Product> = seen[0].data_as().unwrap();
    assert_eq!((&*changed.record.name, changed.deleted), ("Bun 0", false));
    let gone: Deleted = seen[2].data_as().unwrap();
    assert_eq!(gone.id, changed.record.id);

    // Page by page, and by type, it is the same.
    watch.passed();
    let by_five = EventQuery {
        paging: Paging {
            limit: Some(5),
            cursor: None,
        },
        after: Some(seen[0].id),
        ..EventQuery::default()
    };
    assert_eq!(feed.stream(&by_five).all().await.unwrap(), seen[1..]);
    assert_eq!(watch.passed().len(), 3);
    for (kind, from, expected) in [
        (
            EventType::ProductChanged,
            None,
            vec![1, 3, 4, 6, 7, 9, 10, 12],
        ),
        (EventType::ProductsChanged, Some(seen[1].id), vec![5, 8, 11]),
        (EventType::CategoryChanged, None, vec![]),
    ] {
        let query = EventQuery {
            paging: Paging {
                limit: Some(2),
                cursor: None,
            },
            kind: Some(kind),
            after: from,
        };
        assert_eq!(numbers(&feed.stream(&query).all().await.unwrap()), expected);
    }
    // The other location has a feed of its own, in which an event of this one leads nowhere.
    let there = client.location(shop.there).events();
    assert!(there.events_after(None).next().await.is_none());
    refused(there.events_after(last).next().await, "after");
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

/// A receiver that was down finds all that changed meanwhile, day by day.
#[tokio::test]
async fn a_receiver_that_was_down_for_a_week_misses_nothing() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let change = async |name: String| {
        let batch: Vec<_> = (0..3)
            .map(|n| coded(&format!("{name}-{n}"), &name))
            .collect();
        let done = here.products().upsert_all(&batch).run().await.unwrap();
        assert_eq!(done.created, 3);
        let one = here.products().create(&ProductInput::named(&name)).await;
        one.unwrap();
    };
    change("before".to_owned()).await;
    let mut events = here.events().events_after(None);
    while let Some(event) = events.next().await {
        event.unwrap();
    }
    let last = events.last();
    for day in 1..=7 {
        shop.clock.advance(DAY);
        for hour in 0..10 {
            change(format!("day-{day}-hour-{hour}")).await;
        }
        shop.connect.maintain().await.unwrap();
    }
    let mut missed = Vec::new();
    let mut events = here.events().events_after(last);
    while let Some(event) = events.next().await {
        missed.push(event.unwrap());
    }
    assert_eq!(numbers(&missed), (3..=142).collect::<Vec<_>>());
    let mut names = missed
        .iter()
        .filter_map(|event| event.data["name"].as_str());
    assert_eq!(names.clone().count(), 70);
    assert_eq!(names.next_back(), Some("day-7-hour-9"));
}

/// Checks that a follower was told to begin anew.
fn refused(next: Option<Result<AnyEvent, connect_client::Error>>, parameter: &str) {
    let error = next.unwrap().unwrap_err();
    let error = error.api().unwrap();
    assert_eq!(error.code, Some(ErrorCode::ValidationFailed));
    assert_eq!(error.field.as_deref(), Some(parameter));
    for part in [parameter, "leave", "30 days", "begin with the oldest"] {
        assert!(error.message.contains(part), "{}", error.message);
    }
}

#[tokio::test]
async fn what_is_purged_is_told_and_not_passed_over() {
    let (shop, _watch, client) = open().await;
    let here = client.location(shop.here);
    let make = async |name: &str| {
        here.products()
            .create(&ProductInput::named(name))
            .await
            .unwrap()
    };
    for name in ["A", "B", "C"] {
        make(name).await;
    }
    let feed = here.events();
    let old = feed.events_after(None).next().await.unwrap().unwrap();
    let one = EventQuery {
        paging: Paging {
            limit: Some(1),
            cursor: None,
        },
        ..EventQuery::default()
    };
    let cursor = feed.list(&one).await.unwrap().next_cursor;
    let middle = EventQuery {
        paging: Paging {
            limit: Some(1),
            cursor,
        },
        ..EventQuery::default()
    };
    shop.clock.advance(20 * DAY);
    make("D").await;
    shop.connect.maintain().await.unwrap();
    let all = feed.stream(&EventQuery::default()).all().await.unwrap();
    assert_eq!(numbers(&all), [1, 2, 3, 4]);

    shop.clock.advance(11 * DAY);
    shop.connect.maintain().await.unwrap();
    let left = feed.stream(&EventQuery::default()).all().await.unwrap();
    assert_eq!(numbers(&left), [4]);
    refused(feed.events_after(Some(old.id)).next().await, "after");
    refused(
        feed.events_after(Some(Uuid::now_v7().into())).next().await,
        "after",
    );
    // A walk from the beginning shows what there is.
    let rest = feed.stream(&middle).all().await.unwrap();
    assert_eq!(numbers(&rest), [4]);
    // One that began behind an event of its own does not pass over what is gone.
    let behind = EventQuery {
        after: Some(old.id),
        ..middle
    };
    assert!(feed.list(&behind).await.is_err());
    make("E").await;
    let mut events = feed.events_after(Some(left[0].id));
    let last = events.next().await.unwrap().unwrap();
    assert_eq!(last.sequence, Some(5));
    assert!(events.next().await.is_none());

    // Nothing has come after it, so nothing was missed.
    shop.clock.advance(60 * DAY);
    shop.connect.maintain().await.unwrap();
    assert!(feed.events_after(Some(last.id)).next().await.is_none());
    make("F").await;
    let mut events = feed.events_after(Some(last.id));
    assert_eq!(events.next().await.unwrap().unwrap().sequence, Some(6));
    assert_eq!(shop.connect.check(&mut |_| {}).await.unwrap().problems, []);
}

#[tokio::test]
async fn a_token_sees_the_events_that_its_scopes_cover() {
    let shop = Shop::open().await;
    shop.make("products", &serde_json::json!({ "name": "Rye" }))
        .await;
    let get = |query: &str| Request::get(shop.at(&format!("events{query}")));
    for (scopes, seen) in [
        (vec![Scope::CatalogRead], 1),
        (vec![Scope::OrdersRead, Scope::CatalogRead], 1),
        (vec![Scope::PosRead], 0),
        (vec![Scope::StockRead, Scope::OrdersRead], 0),
    ] {
        let token = shop.token_for(shop.here, &scopes).await;
        let page = shop.send_as(&token, get("")).await.expect(200);
        assert_eq!(page.list().len(), seen, "{scopes:?}");
        let products = shop
            .send_as(&token, get("?type=catalog.product.changed"))
            .await;
        if seen == 0 {
            // An empty list would look as if nothing had happened.
            products.fails(403, "forbidden_scope");
        } else {
            assert_eq!(products.expect(200).list().len(), 1);
        }
    }
    for scopes in [vec![Scope::CatalogWrite], vec![Scope::StockWrite]] {
        let token = shop.token_for(shop.here, &scopes).await;
        shop.send_as(&token, get(""))
            .await
            .fails(403, "forbidden_scope");
    }
    let elsewhere = shop.token_for(shop.there, &[Scope::CatalogRead]).await;
    shop.send_as(&elsewhere, get(""))
        .await
        .fails(403, "forbidden_location");
}
