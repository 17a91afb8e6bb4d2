//! The limits on what an account stores, for clients, its owner and the operator.

use connect_tests::{
    http::{Request, send},
    process::Process,
};
use serde_json::json;

use super::{PROGRAM, browser::Browser};

#[tokio::test]
async fn what_is_stored_is_shown_and_limited() {
    let data = tempfile::tempdir().unwrap();
    let limits = ["--location-products", "60", "--account-storage", "1"];
    let server = Process::start(PROGRAM, &data.path().join("s"), &limits)
        .await
        .unwrap();
    let link = server.welcome["invitationUrl"].as_str().unwrap();
    let mut owner = Browser::of_owner(&server, link).await;
    let token = server.token();
    let create = async |name: &str| {
        let made = Request::post(server.at("products"), &json!({ "name": name }));
        server.send(&token, made.key(name)).await
    };
    let page = owner.read("/dashboard/usage").await;
    for says in [" of 60<", "0 of 20000", " of 1.0 MiB"] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(!page.contains("almost reached"), "{page}");
    let mut made = 0;
    let refused = loop {
        let answer = create(&format!("Product-{made}")).await;
        if answer.status != 201 {
            break answer;
        }
        made += 1;
        assert!(made < 60);
    };
    assert!(made > 5, "{made}");
    let (_, _, message) = refused.fails(422, "limit_reached").failure();
    assert!(message.contains("may have 60"), "{message}");
    let page = owner.read("/dashboard/usage").await;
    assert!(
        page.contains("60 of 60<") && page.contains("almost reached"),
        "{page}"
    );

    // A batch of long descriptions fills the account; its items fail alone.
    let group = |number: usize| {
        let option = json!({ "name": format!("{number}-{}", "o".repeat(90)) });
        let options: Vec<_> = (0..100)
            .map(|at| {
                let mut option = option.clone();
                option["name"] = json!(format!("{at} {}", option["name"].as_str().unwrap()));
                option
            })
            .collect();
        json!({ "name": format!("Group {number}"), "options": options })
    };
    let mut failed = 0;
    for part in 0..3 {
        let items: Vec<_> = (0..40).map(|at| group(part * 40 + at)).collect();
        let batch = Request::post(server.at("option-groups/batch"), &json!({ "items": items }));
        let done = server.send(&token, batch).await.expect(200).data();
        failed += done["failed"].as_u64().unwrap();
        for result in done["results"].as_array().unwrap() {
            if result["status"] == "failed" {
                let message = result["error"]["message"].as_str().unwrap();
                assert_eq!(result["error"]["code"], "limit_reached", "{result}");
                assert!(message.contains("may store 1048576"), "{message}");
            }
        }
    }
    assert!((1..120).contains(&failed), "{failed}");
    let metrics = send(server.owner_address, Request::get("/metrics"))
        .await
        .unwrap();
    let metrics = String::from_utf8(metrics.body.to_vec()).unwrap();
    let figure = |name: &str| {
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(figure("connect_limit_reached_total"), (failed + 1) as f64);
    assert_eq!(figure("connect_accounts_near_limit"), 1.0);
    let stored = figure("connect_stored_bytes");
    // The last batch may fit, and its entry in the trail goes beyond the limit.
    assert!((800_000.0..2_500_000.0).contains(&stored), "{stored}");
    assert_eq!(figure("connect_stored_largest_bytes"), stored);
    server.kill().await;
}
