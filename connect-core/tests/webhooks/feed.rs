//! The event feed, for receivers that were down.

use connect_core::{Error, wire::query::EventQuery};
use uuid::Uuid;

use super::Scene;

/// An id that no event has would otherwise show the whole feed, as if nothing had been missed.
#[tokio::test]
async fn the_feed_goes_on_after_events_only() {
    let scene = Scene::open().await;
    scene.product("A").await;
    scene.product("B").await;
    let feed = scene.feed().await;
    let after = async |id: Uuid| {
        let query = EventQuery {
            after: Some(id.into()),
            ..EventQuery::default()
        };
        scene.shop.here().events().list(&query).await
    };
    let first = feed[0].id.uuid();
    assert_eq!(after(first).await.unwrap().data, feed[1..]);
    for id in [
        Uuid::nil(),
        Uuid::max(),
        Uuid::from_u128(first.as_u128() ^ 1),
    ] {
        match after(id).await {
            Err(Error::Malformed(reason)) => assert_eq!(reason.field.as_deref(), Some("after")),
            other => panic!("{id}: {other:?}"),
        }
    }
}
