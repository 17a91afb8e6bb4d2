//! The rules of writes: each is done once or not at all, as its answer says, however many processes
//! died of it.

use std::collections::{HashMap, HashSet};

use connect_core::wire::{EventType, query::StockMovementQuery};
use uuid::Uuid;

use super::{super::World, Truth};
use crate::calls::Verb;

pub(super) async fn judge(world: &World, truth: &Truth) {
    // The products that have a name, and the movements that have a note.
    let mut made: HashMap<String, HashSet<Uuid>> = HashMap::new();
    let events = truth.events.iter().map(|committed| &committed.event);
    for event in events.filter(|event| event.kind == EventType::ProductChanged) {
        if let Some(name) = event.data["name"].as_str() {
            let id = event.data["id"].as_str().unwrap().parse().unwrap();
            made.entry(name.to_owned()).or_default().insert(id);
        }
    }
    for at in &world.at {
        let movements = world.connect.location(at).stock().movements();
        let mut query = StockMovementQuery::default();
        loop {
            let page = movements.list(&query).await.unwrap();
            for movement in page.data {
                let note = movement.note.unwrap_or_default();
                made.entry(note).or_default().insert(movement.id.uuid());
            }
            query.paging.cursor = page.next_cursor;
            if query.paging.cursor.is_none() {
                break;
            }
        }
    }
    let written = world.written.lock().unwrap();
    for write in written.iter() {
        if matches!(write.call.verb, Verb::CreateProduct | Verb::Adjust) {
            let key = write.call.key.as_deref().unwrap();
            let count = made.get(key).map_or(0, HashSet::len);
            assert_eq!(count, usize::from(write.is_done), "{write:?}");
        }
    }
    let deaths: usize = written.iter().map(|write| write.deaths).sum();
    assert!(deaths > 5, "{deaths} deaths at {} writes", written.len());
}
