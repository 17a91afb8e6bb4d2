//! Checks of all that is there in the end, beside all that was acknowledged.

use std::collections::{HashMap, HashSet};

use connect_tests::http::Request;
use serde_json::Value;

use super::{
    clients::{Clients, Log, text},
    poller::Poller,
};

/// The records of a list, page by page, from one server after the other.
pub(super) async fn all(clients: &Clients, list: &str) -> Vec<Value> {
    let mut records = Vec::new();
    let mut cursor = String::new();
    for server in 0.. {
        let path = clients.premises.at(&format!("{list}?limit=200{cursor}"));
        let request = Request::get(path).bearer(&clients.premises.token);
        let page = clients.fleet.ask(server, request).await.answer.expect(200);
        records.extend(page.list());
        match page.next_cursor() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    records
}

/// The number of a field.
fn number(record: &Value, field: &str) -> usize {
    record[field].as_u64().unwrap().try_into().unwrap()
}

/// Checks that the numbers of the events have no gaps, and that each is later than the one before.
pub(super) fn events_are_in_order(events: &[Value]) {
    for (event, sequence) in events.iter().zip(1..) {
        assert_eq!(number(event, "sequence"), sequence);
    }
    let times: Vec<_> = events.iter().map(text("createdAt")).collect();
    assert!(times.is_sorted_by(|one, next| one < next));
}

/// Checks that the numbers of the receipts have no gaps, and that each row that was acknowledged is
/// there once, and no other.
pub(super) fn receipts_are_in_order(log: &Log, rows: &[Value]) {
    for (row, receipt) in rows.iter().zip(1..) {
        assert_eq!(number(row, "receiptNumber"), receipt);
    }
    let there: HashMap<_, _> = rows.iter().map(|row| (text("id")(row), row)).collect();
    assert_eq!(there.len(), rows.len());
    assert_eq!(log.rows.len(), rows.len(), "rows that nobody wrote");
    for row in &log.rows {
        assert_eq!(there.get(&text("id")(row)), Some(&row));
    }
}

/// Applies the writes that were acknowledged in the order of their events, and compares.
pub(super) fn products_are_as_in_the_model(log: &Log, events: &[Value], products: &[Value]) {
    let batches: HashMap<_, _> = log
        .batches
        .iter()
        .map(|batch| (batch.ids.last().unwrap(), batch))
        .collect();
    assert_eq!(batches.len(), log.batches.len());
    let made: HashSet<_> = log.made.iter().map(text("id")).collect();
    assert_eq!(made.len(), log.made.len());
    // The price of each product, and the time of its last change.
    let mut model: HashMap<String, (usize, String)> = HashMap::new();
    let mut applied = HashSet::new();
    for event in events {
        let (kind, data) = (text("type")(event), &event["data"]);
        if kind == "pos.transaction.created" {
            continue;
        }
        let time = text("createdAt")(event);
        let Some(ids) = data["ids"].as_array() else {
            // Made by itself. Its picture is an event about several.
            let id = text("id")(data);
            assert!(made.contains(&id), "nobody has made {data}");
            let price = number(data, "priceCents");
            assert_eq!(model.insert(id, (price, time)), None);
            continue;
        };
        let ids: Vec<_> = ids.iter().map(|id| id.as_str().unwrap()).collect();
        if data["reason"] == "images" {
            for id in ids {
                model.get_mut(id).unwrap().1.clone_from(&time);
            }
            continue;
        }
        let new = ids.last().unwrap().to_string();
        let batch = batches[&new];
        assert!(applied.insert(new), "done twice: {event}");
        assert_eq!(ids, batch.ids);
        for id in &batch.ids {
            model.insert(id.clone(), (batch.version, time.clone()));
        }
    }
    assert_eq!(applied.len(), batches.len());
    let found: HashMap<_, _> = products
        .iter()
        .map(|product| {
            let state = (number(product, "priceCents"), text("updatedAt")(product));
            (text("id")(product), state)
        })
        .collect();
    assert_eq!(found.len(), products.len());
    assert_eq!(found.len(), model.len());
    for (id, state) in &model {
        assert_eq!(found.get(id), Some(state), "{id}");
    }
    let codes: HashSet<_> = products
        .iter()
        .map(|it| it["externalId"].as_str())
        .collect();
    let coded = products.iter().filter(|it| it["externalId"].is_string());
    assert!(codes.len() >= coded.count(), "a code is there twice");
}

/// Checks that who has asked for changes has seen all, as it is now.
pub(super) fn the_copy_is_complete(poller: &Poller, products: &[Value]) {
    assert_eq!(poller.copy.len(), products.len());
    for product in products {
        let id = text("id")(product).parse().unwrap();
        let copied = serde_json::to_value(&poller.copy[&id]).unwrap();
        assert_eq!(copied, *product);
    }
}
