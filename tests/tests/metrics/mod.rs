//! The metrics: they rise as things happen, and hold nothing that a client chose. `stories/commands.txt`
//! has who may read them.

mod dashboard;
mod text;

use std::{net::SocketAddr, time::Duration};

use connect_tests::{
    data::DataFolder,
    http::{Answer, Request, send},
    process::Process,
};
use http::{Method, StatusCode};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::{Instant, sleep},
};

use self::text::Text;

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

async fn ask(server: &Process, request: Request) -> Answer {
    send(server.owner_address, request).await.unwrap()
}

async fn scrape(server: &Process) -> Text {
    let answer = ask(server, Request::get("/metrics")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let kind = answer.header("content-type");
    assert_eq!(kind, Some("text/plain; version=0.0.4"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    Text::read(std::str::from_utf8(&answer.body).unwrap())
}

/// Scrapes until it is so.
async fn until(server: &Process, is_so: impl Fn(&Text) -> bool) -> Text {
    let began = Instant::now();
    loop {
        let text = scrape(server).await;
        if is_so(&text) {
            return text;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{text:#?}");
        sleep(Duration::from_millis(200)).await;
    }
}

/// An endpoint on this machine that answers every request with this status.
async fn endpoint(status: u16) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = [0; 4096];
                let _ = stream.read(&mut head).await;
                let answer = format!(
                    "HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    address
}

#[tokio::test]
async fn figures_rise_as_things_happen() {
    let data = DataFolder::new(PROGRAM, "webhook");
    let limits = ["--token-limit", "12", "--ip-limit", "2"];
    let server = Process::start(PROGRAM, &data.store(), &limits).await;
    let server = server.unwrap();
    let (good, bad) = (endpoint(204).await, endpoint(500).await);
    for address in [good, bad] {
        let url = format!("http://{address}/hooks/secret-part");
        let events = "catalog.product.changed";
        let create = ["create", "--url", &url, "--events", events];
        data.json(&create).await;
    }
    let before = scrape(&server).await;
    assert_eq!(before.sum("connect_webhooks", &[("state", "on")]), 2.0);
    let state = |state| before.sum("connect_store_state", &[("state", state)]);
    assert_eq!(
        (state("working"), state("full"), state("failed")),
        (1.0, 0.0, 0.0)
    );
    assert_eq!(before.sum("connect_queues_counted", &[]), 1.0);

    let token = server.token();
    let products = server.at("products");
    let image = format!("http://{bad}/image.png");
    let made = json!({ "name": "Rye", "imageUrl": image });
    let made = Request::post(&products, &made).bearer(&token);
    assert_eq!(send(server.address, made).await.unwrap().status, 201);
    // More than the limits of two minutes, should one end on the way.
    let mut refused = 0;
    for _ in 0..26 {
        let list = Request::get(&products).bearer(&token);
        let status = send(server.address, list).await.unwrap().status;
        refused += usize::from(status == StatusCode::TOO_MANY_REQUESTS);
    }
    for _ in 0..5 {
        let list = Request::get(&products).bearer("ck_test_wrong");
        send(server.address, list).await.unwrap();
    }
    let after = until(&server, |text| {
        let of = |result| text.sum("connect_deliveries_total", &[("result", result)]);
        let images = text.sum("connect_images_total", &[]);
        of("succeeded") >= 1.0 && of("failed") >= 1.0 && images >= 1.0
    })
    .await;
    let rise = |name: &str, labels: &[(&str, &str)]| after.rise_since(&before, name, labels);
    let route = ("route", "/v1/locations/{location}/products");
    let requests = "connect_http_requests_total";
    // These begin with their first request.
    let of = |method, status| after.sum(requests, &[route, ("method", method), ("status", status)]);
    assert_eq!(of("POST", "201"), 1.0);
    assert!(refused >= 1, "the minute ended twice");
    assert!(of("GET", "429") >= refused as f64);
    assert_eq!(of("GET", "200") + of("GET", "429") + of("GET", "401"), 31.0);
    let times = "connect_http_request_duration_seconds_count";
    assert_eq!(after.sum(times, &[route]), 32.0);
    let answers = |class| rise("connect_http_answers_total", &[("class", class)]);
    assert!(answers("2xx") >= 1.0 + of("GET", "200"));
    assert!(answers("4xx") >= of("GET", "429") + of("GET", "401"));
    assert_eq!((answers("3xx"), answers("5xx")), (0.0, 0.0));
    let limited = |limit| rise("connect_rate_limited_total", &[("limit", limit)]);
    assert_eq!(limited("token"), refused as f64);
    assert!(limited("address") >= 1.0);
    assert_eq!(limited("account"), 0.0);
    assert!(rise("connect_store_commits_total", &[("result", "done")]) >= 3.0);
    assert_eq!(
        rise("connect_store_commits_total", &[("result", "failed")]),
        0.0
    );
    // The delivery that failed waits for its retry.
    assert_eq!(after.sum("connect_outbox_deliveries", &[]), 1.0);
    assert!(after.sum("connect_outbox_oldest_seconds", &[]) > 0.0);
    assert!(after.sum("connect_store_bytes", &[]) > 10_000.0);
    assert!(after.sum("connect_http_connections", &[("listener", "owner")]) >= 1.0);
    for name in [
        "process_resident_memory_bytes",
        "process_start_time_seconds",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_max_fds",
    ] {
        assert!(after.sum(name, &[]) > 0.0, "{name}");
    }
    server.kill().await;
}

#[tokio::test]
async fn nothing_that_a_client_chose_is_in_them() {
    let server = Process::start_on(PROGRAM, "memory", &[]).await.unwrap();
    let token = server.token();
    for number in 0..40 {
        let paths = [
            format!("/hunter2-{number}"),
            format!("/v1/hunter2/{number}"),
            format!("{}/hunter2-{number}", server.at("products")),
            format!("/images/hunter2-{number}"),
            format!("/dashboard/hunter2-{number}"),
            format!("/device/v1/hunter2-{number}"),
            format!("/sandbox/v1/hunter2-{number}?a=hunter2"),
        ];
        let method = Method::from_bytes(format!("HUNTER2{number}").as_bytes()).unwrap();
        for path in paths {
            for to in [server.address, server.owner_address] {
                for method in [&Method::GET, &method] {
                    let request = Request::new(method.clone(), &*path).bearer(&token);
                    send(to, request).await.unwrap();
                }
            }
        }
    }
    let text = scrape(&server).await;
    let requests = &text.0["connect_http_requests_total"].samples;
    assert!(requests.len() < 30, "{requests:#?}");
    let other = text.sum("connect_http_requests_total", &[("method", "other")]);
    assert!(other >= 500.0, "{other}");
    let shown = format!("{text:?}").to_lowercase();
    for secret in ["hunter2", &token.to_lowercase()[8..], "korenbloem", "demo"] {
        assert!(!shown.contains(secret), "{secret}");
    }
    // The table of routes has every template, so none is called "other".
    let unknown = requests
        .iter()
        .filter(|(sample, _)| sample.labels["route"] == "other");
    assert_eq!(unknown.count(), 0);
    server.kill().await;
}

#[tokio::test]
async fn every_route_is_counted_under_its_own_name() {
    let server = Process::start_on(PROGRAM, "memory", &[]).await.unwrap();
    let location = server.welcome["locations"][0]["id"].as_str().unwrap();
    let sandbox = format!("/sandbox/v1/locations/{location}/sales");
    let image = format!("/images/{}.jpg", "0".repeat(64));
    let cases = [
        (false, "/v1/locations", "/v1/locations"),
        (false, "/v1/openapi.json", "/v1/openapi.json"),
        (false, "/v1/docs", "/v1/docs"),
        (false, "/healthz", "/healthz"),
        (true, "/readyz", "/readyz"),
        (true, "/dashboard/tokens", "/dashboard/tokens"),
        (true, "/dashboard/sign-in", "/dashboard/sign-in"),
        (true, "/device/v1/openapi.json", "/device/v1/openapi.json"),
        (true, "/device/v1/docs", "/device/v1/docs"),
        (true, "/device/v1/transactions", "/device/v1/transactions"),
        (true, "/admin/v1/commands", "/admin/v1/commands"),
        (
            true,
            &sandbox,
            "/sandbox/v1/locations/{location}/{simulation}",
        ),
        (true, "/metrics", "/metrics"),
        (false, &image, "none"),
    ];
    for (is_owners, path, _) in cases {
        let to = if is_owners {
            server.owner_address
        } else {
            server.address
        };
        send(to, Request::get(path)).await.unwrap();
    }
    let text = scrape(&server).await;
    for (_, path, route) in cases {
        let count = text.sum("connect_http_requests_total", &[("route", route)]);
        assert!(count >= 1.0, "{path}");
    }
    server.kill().await;
}
