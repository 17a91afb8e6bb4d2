//! The command line: `connect-server webhook` on deliveries and databases. `stories/webhooks.txt` has the rest.

use std::{
    fs::{self, File},
    sync::Arc,
};

use async_trait::async_trait;
use connect_core::{
    Connect,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    storage::{
        postgres::testing::TestDatabase,
        redb::{RedbOptions, RedbStorage},
    },
    wire::Timestamp,
};
use connect_tests::{
    data::DataFolder,
    process::{Process, run_in},
};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");
/// A public address, which needs no lookup. Nothing is sent to it: no server runs on its store.
const URL: &str = "https://1.1.1.1/in";
/// An address at which nobody listens. The demo's server takes those of its own machine.
const NOBODY: &str = "https://127.0.0.1:9/in";
/// No record has this id.
const NOTHING: &str = "019a8c52-8e20-7c42-8a1f-4c2d6e8fab02";

fn folder() -> DataFolder {
    DataFolder::new(PROGRAM, "webhook")
}

/// A data folder with the demo's shop.
async fn with_shop() -> DataFolder {
    let data = folder();
    assert_eq!(data.serve().await.stop().await, Some(0));
    data
}

fn text(of: &Value, field: &str) -> String {
    of[field].as_str().unwrap().to_owned()
}

fn keys(of: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = of.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Makes a webhook for changes of products; its id and secret.
async fn create(data: &DataFolder, url: &str, more: &[&str]) -> (String, String) {
    let events = "catalog.product.changed";
    let create = ["create", "--url", url, "--events", events];
    let made = data.json(&[&create[..], more].concat()).await;
    assert_eq!(keys(&made), ["id", "secret"], "{made}");
    (text(&made, "id"), text(&made, "secret"))
}

/// The core on the store, while no server has it open.
fn open(data: &DataFolder) -> Connect {
    let storage = RedbStorage::open(data.store(), RedbOptions::default());
    let keys = data.secret_keys();
    let builder = Connect::builder(Arc::new(storage.unwrap()));
    builder.secret_keys(Arc::new(keys)).build()
}

/// Endpoints that all answer with this status; 0 for no answer.
struct Answering(u16);

#[async_trait]
impl WebhookSender for Answering {
    async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        match self.0 {
            0 => Err(SendFailure::NoAnswer(
                "The connection was refused.".to_owned(),
            )),
            status => Ok(WebhookAnswer::of(status)),
        }
    }
}

/// Attempts what is due, while no server has the store open.
async fn deliver(data: &DataFolder, status: u16) {
    let sender = Arc::new(Answering(status));
    let worker = open(data).webhook_worker(sender, None);
    worker.tick().await.unwrap();
}

const HERE: &str = "http://127.0.0.1:9/in";

/// Commands open a database themselves, beside servers.
#[tokio::test]
async fn commands_on_a_database_know_the_networks_that_its_servers_allow() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let storage = database.address();
    let server = Process::start_on(PROGRAM, &storage, &[]).await.unwrap();
    let words = ["webhook", "create", "--storage", &storage];
    let create = [&words[..], &["--url", HERE, "--events", "order.created"]].concat();
    for (networks, is_taken) in [
        ("", false),
        ("192.0.2.0/24", false),
        ("192.0.2.0/24,127.0.0.1", true),
    ] {
        let set = [("CONNECT_ALLOW_NETWORKS", networks)];
        let done = run_in(PROGRAM, &create, &set).await;
        let told = (done.code, done.said.contains("url: "));
        assert_eq!(told, (Some(i32::from(!is_taken)), !is_taken), "{done:?}");
    }
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn deliveries_are_listed_with_their_last_attempt_and_sent_again() {
    let data = with_shop().await;
    let (id, _) = create(&data, URL, &[]).await;
    let none = data.text(&["deliveries", &id]).await;
    assert!(
        none.starts_with("No delivery was attempted yet. "),
        "{none}"
    );

    let first = data.json(&["test", &id]).await;
    let first = text(&first, "id");
    deliver(&data, 204).await;
    let second = text(&data.json(&["test", &id]).await, "id");
    deliver(&data, 503).await;
    let third = text(&data.json(&["resend", &id, &first]).await, "id");
    deliver(&data, 0).await;

    let log = data.json(&["deliveries", &id]).await;
    let ids: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "id"))
        .collect();
    assert_eq!(ids, [&*third, &*second, &*first]);
    assert_eq!(
        keys(&log[0]),
        [
            "attempts",
            "createdAt",
            "eventAt",
            "eventId",
            "eventType",
            "id",
            "locationId",
            "nextAttemptAt",
            "status",
            "webhookEnabledAt",
            "webhookId",
        ]
    );
    assert_eq!(log[0]["eventId"], log[2]["eventId"]);
    assert_eq!(log[0]["status"], "pending");
    assert_eq!(
        keys(&log[0]["attempts"][0]),
        ["at", "durationMs", "reason", "statusCode"]
    );
    assert_eq!(
        log[0]["attempts"][0]["reason"],
        "The connection was refused."
    );
    assert_eq!(log[1]["attempts"][0]["statusCode"], 503);
    assert_eq!(log[2]["status"], "delivered");

    let shown = data.text(&["deliveries", &id]).await;
    let lines: Vec<_> = shown.lines().collect();
    let has = |line: &str, parts: &[&str]| {
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    };
    let [no_answer, failed, delivered] = lines[..] else {
        panic!("{shown}");
    };
    let at = text(&log[0]["attempts"][0], "at");
    has(
        no_answer,
        &[
            &third,
            &at,
            "pending",
            "1 attempt ",
            "---",
            "The connection was refused.",
        ],
    );
    has(
        failed,
        &[
            &second,
            "pending",
            "1 attempt ",
            "  503  ",
            "The endpoint answered 503.",
        ],
    );
    has(
        delivered,
        &[&first, "ping", "delivered", "1 attempt ", "  204  ", " ms"],
    );

    let limited = data.json(&["deliveries", &id, "--limit", "1"]).await;
    assert_eq!(limited.as_array().map(Vec::len), Some(1));
    let older = data.json(&["deliveries", &id, "--before", &second]).await;
    assert_eq!(text(&older[0], "id"), first);
    let listed = data.json(&["list"]).await;
    assert_eq!(listed[0]["failuresInARow"], 2);
    assert_ne!(listed[0]["lastSuccessAt"], Value::Null);

    // What waits beside one that is off is dropped where the owner wants that.
    data.json(&["disable", &id]).await;
    deliver(&data, 200).await;
    data.json(&["enable", &id, "--drop-waiting"]).await;
    deliver(&data, 200).await;
    data.json(&["disable", &id]).await;
    let given_up = data.text(&["deliveries", &id, "--limit", "1"]).await;
    assert!(
        given_up.contains("  given up   1 attempt   ---  "),
        "{given_up}"
    );
    let nothing = format!("has no delivery {NOTHING}");
    data.refuses(&["resend", &id, NOTHING], 1, &nothing).await;
    data.refuses(&["resend", &id, &first], 1, "this webhook is switched off")
        .await;
}

#[tokio::test]
async fn a_webhook_that_is_probed_is_listed_with_its_next_attempt() {
    let data = with_shop().await;
    let (id, _) = create(&data, URL, &[]).await;
    for failures in 1..=5 {
        let listed = data.json(&["list"]).await;
        assert_eq!(listed[0]["nextProbeAt"], Value::Null, "{listed}");
        data.json(&["test", &id]).await;
        deliver(&data, 503).await;
        let listed = data.json(&["list"]).await;
        assert_eq!(listed[0]["failuresInARow"], failures);
    }
    let listed = data.json(&["list"]).await;
    let [next, last] = ["nextProbeAt", "lastFailureAt"].map(|field| text(&listed[0], field));
    let last: Timestamp = last.parse().unwrap();
    assert_eq!(next, last.plus_seconds(60).to_string());
    let shown = data.text(&["list"]).await;
    let probed =
        format!(", and probed: one attempt a minute until one succeeds, the next at {next} ");
    assert!(shown.contains(&probed), "{shown}");
    let off = data.json(&["disable", &id]).await;
    assert_eq!(off["nextProbeAt"], Value::Null, "{off}");
    assert!(!data.text(&["list"]).await.contains("probed"));
}

/// With everything logged that there is.
#[tokio::test]
async fn no_secret_is_logged() {
    let data = folder();
    let log = data.path().join("log");
    let file = File::create(&log).unwrap();
    let server = Process::start_logged(PROGRAM, &data.store(), file).await;
    let server = server.unwrap();
    let (id, secret) = create(&data, NOBODY, &[]).await;
    let rolled = text(&data.json(&["roll", &id]).await, "secret");
    data.json(&["test", &id]).await;
    data.json(&["list"]).await;
    assert_eq!(server.stop().await, Some(0));
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("stopped"), "{log}");
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "{log}");
    for secret in [secret, rolled] {
        assert!(!log.contains(&secret), "a secret is in the log");
    }
}
