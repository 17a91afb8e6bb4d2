//! The program as an operator meets it: its settings, its log, and its files.

use std::{
    fs::{self, File},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::Path,
    process::Stdio,
    time::Duration,
};

use connect_tests::{
    http::{Request, send},
    process::{Process, run_in},
    shop::device_path,
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    process::Command,
    time::{sleep, timeout},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");
/// Stands for what nobody should find in a log.
const SECRET: &str = "hunter2-hunter2";

/// Starts a demo in a folder, with these variables. Its log is in the folder as well.
async fn serve(folder: &Path, variables: &[(&str, &str)]) -> Process {
    let log = File::create(folder.join("log")).unwrap();
    let data = folder.join("data");
    let data = ("CONNECT_DATA", data.to_str().unwrap());
    let variables = [&[data], variables].concat();
    let server = Process::start_in(PROGRAM, &["demo", "--json"], &variables, log).await;
    server.unwrap()
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap()
}

/// Sends requests of all kinds; the lines that the log should have of them, each with its method,
/// route, status and caller.
async fn requests(server: &Process) -> Vec<Value> {
    let token = server.token();
    let caller = format!("token {} Demo", &token[..12]);
    let products = server.at("products");
    let wrong_query = format!("{products}?{SECRET}=1");
    let unknown = format!("/v1/{SECRET}");
    let refused = || Request::get(&products).header("authorization", format!("Bearer {SECRET}"));
    let route = "/v1/locations/{location}/products";
    let mut lines = Vec::new();
    for (request, line) in [
        (
            Request::get(&products).bearer(&token),
            json!(["GET", route, 200, caller]),
        ),
        (
            Request::get(&wrong_query).bearer(&token),
            json!(["GET", route, 400, caller]),
        ),
        (
            Request::delete(&products).bearer(&token),
            json!(["DELETE", route, 405, caller]),
        ),
        (refused(), json!(["GET", route, 401, null])),
        (
            Request::get(&unknown).bearer(&token),
            json!(["GET", "none", 404, caller]),
        ),
        (
            Request::get("/v1/docs"),
            json!(["GET", "/v1/docs", 200, null]),
        ),
        (
            Request::get(format!("/{SECRET}")),
            json!(["GET", "none", 404, null]),
        ),
    ] {
        send(server.address, request).await.unwrap();
        lines.push(line);
    }
    let row = json!({
        "type": "cash_in", "totalCents": 100,
        "payments": [{ "method": "cash", "amountCents": 100 }],
    });
    let key = server.welcome["screens"][0]["key"].as_str().unwrap();
    let row = Request::post(device_path("transactions"), &row).bearer(key);
    send(server.owner_address, row).await.unwrap();
    lines.push(json!([
        "POST",
        "/device/v1/transactions",
        201,
        "screen Till 1"
    ]));
    lines
}

#[tokio::test]
async fn each_request_has_a_line_that_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let json = [("CONNECT_LOG_FORMAT", "json"), ("RUST_LOG", "info")];
    let server = serve(folder.path(), &json).await;
    let mut expected = requests(&server).await;
    let probe = || Request::get("/healthz");
    send(server.address, probe()).await.unwrap();
    send(server.owner_address, probe()).await.unwrap();
    let data = folder.path().join("data");
    let list = ["token", "list", "--data", data.to_str().unwrap()];
    assert_eq!(run_in(PROGRAM, &list, &[]).await.code, Some(0));
    expected.push(json!(["POST", "/admin/v1/commands", 200, "operator"]));
    let mut named = Request::get("/v1/locations").bearer(&server.token());
    named = named.header("x-request-id", "mine-1");
    send(server.address, named).await.unwrap();

    let secrets: Vec<_> = [server.token(), SECRET.to_owned()]
        .into_iter()
        .chain(
            server.welcome["screens"]
                .as_array()
                .unwrap()
                .iter()
                .map(|screen| screen["key"].as_str().unwrap().to_owned()),
        )
        .collect();
    assert_eq!(server.stop().await, Some(0));
    let log = log(folder.path());
    for secret in secrets {
        assert!(!log.contains(&secret), "a secret is in the log");
    }
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut of_requests: Vec<_> = lines
        .iter()
        .filter(|line| line["target"] == "connect_server::requests")
        .collect();
    let last = of_requests.pop().unwrap();
    assert_eq!(last["request_id"], "mine-1");
    assert_eq!(last["level"], "INFO");
    assert_eq!(last["client"], "127.0.0.1");
    assert!(last["microseconds"].as_u64().is_some_and(|time| time > 0));
    let facts: Vec<_> = of_requests
        .iter()
        .map(|line| {
            json!([
                line["method"],
                line["route"],
                line["status"],
                line["caller"]
            ])
        })
        .collect();
    assert_eq!(facts, expected);
}

#[tokio::test]
async fn a_log_for_people_has_the_same_lines_and_may_have_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(
        folder.path(),
        &[("RUST_LOG", "connect_server::requests=debug")],
    )
    .await;
    let expected = requests(&server).await.len();
    send(server.address, Request::get("/readyz")).await.unwrap();
    assert_eq!(server.stop().await, Some(0));
    let log = log(folder.path());
    assert_eq!(log.lines().count(), expected + 1, "{log}");
    let last = log.lines().last().unwrap();
    for word in ["DEBUG", "method=\"GET\"", "route=\"/readyz\"", "status=200"] {
        assert!(last.contains(word), "{last}");
    }
    assert!(!log.contains(SECRET), "{log}");
}

#[tokio::test]
async fn the_log_has_the_client_behind_a_proxy_that_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = [
        ("CONNECT_TRUSTED_PROXY", "127.0.0.1"),
        ("CONNECT_LOG_FORMAT", "json"),
    ];
    let server = serve(folder.path(), &proxy).await;
    let request = || Request::get("/v1/docs");
    let from = |client| request().header("x-forwarded-for", client);
    for request in [from("203.0.113.7"), request(), from("::ffff:203.0.113.8")] {
        send(server.address, request).await.unwrap();
    }
    assert_eq!(server.stop().await, Some(0));
    let log = log(folder.path());
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let of_requests = lines.filter(|line: &Value| line["target"] == "connect_server::requests");
    let clients: Vec<_> = of_requests.map(|line| line["client"].clone()).collect();
    assert_eq!(clients, ["203.0.113.7", "127.0.0.1", "203.0.113.8"]);
}

#[tokio::test]
async fn what_it_makes_is_its_users_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]).await;
    assert!(server.address.ip().is_loopback());
    let mut open = vec![folder.path().join("data")];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let facts = fs::metadata(&path).unwrap();
        let mode = facts.permissions().mode() & 0o777;
        let expected = if facts.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{} has {mode:o}", path.display());
        seen += 1;
        if facts.is_dir() {
            open.extend(
                fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
    }
    // The folder, the store with its files, the images, and the way in for commands.
    assert!(seen > 6, "only {seen}");
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test]
async fn an_unsafe_start_is_told_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let wide = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path().join("data"), wide).unwrap();
    let server = serve(folder.path(), &[("CONNECT_TRUSTED_PROXY", "0.0.0.0/0")]).await;
    assert_eq!(server.stop().await, Some(0));
    let log = log(folder.path());
    let has = |word: &str| {
        log.lines()
            .any(|line| line.contains("WARN") && line.contains(word))
    };
    assert!(has("other users can read the data folder"), "{log}");
    assert!(has("the server trusts every machine in 0.0.0.0/0"), "{log}");
}

/// A setting as `config` prints it: its value, and where that comes from.
fn setting<'v>(settings: &'v Value, flag: &str) -> (&'v Value, &'v str) {
    let all = settings["settings"].as_array().unwrap();
    let found = all.iter().find(|setting| setting["flag"] == flag).unwrap();
    (&found["value"], found["source"].as_str().unwrap())
}

#[tokio::test]
async fn the_settings_in_force_are_shown_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let url = format!("smtps://user:{SECRET}@mail.example");
    let variables = [
        ("CONNECT_DATA", data),
        ("CONNECT_SMTP_URL", &*url),
        ("CONNECT_MAIL_FROM", "shop@example.com"),
        ("CONNECT_METRICS_TOKEN", SECRET),
        ("CONNECT_TOKEN_LIMIT", "7"),
        ("CONNECT_ACCOUNT_LIMIT", "9"),
        ("CONNECT_TRUST_CLOCK", "yes"),
    ];
    let words = [
        "config",
        "--account-limit",
        "11",
        "--listen",
        "localhost:8080",
    ];
    let shown = run_in(PROGRAM, &[&words[..], &["--json"]].concat(), &variables).await;
    assert_eq!((shown.code, &*shown.said), (Some(0), ""));
    let settings: Value = serde_json::from_str(&shown.output).unwrap();
    for (flag, value, source) in [
        ("--data", json!(data), "environment"),
        ("--storage", json!(format!("redb:{data}/store")), "default"),
        ("--images", json!(format!("{data}/images")), "default"),
        ("--smtp-url", json!("********"), "environment"),
        ("--metrics-token", json!("********"), "environment"),
        ("--mail-from", json!("shop@example.com"), "environment"),
        ("--token-limit", json!("7"), "environment"),
        ("--account-limit", json!("11"), "flag"),
        ("--ip-limit", json!("30"), "default"),
        ("--listen", json!("localhost:8080"), "flag"),
        ("--trust-clock", json!("yes"), "environment"),
        ("--insecure-http", json!("false"), "default"),
        ("--tls-cert", Value::Null, "default"),
        ("--delivery-interval", json!("60"), "default"),
        ("--log-format", json!("text"), "default"),
    ] {
        assert_eq!(setting(&settings, flag), (&value, source), "{flag}");
    }
    let warnings = settings["warnings"].to_string();
    assert!(warnings.contains("--trust-clock"), "{warnings}");

    let text = run_in(PROGRAM, &words, &variables).await;
    assert_eq!((text.code, &*text.said), (Some(0), ""));
    for output in [&shown.output, &text.output] {
        assert!(!output.contains(SECRET), "a secret is shown");
    }
    let line = |flag: &str| {
        text.output
            .lines()
            .find(|line| line.starts_with(flag))
            .unwrap()
    };
    assert!(line("--token-limit").ends_with("  CONNECT_TOKEN_LIMIT"));
    assert!(line("--account-limit").ends_with("  flag"));
    assert!(line("--ip-limit").ends_with("  default"));
    assert!(line("Warning:").len() > 20);
    assert!(!Path::new(data).exists(), "it makes nothing");
}

/// Files of settings often name a variable and leave its value out.
#[tokio::test]
async fn an_empty_variable_sets_nothing() {
    let flags = [
        ("CONNECT_DATA", "--data"),
        ("CONNECT_LISTEN", "--listen"),
        ("CONNECT_TOKEN_LIMIT", "--token-limit"),
        ("CONNECT_TLS_CERT", "--tls-cert"),
        ("CONNECT_SMTP_URL", "--smtp-url"),
        ("CONNECT_METRICS_TOKEN", "--metrics-token"),
        ("CONNECT_INSECURE_HTTP", "--insecure-http"),
        ("CONNECT_LOG_FORMAT", "--log-format"),
    ];
    let empty = flags.map(|(variable, _)| (variable, ""));
    let shown = run_in(PROGRAM, &["config", "--json"], &empty).await;
    assert_eq!((shown.code, &*shown.said), (Some(0), ""));
    let settings: Value = serde_json::from_str(&shown.output).unwrap();
    for (variable, flag) in flags {
        assert_eq!(setting(&settings, flag).1, "default", "{variable}");
    }
    assert_eq!(setting(&settings, "--listen").0, "127.0.0.1:8080");
    let folder = tempfile::tempdir().unwrap();
    let data = ["token", "list", "--data", folder.path().to_str().unwrap()];
    let listed = run_in(PROGRAM, &data, &[("CONNECT_STORAGE", "")]).await;
    assert!(listed.said.contains("there is no store in"), "{listed:?}");
    let server = serve(folder.path(), &[("RUST_LOG", "")]).await;
    assert_eq!(server.stop().await, Some(0));
    assert!(log(folder.path()).contains("INFO"));
}

/// A command of root would leave files in the store that its server cannot read.
#[tokio::test]
async fn the_store_of_another_user_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]).await;
    assert_eq!(server.stop().await, Some(0));
    let data = folder.path().join("data");
    let store = data.join("store");
    let own = fs::metadata(&store).unwrap().uid();
    // Only root can give a file away.
    if own != 0 {
        return;
    }
    chown(&store, Some(65_534), None).unwrap();
    for (command, code) in [("token list", 1), ("check", 2), ("serve --listen 0", 1)] {
        let words: Vec<_> = command
            .split(' ')
            .chain(["--data", data.to_str().unwrap()])
            .collect();
        let refused = run_in(PROGRAM, &words, &[]).await;
        assert_eq!(refused.code, Some(code), "{refused:?}");
        let says = "belongs to user 65534: run connect-server as that user";
        assert!(refused.said.contains(says), "{refused:?}");
    }
    chown(&store, Some(own), None).unwrap();
    let words = ["check", "--data", data.to_str().unwrap()];
    assert_eq!(run_in(PROGRAM, &words, &[]).await.code, Some(0));
}

/// The signal was taken, and looked at after the start.
#[tokio::test]
async fn a_server_that_waits_for_its_database_is_stopped_at_once() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let storage = format!("postgres://connect@127.0.0.1:{port}/connect");
    let mut server = Command::new(PROGRAM)
        .args(["serve", "--listen", "0", "--admin-listen", "0"])
        .args(["--storage", &storage])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    // It is there, and never says a word.
    let _connection = silent.accept().await.unwrap();
    let id = server.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status().await;
    assert!(sent.unwrap().success());
    let ended = timeout(Duration::from_secs(10), server.wait()).await;
    let ended = ended.expect("an end within ten seconds").unwrap();
    assert_eq!(ended.code(), Some(0));
}

/// A word other than a level once stood for a part of the program, and silenced all else.
#[tokio::test]
async fn a_mistyped_level_of_the_log_silences_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[("RUST_LOG", "inof")]).await;
    assert_eq!(server.stop().await, Some(0));
    let log = log(folder.path());
    for word in ["RUST_LOG: a word without", "INFO", "stopped"] {
        assert!(log.contains(word), "{word}: {log}");
    }
}

/// SIGHUP would end a process that does not take it.
#[tokio::test]
async fn the_level_of_the_log_is_read_again_while_the_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let level = folder.path().join("level");
    let file = ("CONNECT_LOG_LEVEL_FILE", level.to_str().unwrap());
    fs::write(&level, "warn\n").unwrap();
    let server = serve(folder.path(), &[file]).await;
    let ask = async || {
        send(server.address, Request::get("/healthz"))
            .await
            .unwrap()
    };
    let has = |word: &str| log(folder.path()).contains(word);
    // Each after the one before has shown in the log, or in what the server does.
    for (content, word) in [
        ("debug", "route=\"/healthz\""),
        ("loud=very", "the level of the log stays as it is"),
    ] {
        assert!(!has(word), "{}", log(folder.path()));
        fs::write(&level, content).unwrap();
        server.signal("HUP").await;
        let told = async {
            while !has(word) {
                ask().await;
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(30), told).await.unwrap();
    }
    assert_eq!(server.stop().await, Some(0));
}
