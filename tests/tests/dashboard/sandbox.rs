//! Days of trade. `stories/sandbox.txt` has the rest of the sandbox.

use std::{collections::BTreeMap, iter, time::Duration};

use connect_core::{
    environment::{Clock as _, SystemClock},
    local_time,
    wire::Timestamp,
};
use connect_tests::{
    http::{Answer, Request, send},
    process::Process,
};
use http::Method;
use tokio::time::Instant;

use super::PROGRAM;

async fn simulate(server: &Process, location: &str, what: &str, token: &str) -> Answer {
    let path = format!("/sandbox/v1/locations/{location}/{what}");
    let request = Request::new(Method::POST, path).bearer(token);
    send(server.owner_address, request).await.unwrap()
}

/// However much was written before, and whatever else goes on.
#[tokio::test]
async fn a_day_of_trade_takes_a_moment_and_leaves_the_orders_of_others() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().join("s");
    let server = Process::start(PROGRAM, &store, &[]).await.unwrap();
    let token = server.token();
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let began = SystemClock.now();
    let waiting = simulate(&server, location, "orders", &token).await;
    let waiting = waiting.expect(201).data();
    for days_ago in [3, 2, 1, 0] {
        let asked = Instant::now();
        let day = simulate(
            &server,
            location,
            &format!("days?daysAgo={days_ago}"),
            &token,
        )
        .await;
        let day = day.expect(201).data();
        assert_eq!(
            (day["sales"].as_u64(), day["orders"].as_u64()),
            (Some(60), Some(6))
        );
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    let orders = Request::get(server.at("orders?limit=200"));
    let orders = server.send(&token, orders).await.expect(200).list();
    assert_eq!(orders.len(), 4 * 6 + 1);
    for order in &orders {
        let expected = if order["id"] == waiting["id"] {
            "new"
        } else {
            "completed"
        };
        assert_eq!(order["status"], expected, "{order}");
    }
    // Each day is in the books of its own date, and none of it is of a time to come.
    let now: Timestamp = SystemClock.now();
    let mut sales = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let journal = format!("transactions?type=sale&limit=200{cursor}");
        let page = server.send(&token, Request::get(server.at(&journal))).await;
        let page = page.expect(200);
        for sale in page.list() {
            let at: Timestamp = sale["createdAt"].as_str().unwrap().parse().unwrap();
            assert!(at <= now, "{sale}");
            *sales.entry(local_time(at).date()).or_insert(0) += 1;
        }
        let Some(next) = page.next_cursor() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    let today = local_time(now).date();
    let days = iter::successors(Some(today), |day| day.pred_opt()).take(4);
    let expected: BTreeMap<_, _> = days.map(|day| (day, 60)).collect();
    // Midnight may have come on the way.
    if local_time(began).date() == today {
        assert_eq!(sales, expected);
    }
    server.kill().await;
}
