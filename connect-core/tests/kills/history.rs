//! The events: numbered without gaps, each commit later than the one before, nothing told twice.

use std::collections::HashSet;

use connect_core::wire::{Event, EventType, Product, query::ProductQuery};
use serde_json::Value;

use super::{Shop, indexes::rows};

/// Checks all events, and returns how many there are.
pub(super) async fn check(shop: &Shop) -> u64 {
    let mut last: Option<Event<Value>> = None;
    let mut told = HashSet::new();
    let mut count = 0;
    for (_, row) in rows(shop, 0x50).await {
        let event: Event<Value> = serde_json::from_slice(&row).unwrap();
        count += 1;
        assert_eq!(event.sequence, Some(count));
        if event.kind == EventType::ProductChanged {
            let state = (event.data["id"].clone(), event.data["priceCents"].clone());
            assert!(told.insert(state), "done twice: {}", event.data);
        }
        if let Some(last) = last {
            // What follows at the same time is of the same write, which then began with a
            // category that it made or deleted.
            let is_same_write = last.created_at == event.created_at
                && (last.kind == EventType::CategoryChanged || last.kind == event.kind)
                && event.kind != EventType::CategoryChanged;
            assert!(
                is_same_write || last.created_at < event.created_at,
                "{} after {}",
                event.created_at,
                last.created_at
            );
        }
        last = Some(event);
    }
    let clock = rows(shop, 0x01).await;
    let clock: Value = match &clock[..] {
        [] => return count,
        [(_, row)] => serde_json::from_slice(row).unwrap(),
        more => panic!("{} clocks", more.len()),
    };
    assert_eq!(clock["sequence"], count);
    let page = shop
        .connect
        .location(&shop.at)
        .json::<Product>()
        .list(&ProductQuery::default())
        .await
        .unwrap();
    assert_eq!(page.state(), last.map(|last| last.created_at));
    count
}
