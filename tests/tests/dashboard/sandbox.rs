//! The sandbox is of the demo alone.

use connect_tests::{
    http::{Answer, Request, send},
    process::Process,
};
use http::{Method, StatusCode};

use super::{PROGRAM, demo};

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
