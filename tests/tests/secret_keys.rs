//! The keys for stored secrets: made, rotated beside a running server, lost, and brought back.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    time::Duration,
};

use connect_core::storage::postgres::testing::TestDatabase;
use connect_tests::{
    data::DataFolder,
    process::{Process, run, run_in},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    time::{sleep, timeout},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

/// Starts an endpoint that takes everything. Returns its address.
async fn endpoint() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let done = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(done.as_bytes()).await;
        }
    });
    url
}

/// Starts a demo on the folder, with this log.
async fn serve(data: &DataFolder, log: &str) -> Process {
    let log = File::create(data.path().join(log)).unwrap();
    let folder = ("CONNECT_DATA", data.path().to_str().unwrap());
    let server = Process::start_in(PROGRAM, &["demo", "--json"], &[folder], log).await;
    server.unwrap()
}

/// Runs `secrets` on the folder. Returns its result.
async fn secrets(data: &DataFolder, command: &str) -> Value {
    let folder = data.path().to_str().unwrap();
    let done = run(PROGRAM, &["secrets", command, "--json", "--data", folder]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.output).unwrap()
}

/// The keys that the server has or misses, each with the number of its secrets.
async fn counted(data: &DataFolder) -> Vec<(String, u64, bool)> {
    let status = secrets(data, "status").await;
    let keys = status["keys"].as_array().unwrap().iter().map(|key| {
        let id = key["id"].as_str().unwrap().to_owned();
        let (secrets, missing) = (key["secrets"].as_u64(), key["missing"].as_bool());
        (id, secrets.unwrap(), missing.unwrap())
    });
    keys.collect()
}

async fn create(data: &DataFolder, url: &str) -> String {
    let events = "catalog.product.changed";
    let made = data
        .json(&["create", "--url", url, "--events", events])
        .await;
    made["id"].as_str().unwrap().to_owned()
}

/// Sends a ping, and waits until so many have arrived.
async fn pings(data: &DataFolder, webhook: &str, expected: usize) {
    data.json(&["test", webhook]).await;
    let arrive = async {
        loop {
            let log = data.json(&["deliveries", webhook]).await;
            let log = log.as_array().unwrap();
            assert!(
                log.iter().all(|one| one["status"] == "delivered"),
                "{log:?}"
            );
            if log.len() == expected {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), arrive).await.unwrap();
}

#[tokio::test]
async fn a_key_is_made_rotated_lost_and_brought_back() {
    let data = DataFolder::new(PROGRAM, "webhook");
    let url = endpoint().await;
    let server = serve(&data, "first.log").await;
    let file = data.key_file();
    let mode = || fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(), 0o600);
    let old = create(&data, &url).await;
    pings(&data, &old, 1).await;
    let first = counted(&data).await;
    assert_eq!((first.len(), first[0].1), (1, 1), "{first:?}");
    let first = first[0].0.clone();
    // The running server seals by a new key at once, and opens what the former one has sealed.
    let rotated = secrets(&data, "rotate").await;
    let second = rotated["key"].as_str().unwrap().to_owned();
    assert_eq!(rotated["file"], json!(file));
    assert_eq!(mode(), 0o600);
    let new = create(&data, &url).await;
    let both = [(second.clone(), 1, false), (first.clone(), 1, false)];
    assert_eq!(counted(&data).await, both);
    pings(&data, &old, 2).await;
    pings(&data, &new, 1).await;
    assert_eq!(server.stop().await, Some(0));
    // Rounds of maintenance seal all by it, the first one at the start.
    let server = serve(&data, "second.log").await;
    let all = [(second.clone(), 2, false), (first, 0, false)];
    let sealed = async {
        while counted(&data).await != all {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), sealed).await.unwrap();
    assert_eq!(server.stop().await, Some(0));
    // Without the file the server serves, makes no other one, and says what waits.
    let away = data.path().join("away");
    fs::rename(&file, &away).unwrap();
    let server = serve(&data, "third.log").await;
    assert!(!file.exists());
    assert_eq!(counted(&data).await, [(second.clone(), 2, true)]);
    let list = data.text(&["list"]).await;
    let waits = "its deliveries wait: the key of its secret is missing";
    assert_eq!(list.matches(waits).count(), 2, "{list}");
    let create = ["create", "--url", &url, "--events", "order.created"];
    data.refuses(&create, 1, "this server has no key to store a secret with")
        .await;
    data.json(&["test", &old]).await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!(
        data.json(&["deliveries", &old])
            .await
            .as_array()
            .unwrap()
            .len(),
        2
    );
    // Back in its place, the file needs no restart, and nothing was lost.
    fs::rename(&away, &file).unwrap();
    pings(&data, &old, 4).await;
    assert!(!data.text(&["list"]).await.contains(waits));
    assert_eq!(server.stop().await, Some(0));
    let log = |name: &str| fs::read_to_string(data.path().join(name)).unwrap();
    let third = log("third.log");
    for (line, count) in [
        ("stored secrets do not open: bring back their keys", 1),
        (
            "deliveries to a webhook wait, as its secret does not open",
            1,
        ),
        ("the secret of a webhook opens again", 1),
        ("other keys for stored secrets are in use", 1),
    ] {
        assert_eq!(third.matches(line).count(), count, "{line}: {third}");
    }
    assert!(third.contains(&second), "{third}");
    let keys = fs::read_to_string(&file).unwrap();
    let keys: Vec<_> = keys.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(keys.len(), 2);
    for name in ["first.log", "second.log", "third.log"] {
        let log = log(name);
        assert!(keys.iter().all(|key| !log.contains(key)), "{name}");
        assert!(!log.contains("whsec_"), "{name}");
    }
}

/// Each server of a database has to have the same keys.
#[tokio::test]
async fn a_server_on_a_database_needs_a_key() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    let file = file.to_str().unwrap();
    let storage = database.address();
    let serve = [
        "serve",
        "--listen",
        "0",
        "--admin-listen",
        "0",
        "--storage",
        &storage,
    ];
    let words = ["secrets", "rotate", "--storage", &storage];
    let (unset, named) = (
        ("CONNECT_SECRETS_KEY", ""),
        ("CONNECT_SECRETS_KEY_FILE", file),
    );
    for (words, variables, why) in [
        (&serve[..], &[unset][..], "a database needs a key"),
        (
            &serve,
            &[unset, named],
            "is missing: bring it, or make it with",
        ),
        (&words, &[unset], "there is no file of keys"),
        (
            &words,
            &[("CONNECT_SECRETS_KEY", &"ab".repeat(32))],
            "are in CONNECT_SECRETS_KEY",
        ),
    ] {
        let refused = run_in(PROGRAM, words, variables).await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.said.contains(why), "{why:?} is not in {refused:?}");
    }
    let wrong = run_in(PROGRAM, &serve, &[("CONNECT_SECRETS_KEY", "hunter2")]).await;
    assert!(wrong.said.contains("64 hexadecimal digits"), "{wrong:?}");
    assert!(!wrong.said.contains("hunter2"), "{wrong:?}");
    let made = run_in(PROGRAM, &words, &[unset, named]).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    let log = File::create(folder.path().join("log")).unwrap();
    let variables = [unset, named, ("CONNECT_STORAGE", &storage)];
    let server = Process::start_in(PROGRAM, &["serve", "--json"], &variables, log).await;
    assert_eq!(server.unwrap().stop().await, Some(0));
}
