//! Delivering what waits: order, refusals, and where it stops.

use std::sync::Arc;

use connect_client::{
    device::{DeviceQueue, DeviceWrite, RowKind, Stopped},
    transport::Fault,
    wire::{ErrorCode, Field, Id, Order, OrderChange, OrderStatus, ZReportInput},
};
use serde_json::json;
use tempfile::TempDir;

use super::{ID, amounts, cash_in, client, taken};
use crate::support::{
    records::error,
    script::{Reply, Script, bare, json, text},
};

fn queue(folder: &TempDir, amounts: impl IntoIterator<Item = i64>) -> DeviceQueue {
    let queue = DeviceQueue::open(folder.path()).unwrap();
    for amount in amounts {
        queue.push(cash_in(amount)).unwrap();
    }
    queue
}

/// A refusal for this field.
fn of_field(field: &str) -> serde_json::Value {
    let mut refusal = error("validation_failed", "why");
    refusal["error"]["field"] = field.into();
    refusal
}

fn ready() -> OrderChange {
    OrderChange {
        status: Field::Value(OrderStatus::Ready),
        ..OrderChange::default()
    }
}

#[tokio::test]
async fn rows_of_all_kinds_go_in_the_order_in_which_they_were_pushed() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1]);
    let mut keys = vec![queue.push(ZReportInput::default()).unwrap()];
    keys.push(queue.push((ID, ready())).unwrap());
    keys.push(queue.push(cash_in(2)).unwrap());
    let script = Script::new([taken(), taken(), taken(), taken()]);
    let delivery = queue.send(&client(&script)).await;
    assert!(delivery.stopped.is_none() && delivery.refused.is_empty());
    let delivered: Vec<_> = delivery.delivered.iter().map(|row| row.key).collect();
    assert_eq!(delivered[1..], keys);
    assert!(delivery.delivered.iter().all(|row| row.id == ID));
    assert_eq!(queue.waiting(), 0);

    let sent = script.finish();
    let paths: Vec<_> = sent.iter().map(|sent| sent.request.uri().path()).collect();
    let order = format!("/device/v1/orders/{ID}");
    let transactions = "/device/v1/transactions";
    assert_eq!(
        paths,
        [transactions, "/device/v1/z-reports", &order, transactions]
    );
    let sent_keys: Vec<_> = sent.iter().map(|sent| sent.key().unwrap()).collect();
    let keys: Vec<_> = delivered.iter().map(ToString::to_string).collect();
    assert_eq!(sent_keys, keys);
}

#[tokio::test]
async fn a_row_without_a_time_happened_when_it_was_pushed() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1]);
    let given = "2026-10-25T00:30:00Z".parse().unwrap();
    let mut late = cash_in(2);
    late.created_at = Field::Value(given);
    queue.push(late).unwrap();
    let pushed = std::time::SystemTime::now();
    let script = Script::new([taken(), taken()]);
    let delivery = queue.send(&client(&script)).await;
    assert_eq!(delivery.delivered.len(), 2);

    let sent = script.finish();
    assert_eq!(sent[1].json()["createdAt"], given.to_string());
    let stamped = sent[0].json()["createdAt"].as_str().unwrap().to_owned();
    let stamped: connect_client::wire::Timestamp = stamped.parse().unwrap();
    let pushed = pushed.duration_since(std::time::UNIX_EPOCH).unwrap();
    let ago = i64::try_from(pushed.as_secs()).unwrap() - stamped.seconds();
    assert!((0..60).contains(&ago), "{ago} seconds ago");
}

/// At the rate limit no row is lost, and none is sent before its time.
#[tokio::test(start_paused = true)]
async fn at_the_rate_limit_rows_wait_for_the_next_minute() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1, 2, 3]);
    let full = |seconds: &'static str| {
        let body = error("rate_limited", "too many requests of this screen").to_string();
        text(429, &[("retry-after", seconds)], &body)
    };
    let script = Script::new([taken(), full("17"), full("60"), taken(), full("0"), taken()]);
    let client = client(&script);
    let began = tokio::time::Instant::now();
    let delivery = queue.send(&client).await;
    assert!(delivery.stopped.is_none(), "{:?}", delivery.stopped);
    assert_eq!((delivery.delivered.len(), queue.waiting()), (3, 0));
    // A wait of nothing is one of a second: the service is not asked again and again.
    assert_eq!(began.elapsed().as_secs(), 17 + 60 + 1);
    let sent = script.finish();
    assert_eq!(amounts(&sent), [1, 2, 2, 2, 3, 3]);
    assert_eq!(sent[1].key(), sent[3].key());
    // What asks for more than a minute is no limit of ours.
    drop(queue);
    let queue = self::queue(&folder, [4]);
    let script = Script::new([full("61")]);
    let delivery = queue.send(&super::client(&script)).await;
    assert!(delivery.stopped.is_some() && queue.waiting() == 1);
    script.finish();
}

#[tokio::test]
async fn a_failure_that_may_pass_stops_and_the_same_row_goes_first_the_next_time() {
    for failure in [
        Reply::Fault(Fault::Connect),
        Reply::Fault(Fault::Timeout),
        Reply::Fault(Fault::Tls),
        bare(429),
        bare(500),
        bare(502),
        // The key of the screen, its account, or the address: not the row.
        json(401, &error("unauthorized", "unknown key")),
        json(403, &error("api_not_available", "no screen")),
        json(403, &error("forbidden_scope", "not a register")),
        json(404, &error("not_found", "no such path")),
        // The request did not arrive as it was sent.
        json(400, &of_field("request")),
        json(400, &of_field("body")),
        // Something on the way has answered, perhaps the sign-in page of a network.
        text(200, &[], "<html>"),
        text(422, &[], "<html>"),
    ] {
        let folder = TempDir::new().unwrap();
        let queue = queue(&folder, [1, 2, 3]);
        let script = Script::new([taken(), failure.clone(), taken(), taken()]);
        let client = client(&script);
        let first = queue.send(&client).await;
        assert_eq!(first.delivered.len(), 1, "{failure:?}");
        assert!(first.stopped.is_some() && first.refused.is_empty());
        assert_eq!(queue.waiting(), 2, "{failure:?}");
        let second = queue.send(&client).await;
        assert_eq!(second.delivered.len(), 2);
        assert!(second.stopped.is_none());

        let sent = script.finish();
        assert_eq!(amounts(&sent), [1, 2, 2, 3]);
        assert_eq!(sent[1].key(), sent[2].key());
        assert_eq!(sent[1].request.body(), sent[2].request.body());
    }
}

#[tokio::test]
async fn what_is_refused_is_set_aside_and_does_not_block() {
    let folder = TempDir::new().unwrap();
    let rows = queue(&folder, [1, 2, 3]);
    let change = rows.push((ID, ready())).unwrap();
    let script = Script::new([
        taken(),
        json(400, &error("validation_failed", "totalCents: must be 3")),
        taken(),
        json(404, &error("not_found", "no such order")),
        replayed(404, &error("not_found", "no such order")),
    ]);
    let delivery = rows.send(&client(&script)).await;
    assert_eq!(delivery.delivered.len(), 2);
    assert!(delivery.stopped.is_none());
    let told: Vec<_> = delivery.refused.iter().map(|row| row.status).collect();
    assert_eq!(told, [400, 404]);
    assert_eq!(rows.waiting(), 0);
    assert_eq!(amounts(&script.finish()[..3]), [1, 2, 3]);

    // They are there at the next start too, until somebody has dealt with them.
    drop(rows);
    let rows = queue(&folder, []);
    let refused = rows.refused();
    assert_eq!(refused.len(), 2);
    assert_eq!(refused[0].message, "totalCents: must be 3");
    assert!(refused[0].row.body().contains("\"totalCents\":2"));
    let order: Id<Order> = ID.into();
    assert_eq!(refused[1].row.kind(), RowKind::OrderChange(order));
    assert_eq!(refused[1].row.key(), change);
    assert!(rows.forget_refused(change).unwrap());
    assert!(!rows.forget_refused(change).unwrap());
    drop(rows);
    assert_eq!(queue(&folder, []).refused().len(), 1);
}

/// A gateway has errors of the same shape, with codes of its own.
#[tokio::test]
async fn a_row_stays_when_something_on_the_way_refuses_it() {
    for status in [400, 404, 409, 413, 422] {
        let folder = TempDir::new().unwrap();
        let queue = queue(&folder, [1]);
        let script = Script::new([json(status, &error("BadRequest", "why"))]);
        let delivery = queue.send(&client(&script)).await;
        assert!(delivery.stopped.is_some(), "{status}");
        assert_eq!((queue.waiting(), queue.refused().len()), (1, 0), "{status}");
        script.finish();
    }
}

/// An answer from the service's store.
fn replayed(status: u16, body: &serde_json::Value) -> Reply {
    let headers = [("idempotent-replayed", "true")];
    text(status, &headers, &body.to_string())
}

/// Only the service itself stores an answer: a path that it does not have is answered each time.
#[tokio::test]
async fn an_order_is_unknown_when_the_service_says_so_again() {
    let not_found = error("not_found", "nothing is here");
    let order_known = [
        vec![json(404, &not_found), json(404, &not_found)],
        vec![json(404, &not_found), Reply::Fault(Fault::Timeout)],
        vec![bare(404)],
        vec![text(404, &[], "<html>")],
    ];
    let order_unknown = [
        vec![json(404, &not_found), replayed(404, &not_found)],
        // The first answer was lost.
        vec![replayed(404, &not_found)],
    ];
    let both = [(false, &order_known[..]), (true, &order_unknown[..])];
    for (is_refused, cases) in both {
        for replies in cases {
            let folder = TempDir::new().unwrap();
            let queue = queue(&folder, []);
            queue.push((ID, ready())).unwrap();
            let script = Script::new(replies.clone());
            let delivery = queue.send(&client(&script)).await;
            assert_eq!(delivery.stopped.is_none(), is_refused, "{replies:?}");
            assert_eq!(queue.waiting(), usize::from(!is_refused));
            assert_eq!(queue.refused().len(), usize::from(is_refused));
            let sent = script.finish();
            assert!(sent.windows(2).all(|two| two[0].key() == two[1].key()));
        }
    }
}

/// The queue of a kiosk has a sale, or a register has the key of a kiosk.
#[tokio::test]
async fn a_row_that_the_screen_may_not_write_stops_until_it_is_set_aside() {
    let folder = TempDir::new().unwrap();
    let rows = queue(&folder, [1, 2, 3]);
    let forbidden = || {
        json(
            403,
            &error("forbidden_scope", "only a register may do this"),
        )
    };
    let script = Script::new([forbidden(), forbidden(), taken(), taken()]);
    let client = client(&script);
    for _ in 0..2 {
        let delivery = rows.send(&client).await;
        let Some(Stopped::Call(error)) = delivery.stopped else {
            panic!("{delivery:?}");
        };
        assert_eq!(error.code(), Some(&ErrorCode::ForbiddenScope));
        assert_eq!((rows.waiting(), rows.refused().len()), (3, 0));
    }
    let first = rows.first().unwrap();
    assert!(first.body().contains("\"totalCents\":1"));
    assert!(rows.set_aside(first.key()).await.unwrap());
    assert!(!rows.set_aside(first.key()).await.unwrap());
    let delivery = rows.send(&client).await;
    assert_eq!(delivery.delivered.len(), 2);
    assert!(delivery.stopped.is_none() && rows.first().is_none());
    assert_eq!(amounts(&script.finish()), [1, 1, 2, 3]);

    drop(rows);
    let rows = queue(&folder, []);
    assert_eq!(rows.waiting(), 0);
    let refused = rows.refused();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].row.key(), first.key());
    assert!(refused[0].message.contains("by hand"), "{:?}", refused[0]);
}

/// The service repeats such a refusal, and a corrected clock does not change the row: it is pushed
/// anew with another time.
#[tokio::test]
async fn a_row_with_a_time_that_cannot_be_is_set_aside_and_corrected() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1, 2]);
    let ahead = json!({ "error": {
        "code": "validation_failed", "field": "createdAt",
        "message": "createdAt: must be at most 24 hours ahead",
    }});
    let script = Script::new([json(422, &ahead), taken(), taken()]);
    let client = client(&script);
    let delivery = queue.send(&client).await;
    assert_eq!((delivery.delivered.len(), delivery.refused.len()), (1, 1));
    let refused = &delivery.refused[0];
    assert_eq!(refused.field.as_deref(), Some("createdAt"));

    let DeviceWrite::Transaction(mut row) = refused.row.to_write().unwrap() else {
        panic!("{refused:?}");
    };
    let right = "2026-11-20T09:15:30Z".parse().unwrap();
    row.created_at = Field::Value(right);
    let key = queue.push(*row).unwrap();
    assert!(queue.forget_refused(refused.row.key()).unwrap());
    let delivery = queue.send(&client).await;
    assert_eq!(delivery.delivered[0].key, key);
    let sent = script.finish();
    assert_eq!(amounts(&sent), [1, 2, 1]);
    assert_eq!(sent[2].json()["createdAt"], right.to_string());
    assert_ne!(sent[2].key(), sent[0].key());
}

/// A sale stays a sale: it waits until there is room for it.
#[tokio::test]
async fn a_row_that_there_is_no_room_for_waits() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1, 2]);
    let full =
        json!({ "error": { "code": "limit_reached", "message": "this account stores 9 bytes" }});
    let script = Script::new([json(422, &full), taken(), taken()]);
    let client = client(&script);
    let delivery = queue.send(&client).await;
    assert!(delivery.stopped.is_some() && delivery.refused.is_empty());
    assert_eq!(queue.waiting(), 2);
    let delivery = queue.send(&client).await;
    assert_eq!((delivery.delivered.len(), queue.waiting()), (2, 0));
    let sent = script.finish();
    assert_eq!(amounts(&sent), [1, 1, 2]);
    assert_eq!(sent[0].key(), sent[1].key());
}

#[tokio::test]
async fn rows_are_pushed_while_others_are_sent() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, [1]);
    let script = Script::new([Reply::Silence]);
    let client = client(&script);
    let send = queue.send(&client);
    let push = async {
        while script.sent().is_empty() {
            tokio::task::yield_now().await;
        }
        queue.push(cash_in(2)).unwrap();
    };
    tokio::select! {
        _ = send => panic!("nothing was answered"),
        () = push => {}
    }
    // The first was sent and not acknowledged.
    assert_eq!(queue.waiting(), 2);
}

#[tokio::test]
async fn two_that_send_at_once_send_each_row_once() {
    let folder = TempDir::new().unwrap();
    let queue = queue(&folder, 1..=20);
    let script = Script::new((0..20).map(|_| taken()));
    let client = client(&script);
    let queue = Arc::new(queue);
    let send = || {
        let (queue, client) = (queue.clone(), client.clone());
        tokio::spawn(async move { queue.send(&client).await.delivered.len() })
    };
    let (one, other) = (send(), send());
    let delivered = [one.await.unwrap(), other.await.unwrap()];
    assert_eq!(delivered.iter().sum::<usize>(), 20);
    assert_eq!(amounts(&script.finish()), (1..=20).collect::<Vec<_>>());
}
