//! The events tell of everything once, in its order.

use connect_core::wire::EventType;
use serde_json::{Value, json};

use super::seen::Seen;

/// Checks that events are numbered without gaps, and that each record has its own.
pub(super) fn tells_all(seen: &Seen) {
    let numbers = seen.events.iter().map(|event| event.sequence.unwrap());
    assert!(numbers.eq(1..=seen.events.len() as u64), "a gap");
    let told = |kind: EventType| -> Vec<&Value> {
        let events = seen.events.iter().filter(|event| event.kind == kind);
        events.map(|event| &event.data).collect()
    };
    let rows: Vec<Value> = seen.rows.iter().map(|row| json!(row)).collect();
    assert!(told(EventType::TransactionCreated).into_iter().eq(&rows));
    let reports: Vec<Value> = seen.reports.iter().map(|report| json!(report)).collect();
    assert!(told(EventType::ZReportCreated).into_iter().eq(&reports));
    let orders = seen.orders.iter().map(|order| json!(order.id));
    let created = told(EventType::OrderCreated).into_iter();
    assert!(created.map(|order| order["id"].clone()).eq(orders));

    // Counts of many products have one event for all of them.
    let batches = told(EventType::StockBatchChanged).into_iter();
    let batched = batches.map(|batch| batch["items"].as_array().map_or(0, Vec::len));
    let moved = told(EventType::StockChanged).len() + batched.sum::<usize>();
    assert_eq!(moved, seen.movements.len());
}
