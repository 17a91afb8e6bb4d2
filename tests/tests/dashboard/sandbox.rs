//! The sandbox is of the demo alone.

use std::{collections::BTreeMap, iter, time::Duration};

use connect_core::{
    environment::{Clock as _, SystemClock},
    local_time,
    wire::Timestamp,
};
use connect_tests::{
    data::DataFolder,
    http::{Answer, Request, send},
    process::Process,
};
use http::{Method, StatusCode};
use tokio::time::Instant;

use super::{PROGRAM, browser::text, demo};

async fn simulate(server: &Process, location: &str, what: &str, token: &str) -> Answer {
    let path = format!("/sandbox/v1/locations/{location}/{what}");
    let request = Request::new(Method::POST, path).bearer(token);
    send(server.owner_address, request).await.unwrap()
}

#[tokio::test]
async fn a_shop_is_simulated_with_all_that_follows() {
    let (server, _) = demo().await;
    let token = server.token();
    let location = server.welcome["locations"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let nothing = simulate(&server, &location, "refunds", &token).await;
    nothing.fails(409, "conflict");
    let sale = simulate(&server, &location, "sales", &token)
        .await
        .expect(201)
        .data();
    let refund = simulate(&server, &location, "refunds", &token)
        .await
        .expect(201)
        .data();
    assert_eq!(refund["refundOf"], sale["id"]);
    assert_eq!(
        refund["totalCents"].as_i64(),
        sale["totalCents"].as_i64().map(|cents| -cents)
    );
    simulate(&server, &location, "refunds", &token)
        .await
        .fails(409, "conflict");
    let order = simulate(&server, &location, "orders", &token)
        .await
        .expect(201)
        .data();
    for status in ["accepted", "preparing", "ready", "completed"] {
        let moved = simulate(&server, &location, "order-steps", &token)
            .await
            .expect(201)
            .data();
        assert_eq!(
            (&moved["id"], moved["status"].as_str()),
            (&order["id"], Some(status))
        );
    }
    simulate(&server, &location, "order-steps", &token)
        .await
        .fails(409, "conflict");
    let day = simulate(&server, &location, "days?daysAgo=3", &token)
        .await
        .expect(201)
        .data();
    assert_eq!(
        (day["sales"].as_u64(), day["refunds"].as_u64()),
        (Some(60), Some(3))
    );
    let report = simulate(&server, &location, "z-reports", &token)
        .await
        .expect(201)
        .data();
    assert_eq!(report["sales"]["count"], 0, "the day was closed");

    simulate(&server, &location, "days?daysAgo=x", &token)
        .await
        .fails(400, "validation_failed");
    simulate(&server, &location, "floods", &token)
        .await
        .fails(404, "not_found");
    let missing = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    simulate(&server, missing, "sales", &token)
        .await
        .fails(403, "forbidden_location");
    simulate(&server, &location, "sales", "ck_test_x")
        .await
        .fails(401, "unauthorized");
    let path = format!("/sandbox/v1/locations/{location}/sales");
    let read = send(server.owner_address, Request::get(path).bearer(&token))
        .await
        .unwrap();
    read.fails(405, "method_not_allowed");
    server.kill().await;
}

/// A token may have made what it may see.
#[tokio::test]
async fn a_token_simulates_what_it_may_read() {
    let data = DataFolder::new(PROGRAM, "token");
    let server = data.serve().await;
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    for (scope, allowed) in [
        ("catalog:read", &[][..]),
        ("pos:read", &["sales", "refunds", "z-reports"]),
        ("orders:read", &["orders", "order-steps"]),
    ] {
        let made = data
            .json(&["create", "--name", "One", "--scopes", scope])
            .await;
        let token = made["token"].as_str().unwrap();
        for what in [
            "sales",
            "refunds",
            "z-reports",
            "orders",
            "order-steps",
            "days",
        ] {
            let answer = simulate(&server, location, what, token).await;
            let status = answer.status;
            if allowed.contains(&what) {
                assert_eq!(status, StatusCode::CREATED, "{scope}: {what}");
            } else {
                answer.fails(403, "forbidden_scope");
            }
        }
    }
    server.kill().await;
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

#[tokio::test]
async fn a_form_that_asks_for_nothing_known_does_nothing() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/sandbox").await;
    for (action, days_ago, status) in [
        ("", "", 404),
        ("flood", "0", 404),
        ("day", "", 400),
        ("day", "x", 400),
        ("day", "91", 400),
    ] {
        let fields = [("do", action), ("daysAgo", days_ago)];
        let refused = owner.submit("/dashboard/sandbox", &fields).await;
        assert_eq!(refused.status.as_u16(), status, "{action} {days_ago}");
    }
    let journal = Request::get(server.at("transactions"));
    let journal = server.send(&server.token(), journal).await.expect(200);
    assert_eq!(journal.list().len(), 0);
    server.kill().await;
}

/// The location and the day that were chosen were lost.
#[tokio::test]
async fn a_button_that_is_refused_shows_the_page_again() {
    let (server, mut owner) = demo().await;
    owner.read("/dashboard/sandbox").await;
    let location = server.welcome["locations"][1]["id"].as_str().unwrap();
    let fields = [
        ("do", "refund"),
        ("at", location),
        ("daysAgo", "3"),
        ("advanceBySeconds", "86400"),
    ];
    let refused = owner.submit("/dashboard/sandbox", &fields).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let page = text(&refused);
    for part in [
        "role=\"alert\">There is no sale that could be taken back",
        "<h1>Sandbox</h1>",
        "value=\"sale\"",
        "<option value=\"3\" selected>",
        "<option value=\"86400\" selected>",
        &format!("<option value=\"{location}\" selected>"),
        &format!("name=\"at\" value=\"{location}\""),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Nothing was done, so the same form may be sent again.
    let again = owner.submit("/dashboard/sandbox", &fields).await;
    assert!(text(&again).contains("There is no sale"));
    server.kill().await;
}

#[tokio::test]
async fn a_server_that_is_no_demo_simulates_nothing() {
    let server = Process::start_as(PROGRAM, "serve", "memory", &[])
        .await
        .unwrap();
    let location = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";
    let answer = simulate(&server, location, "sales", "ck_test_x").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    server.kill().await;
}
