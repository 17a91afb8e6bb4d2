//! The event feed, for receivers that were down.

use connect_core::{
    Error,
    wire::{AnyEvent, Id, query::EventQuery},
};
use uuid::Uuid;

use super::Scene;

/// The names of the products whose events come after one.
async fn names_after(scene: &Scene, after: Id<AnyEvent>) -> Result<Vec<String>, Error> {
    let query = EventQuery {
        after: Some(after),
        ..EventQuery::default()
    };
    let feed = scene.connect().location(&scene.shop.at).events();
    let events = feed.list(&query).await?.data.into_iter();
    let name = |event: AnyEvent| event.data["name"].as_str().unwrap().to_owned();
    Ok(events.map(name).collect())
}

/// An id that no event has would otherwise show the whole feed, as if nothing had been missed.
#[tokio::test]
async fn the_feed_goes_on_after_events_only() {
    let scene = Scene::open().await;
    scene.product("A").await;
    scene.product("B").await;
    let first = scene.feed().await[0].id;
    assert_eq!(names_after(&scene, first).await.unwrap(), ["B"]);
    let unknown = Uuid::from_u128(first.uuid().as_u128() ^ 1);
    for id in [Uuid::nil(), Uuid::max(), unknown] {
        match names_after(&scene, id.into()).await {
            Err(Error::Malformed(reason)) => assert_eq!(reason.field.as_deref(), Some("after")),
            other => panic!("{id}: {other:?}"),
        }
    }
}
