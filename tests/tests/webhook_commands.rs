//! The command line: `connect-server webhook`, beside a running server and without one.

use std::{
    fs::{self, File},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    Account, Connect, NewAccount, NewLocation,
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    storage::{
        postgres::testing::TestDatabase,
        redb::{RedbOptions, RedbStorage},
    },
    wire::{Id, Location, Timestamp, VatRate},
};
use connect_tests::{
    data::DataFolder,
    process::{Process, run_in},
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

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

/// A data folder with the demo's shop, and the ids of its locations.
async fn with_shop() -> (DataFolder, Vec<String>) {
    let data = folder();
    let server = data.serve().await;
    let ids = locations(&server);
    assert_eq!(server.stop().await, Some(0));
    (data, ids)
}

fn locations(server: &Process) -> Vec<String> {
    let locations = server.welcome["locations"].as_array().unwrap();
    locations.iter().map(|at| text(at, "id")).collect()
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
    Connect::builder(Arc::new(storage.unwrap())).build()
}

/// Adds an account with a location to the store.
async fn add_account(data: &DataFolder, name: &str) -> (Id<Account>, Id<Location>) {
    let connect = open(data);
    let account = NewAccount {
        name: name.to_owned(),
        owner_email: "owner@example.com".to_owned(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Kiosk".to_owned(),
        currency: "EUR".to_owned(),
        default_vat_rate: VatRate::percent(9),
    };
    let location = connect.create_location(account, location).await.unwrap();
    (account, location.id)
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

#[tokio::test]
async fn a_webhook_is_managed_beside_a_running_server() {
    let data = folder();
    let server = data.serve().await;
    managed(&data, NOBODY, &locations(&server)).await;
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn a_webhook_is_managed_without_a_server() {
    let (data, locations) = with_shop().await;
    managed(&data, URL, &locations).await;
}

#[tokio::test]
async fn the_result_of_a_test_is_in_the_list_of_deliveries() {
    let data = folder();
    let server = data.serve().await;
    let (id, _) = create(&data, NOBODY, &[]).await;
    let ping = data.json(&["test", &id]).await;
    let listed = async {
        loop {
            let log = data.json(&["deliveries", &id]).await;
            if log != json!([]) {
                return log;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    // The demo's server looks every second.
    let log = timeout(Duration::from_secs(20), listed).await.unwrap();
    assert_eq!(log[0]["id"], ping["id"]);
    assert_eq!(log[0]["eventType"], "ping");
    let attempt = &log[0]["attempts"][0];
    assert_eq!(attempt["statusCode"], Value::Null);
    assert_eq!(attempt["reason"], "The endpoint took no connection.");
    assert_eq!(data.json(&["list"]).await[0]["failuresInARow"], 1);
    assert_eq!(server.stop().await, Some(0));
}

const HERE: &str = "http://127.0.0.1:9/in";

/// The networks that a server allows are its own: a command without it is told them.
#[tokio::test]
async fn the_network_of_a_server_is_taken_beside_it() {
    let data = folder();
    let server = data.serve().await;
    let (id, _) = create(&data, HERE, &[]).await;
    assert_eq!(server.stop().await, Some(0));
    let change = ["change", &id, "--url", HERE];
    data.refuses(&change, 1, "url: must start with https://")
        .await;
    // Everything else about it can be changed.
    let changed = data
        .json(&["change", &id, "--events", "order.created"])
        .await;
    assert_eq!(changed["url"], HERE);
    let told = [&change[..], &["--allow-networks", "127.0.0.0/8"]].concat();
    assert_eq!(data.json(&told).await["url"], HERE);
}

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

async fn managed(data: &DataFolder, url: &str, locations: &[String]) {
    assert_eq!(data.json(&["list"]).await, json!([]));
    let none = data.text(&["list"]).await;
    assert!(none.contains("There are no webhooks"), "{none}");

    let (id, secret) = create(data, url, &[]).await;
    assert!(secret.starts_with("whsec_") && secret.len() == 49);
    let listed = data.json(&["list"]).await;
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    let webhook = &listed[0];
    assert_eq!(
        keys(webhook),
        [
            "accountId",
            "createdAt",
            "enabledAt",
            "events",
            "failuresInARow",
            "id",
            "lastFailureAt",
            "lastSuccessAt",
            "locationIds",
            "nextProbeAt",
            "switchedOff",
            "url",
        ]
    );
    assert_eq!(webhook["id"], *id);
    assert_eq!(webhook["url"], url);
    assert_eq!(webhook["events"], json!(["catalog.product.changed"]));
    assert_eq!(webhook["locationIds"], json!([]));
    assert_eq!(webhook["switchedOff"], Value::Null);
    assert_eq!(webhook["failuresInARow"], 0);
    assert_eq!(webhook["lastSuccessAt"], Value::Null);

    let both = locations.join(",");
    let new_url = format!("{url}/new");
    let events = "order.created,stock.changed";
    let change = ["change", &id, "--url", &new_url, "--events", events];
    let changed = data
        .json(&[&change[..], &["--locations", &both]].concat())
        .await;
    assert_eq!(changed["url"], new_url);
    assert_eq!(changed["events"], json!(["order.created", "stock.changed"]));
    assert_eq!(changed["locationIds"], json!(locations));
    let changed = data.json(&["change", &id, "--all-locations"]).await;
    assert_eq!(changed["locationIds"], json!([]));
    assert_eq!(changed["url"], new_url);

    let rolled = data.json(&["roll", &id]).await;
    assert_eq!(keys(&rolled), ["id", "secret"]);
    assert_ne!(text(&rolled, "secret"), secret);

    let off = data.json(&["disable", &id]).await;
    assert_eq!(off["switchedOff"]["reason"], "owner");
    assert_eq!(data.json(&["disable", &id]).await, off);
    let listed = data.text(&["list"]).await;
    let since = text(&off["switchedOff"], "at");
    let status = format!("status             off since {since}, by the owner\n");
    assert!(listed.contains(&status), "{listed}");
    data.refuses(&["test", &id], 1, "this webhook is switched off")
        .await;
    let on = data.json(&["enable", &id]).await;
    assert_eq!(on["switchedOff"], Value::Null);
    assert_eq!(data.json(&["enable", &id]).await, on);
    let ping = data.json(&["test", &id]).await;
    assert_eq!(
        (&ping["eventType"], &ping["status"]),
        (&json!("ping"), &json!("pending"))
    );

    let deleted = data.json(&["delete", &id]).await;
    assert_eq!(deleted, json!({ "id": id, "deleted": true }));
    data.refuses(&["delete", &id], 1, &format!("there is no webhook {id}"))
        .await;
    assert_eq!(data.json(&["list"]).await, json!([]));
}

#[tokio::test]
async fn what_people_read_says_what_comes_next() {
    let data = folder();
    let server = data.serve().await;
    let locations = locations(&server);
    let create = ["create", "--url", NOBODY, "--events", "order.created"];
    let made = data
        .text(&[&create[..], &["--locations", &locations[1]]].concat())
        .await;
    let id = &made[..36];
    assert!(made.contains("  secret whsec_"), "{made}");
    assert!(made.contains("  (shown this once)\n"), "{made}");
    let next = format!("`connect-server webhook test {id}`");
    assert!(made.contains(&next), "{made}");

    let listed = data.text(&["list"]).await;
    assert!(listed.starts_with(&format!("{id}  {NOBODY}\n")), "{listed}");
    for line in [
        "events             order.created",
        &format!("locations          {}", locations[1]),
        "status             on since 20",
        "last success       never",
        "failures in a row  0",
    ] {
        assert!(listed.contains(&format!("\n  {line}")), "{line}: {listed}");
    }
    assert!(!listed.contains("whsec_"), "{listed}");
    let rolled = data.text(&["roll", id]).await;
    assert!(rolled.contains("For 24 hours"), "{rolled}");
    let enabled = data.text(&["enable", id]).await;
    assert!(
        enabled.contains("Waiting events are sent or dropped"),
        "{enabled}"
    );

    let next = format!("`connect-server webhook deliveries {id}`");
    let note = "No server runs on this store: the delivery is made when one does.";
    let tested = data.text(&["test", id]).await;
    assert!(tested.contains(&next) && !tested.contains(note), "{tested}");
    assert_eq!(server.stop().await, Some(0));
    let tested = data.text(&["test", id]).await;
    assert!(tested.contains(&next) && tested.contains(note), "{tested}");

    let deleted = data.text(&["delete", id]).await;
    assert_eq!(deleted, format!("{id} was deleted.\n"));
}

#[tokio::test]
async fn deliveries_are_listed_with_their_last_attempt_and_sent_again() {
    let (data, _) = with_shop().await;
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
    let (data, _) = with_shop().await;
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

#[tokio::test]
async fn with_two_accounts_a_webhook_belongs_to_the_one_that_is_named() {
    let (data, locations) = with_shop().await;
    let (account, location) = add_account(&data, "Bakery Two").await;
    let (account, location) = (account.to_string(), location.to_string());

    let new = ["create", "--url", URL, "--events", "order.created"];
    let more = |more: &[&'static str]| [&new[..], more].concat();
    data.refuses(&more(&[]), 1, "the store has 2 accounts")
        .await;
    data.refuses(&more(&[]), 1, &format!("{account} (Bakery Two)"))
        .await;
    let both = format!("{},{location}", locations[0]);
    let across = [&new[..], &["--locations", &both]].concat();
    let says = "locationIds[1]: is no location of this account";
    data.refuses(&across, 1, says).await;
    let elsewhere = [
        &new[..],
        &["--account", &account, "--locations", &locations[0]],
    ]
    .concat();
    let says = "locationIds[0]: is no location of this account";
    data.refuses(&elsewhere, 1, says).await;
    let nobody = [&new[..], &["--account", NOTHING]].concat();
    data.refuses(&nobody, 1, "no account").await;
    assert_eq!(data.json(&["list"]).await, json!([]));

    let (by_location, _) = create(&data, URL, &["--locations", &location]).await;
    let (by_account, _) = create(&data, URL, &["--account", &account]).await;
    let (of_shop, _) = create(&data, URL, &["--locations", &locations[1]]).await;
    let listed = data.json(&["list"]).await;
    let listed = listed.as_array().unwrap();
    let account_of = |id: &str| {
        let found = listed.iter().find(|webhook| webhook["id"] == *id);
        text(found.unwrap(), "accountId")
    };
    assert_eq!(listed.len(), 3);
    assert_eq!(account_of(&by_location), account);
    assert_eq!(account_of(&by_account), account);
    assert_ne!(account_of(&of_shop), account);
    // Each is found without its account.
    for id in [by_location, by_account, of_shop] {
        data.json(&["test", &id]).await;
        data.json(&["delete", &id]).await;
    }
}

#[tokio::test]
async fn wrong_commands_are_clear_errors() {
    let data = folder();
    data.refuses(&["list"], 1, "there is no store in").await;
    let server = data.serve().await;
    let at = locations(&server).remove(0);
    // With the server and without it the answers are the same.
    for server in [Some(server), None] {
        wrong(&data, &at).await;
        assert_eq!(data.json(&["list"]).await, json!([]));
        if let Some(server) = server {
            assert_eq!(server.stop().await, Some(0));
        }
    }
}

async fn wrong(data: &DataFolder, at: &str) {
    let new = async |url: &str, events: &str, more: &[&str], code: i32, says: &str| {
        let create = ["create", "--url", url, "--events", events];
        data.refuses(&[&create[..], more].concat(), code, says)
            .await;
    };
    let good = "order.created";
    // The known types, and the nearest.
    let unknown = "catalog.product.change";
    new(URL, unknown, &[], 2, "stock.batch_changed").await;
    new(
        URL,
        unknown,
        &[],
        2,
        "a similar value exists: 'catalog.product.changed'",
    )
    .await;
    for events in [
        "ping",
        "*",
        "all",
        "",
        "order.created,",
        "order.created, stock.changed",
    ] {
        new(URL, events, &[], 2, "--events").await;
    }
    new(
        URL,
        "order.created,order.created",
        &[],
        1,
        "events[1]: repeats",
    )
    .await;
    data.refuses(&["create", "--url", URL], 2, "--events").await;
    data.refuses(&["create", "--events", good], 2, "--url")
        .await;

    new("", good, &[], 1, "url: ").await;
    new("hooks.example", good, &[], 1, "url: ").await;
    let public = "url: must lead to a public address on the internet";
    for private in [
        "https://10.0.0.1/",
        "https://[fd00::1]/",
        "https://169.254.169.254/",
    ] {
        new(private, good, &[], 1, public).await;
    }
    new(
        "http://1.1.1.1/",
        good,
        &[],
        1,
        "url: must start with https://",
    )
    .await;
    new(
        "https://1.1.1.1:8443/",
        good,
        &[],
        1,
        "url: must not name a port",
    )
    .await;
    new("ftp://hooks.example/", good, &[], 1, "url: ").await;
    new("https://user:word@hooks.example/", good, &[], 1, "url: ").await;
    new("https://hooks.example/\u{1b}[2J", good, &[], 1, "url: ").await;
    let long = format!("{URL}/{}", "x".repeat(2000));
    new(&long, good, &[], 1, "url: ").await;

    let nowhere = format!("there is no location {NOTHING}");
    new(URL, good, &["--locations", NOTHING], 1, &nowhere).await;
    let second = format!("{at},{NOTHING}");
    let says = "locationIds[1]: is no location of this account";
    new(URL, good, &["--locations", &second], 1, says).await;
    let twice = format!("{at},{at}");
    new(
        URL,
        good,
        &["--locations", &twice],
        1,
        "locationIds[1]: repeats",
    )
    .await;
    new(URL, good, &["--locations", ""], 2, "--locations").await;
    new(URL, good, &["--locations", "7"], 2, "invalid value '7'").await;
    new(URL, good, &["--account", NOTHING], 1, "no account").await;

    let no_webhook = format!("there is no webhook {NOTHING}");
    for command in ["test", "roll", "enable", "disable", "delete", "deliveries"] {
        data.refuses(&[command, NOTHING], 1, &no_webhook).await;
        data.refuses(&[command, "7"], 2, "invalid value '7'").await;
        data.refuses(&[command], 2, "<ID>").await;
    }
    data.refuses(&["resend", NOTHING, NOTHING], 1, &no_webhook)
        .await;
    data.refuses(&["resend", NOTHING], 2, "<DELIVERY>").await;
    data.refuses(&["change", NOTHING, "--url", URL], 1, &no_webhook)
        .await;
    data.refuses(&["change", NOTHING], 2, "required").await;
    let both = ["change", NOTHING, "--all-locations", "--locations", at];
    data.refuses(&both, 2, "cannot be used with").await;
    for limit in ["0", "201", "-1", "x"] {
        let limit = format!("--limit={limit}");
        data.refuses(&["deliveries", NOTHING, &limit], 2, "--limit")
            .await;
    }
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
