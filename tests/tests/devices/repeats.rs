//! Registers that are offline now and then: they deliver from a queue, repeat what may have
//! arrived, and nothing is doubled.

use connect_tests::{
    http::{Answer, Request},
    shop::{Device, Shop, device_path},
};
use serde_json::{Value, json};

use super::{cash, events, id, sale, soup};

async fn write(device: &Device<'_>, path: &str, key: &str, body: &Value) -> Answer {
    let request = Request::post(device_path(path), body).key(key);
    device.send(request).await
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == Some("true")
}

#[tokio::test]
async fn the_same_key_twice_is_the_same_record() {
    let shop = Shop::open().await;
    let (till, kiosk) = (shop.register("Till").await, shop.kiosk("Kiosk").await);
    let bodies = [
        (&till, "transactions", sale("Tea", 200)),
        (&till, "z-reports", json!({ "countedCents": 100 })),
        (&kiosk, "orders", soup()),
    ];
    for (device, path, body) in &bodies {
        let key = format!("first-of-{path}");
        let first = write(device, path, &key, body).await.expect(201);
        assert!(!is_replayed(&first));
        shop.clock.advance(60);
        let again = write(device, path, &key, body).await.expect(201);
        assert!(is_replayed(&again), "{path}");
        assert_eq!(first.body, again.body);
        // Another request with the key is refused, whatever it is about.
        for (_, at, _) in bodies.iter().filter(|(by, ..)| by.id == device.id) {
            let other = write(device, at, &key, &json!({ "other": true })).await;
            let (_, _, message) = other.fails(409, "conflict").failure();
            assert!(message.starts_with("Idempotency-Key: "), "{message}");
        }
        assert_eq!(shop.all(path, "").await, [first.data()]);
    }
    for kind in [
        "pos.transaction.created",
        "pos.zreport.created",
        "order.created",
    ] {
        assert_eq!(events(&shop, kind).await.len(), 1, "{kind}");
    }
}

/// A register may be offline for days between two attempts at a row.
#[tokio::test]
async fn the_key_of_a_device_is_forgotten_after_a_week() {
    const WEEK: i64 = 7 * 24 * 3600;
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    let body = sale("Tea", 200);
    let first = write(&till, "transactions", "k", &body).await.expect(201);
    shop.clock.advance(WEEK - 1);
    shop.connect.maintain().await.unwrap();
    let again = write(&till, "transactions", "k", &body).await.expect(201);
    assert!(is_replayed(&again));
    assert_eq!(first.body, again.body);
    let other = write(&till, "transactions", "k", &sale("Tea", 300)).await;
    let (_, _, message) = other.fails(409, "conflict").failure();
    assert!(message.contains("within the last 7 days"), "{message}");
    shop.clock.advance(1);
    shop.connect.maintain().await.unwrap();
    let anew = write(&till, "transactions", "k", &body).await.expect(201);
    assert!(!is_replayed(&anew));
}

#[tokio::test]
async fn a_change_of_an_order_is_repeated_without_effect() {
    let shop = Shop::open().await;
    let kiosk = shop.kiosk("Kiosk").await;
    let order = kiosk.make("orders", &soup()).await;
    let path = device_path(&format!("orders/{}", id(&order)));
    let accept = || Request::patch(&path, &json!({ "status": "accepted" })).key("accept");
    let first = kiosk.send(accept()).await.expect(200);
    let ready = Request::patch(&path, &json!({ "status": "ready" })).key("ready");
    let ready = kiosk.send(ready).await.expect(200).data();
    // It would be a step back if it were not the stored answer.
    let again = kiosk.send(accept()).await.expect(200);
    assert!(is_replayed(&again));
    assert_eq!(first.body, again.body);
    assert_eq!(shop.all("orders", "").await, [ready]);
}

/// A refusal is stored as well: a changed row needs a new key.
#[tokio::test]
async fn a_refusal_is_repeated_and_takes_no_number() {
    let shop = Shop::open().await;
    let till = shop.register("Till").await;
    let mut wrong = sale("Tea", 200);
    wrong["totalCents"] = 199.into();
    for replayed in [false, true] {
        let refused = write(&till, "transactions", "row-1", &wrong).await;
        assert_eq!(is_replayed(&refused), replayed);
        refused.fails(422, "validation_failed");
    }
    let row = write(&till, "transactions", "row-2", &sale("Tea", 200)).await;
    assert_eq!(row.expect(201).data()["receiptNumber"], 1);
}

/// Keys belong to the screen: two registers may number their rows alike, and a register whose key
/// was changed goes on with its queue.
#[tokio::test]
async fn keys_belong_to_the_screen() {
    let shop = Shop::open().await;
    let (mut till, bar) = (shop.register("Till").await, shop.register("Bar").await);
    let first = write(&till, "transactions", "row-1", &sale("Tea", 200)).await;
    let other = write(&bar, "transactions", "row-1", &sale("Beer", 400)).await;
    assert!(!is_replayed(&other));
    assert_eq!(other.expect(201).data()["receiptNumber"], 2);
    till.key = shop.roll(till.id).await;
    let again = write(&till, "transactions", "row-1", &sale("Tea", 200)).await;
    assert!(is_replayed(&again));
    assert_eq!(first.expect(201).body, again.body);
}

/// Three registers deliver what they wrote while they were offline, all at once, and each repeats
/// every third row because the answer got lost.
#[tokio::test]
async fn queues_of_several_registers_leave_no_gap_and_no_double() {
    const ROWS: usize = 30;
    let shop = Shop::open().await;
    let mut registers = Vec::new();
    for name in ["A", "B", "C"] {
        registers.push(shop.register(name).await);
    }
    let deliver = async |till: &Device<'_>| {
        for n in 0..ROWS {
            let mut row = match n % 5 {
                0 => cash("cash_in", 100),
                _ => sale("Tea", 200),
            };
            row["createdAt"] = format!("2026-11-19T{:02}:30:00Z", n % 24).into();
            let key = format!("row-{n}");
            let first = write(till, "transactions", &key, &row).await.expect(201);
            if n % 3 == 0 {
                let again = write(till, "transactions", &key, &row).await.expect(201);
                assert_eq!(first.body, again.body);
            }
        }
    };
    futures_util::future::join_all(registers.iter().map(deliver)).await;
    let rows = shop.all("transactions", "limit=50").await;
    let numbers: Vec<_> = rows
        .iter()
        .map(|row| row["receiptNumber"].as_u64())
        .collect();
    let expected: Vec<_> = (1..=3 * ROWS as u64).map(Some).collect();
    assert_eq!(numbers, expected);
    for till in &registers {
        let report = till.make("z-reports", &json!({})).await;
        assert_eq!(report["sales"]["count"], 24, "{report}");
        assert_eq!(report["cash"]["inCents"], 600, "{report}");
    }
    assert_eq!(events(&shop, "pos.transaction.created").await, rows);
}
