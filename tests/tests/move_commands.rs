//! The program: `connect-server export` and `connect-server import`.

use std::{
    fs, os::unix::fs::MetadataExt as _, path::Path, process::Stdio, sync::Arc, time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    Connect, NewAccount, NewWebhook, OwnerMail,
    environment::{
        Clock as _, Mail, Mailer, ManualClock, SendFailure, SystemClock, WebhookAnswer,
        WebhookRequest, WebhookSender,
    },
    storage::{
        Commit, Storage, Write,
        postgres::testing::TestDatabase,
        redb::{RedbOptions, RedbStorage},
    },
    wire::EventType,
};
use connect_tests::{
    http::Request,
    place::Place,
    process::{Process, run_in},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, process::Command, time::timeout};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

fn place() -> Place {
    Place::new(PROGRAM)
}

#[tokio::test]
async fn a_served_shop_moves_to_another_engine_and_back() {
    let place = place();
    let sled = place.storage("sled");
    moves_there_and_back(place, &sled).await;
}

#[tokio::test]
async fn a_served_shop_moves_to_a_database_and_back() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    moves_there_and_back(place(), &database.address()).await;
}

/// Moves a shop from redb to another store, serves it there, and moves it back.
async fn moves_there_and_back(place: Place, other: &str) {
    let server = Process::start_on(PROGRAM, &place.storage("redb"), &[])
        .await
        .unwrap();
    let (token, path) = (server.token(), server.at("products"));
    let rye = Request::post(&path, &json!({ "name": "Rye" })).key("moved");
    let made = server.send(&token, rye.clone()).await.expect(201);
    let products = server.send(&token, Request::get(&path)).await.expect(200);
    let in_use = place.on("redb", "export", &[]).await;
    in_use.is_refused("is in use by another process");
    assert!(!Path::new(&place.path("shop.connect")).exists());
    assert_eq!(server.stop().await, Some(0));

    let exported = place.on("redb", "export", &[]).await;
    assert_eq!(
        (exported.code, &exported.said[..]),
        (Some(0), ""),
        "{exported:?}"
    );
    for told in [
        " rows, ",
        "\nchecksum ",
        "File and store are equal.",
        "images",
    ] {
        assert!(
            exported.output.contains(told),
            "{told:?} is not in {}",
            exported.output
        );
    }
    let mode = fs::metadata(place.path("shop.connect")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
    let imported = place.moved("import", other, &["--json"]).await;
    assert_eq!(
        (imported.code, &imported.said[..]),
        (Some(0), ""),
        "{imported:?}"
    );
    let result: Value = serde_json::from_str(&imported.output).unwrap();
    assert_eq!(result["equal"], true);
    assert!(
        exported
            .output
            .contains(result["checksum"].as_str().unwrap())
    );
    assert!(
        exported
            .output
            .contains(&format!(" {} rows", result["rows"]))
    );
    let check = ["check", "--storage", other];
    assert_eq!(place.command(&check).await.code, Some(0));

    let images = ["--images", &place.path("copies")];
    let server = Process::start_as(PROGRAM, "serve", other, &images)
        .await
        .unwrap();
    let moved = server.send(&token, Request::get(&path)).await.expect(200);
    assert_eq!(moved.body, products.body);
    let replayed = server.send(&token, rye).await;
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    assert_eq!(replayed.body, made.body);
    assert_eq!(server.stop().await, Some(0));

    // And back, over the older file.
    place
        .moved("export", other, &[])
        .await
        .is_refused("is a finished export of other rows");
    let variable = [("CONNECT_OVERWRITE", "1"), ("CONNECT_STORAGE", other)];
    let file = place.path("shop.connect");
    let again = run_in(PROGRAM, &["export", &file], &variable).await;
    assert_eq!(again.code, Some(0), "{again:?}");
    fs::rename(place.path("redb"), place.path("old")).unwrap();
    assert_eq!(place.on("redb", "import", &[]).await.code, Some(0));
    let check = ["check", "--storage", &place.storage("redb")];
    assert_eq!(place.command(&check).await.code, Some(0));
    // What is there is told to be equal, and nothing is written.
    assert_eq!(place.on("redb", "import", &[]).await.code, Some(0));
}

/// Rows for some twenty chunks.
async fn fill(path: &str) {
    let store = RedbStorage::open(path, RedbOptions::default()).unwrap();
    for part in 0..4_u64 {
        let row = |n: u64| {
            let key: Box<[u8]> = (10_000 * part + n).to_be_bytes().into();
            (key, Write::Put(vec![n as u8; 500].into()))
        };
        let commit = Commit {
            writes: (0..10_000).map(row).collect(),
            ..Commit::default()
        };
        store.commit(commit).await.unwrap();
    }
}

/// Runs a command that is killed ever later, until it comes to its end; how often it was killed.
async fn killed_until_done(words: &[&str]) -> u64 {
    for round in 1.. {
        let mut child = Command::new(PROGRAM)
            .args(words)
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let time = Duration::from_millis(60 * round);
        match timeout(time, child.wait()).await {
            Ok(ended) => {
                assert_eq!(ended.unwrap().code(), Some(0), "{words:?}");
                return round - 1;
            }
            Err(_) => child.kill().await.unwrap(),
        }
    }
    unreachable!("the rounds have no end")
}

#[tokio::test]
async fn commands_that_were_killed_go_on() {
    let place = place();
    fill(&place.path("redb")).await;
    let (redb, sled) = (place.storage("redb"), place.storage("sled"));
    let (file, whole) = (place.path("shop.connect"), place.path("whole.connect"));
    let done = place.command(&["export", "--storage", &redb, &whole]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let kills = killed_until_done(&["export", "--storage", &redb, &file]).await;
    assert!(kills > 1, "{kills}");
    assert!(fs::read(&file).unwrap() == fs::read(&whole).unwrap());
    let kills = killed_until_done(&["import", "--storage", &sled, &file]).await;
    assert!(kills > 1, "{kills}");
    let again = place.path("again.connect");
    let done = place.command(&["export", "--storage", &sled, &again]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(fs::read(&again).unwrap() == fs::read(&whole).unwrap());
}

/// A store that is whole and empty would be served, and the good file could not enter it then.
#[tokio::test]
async fn an_import_that_is_refused_leaves_no_store() {
    let place = place();
    fill(&place.path("source")).await;
    let source = format!("redb:{}", place.path("source"));
    let exported = place.moved("export", &source, &[]).await;
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let file = place.path("shop.connect");
    let whole = fs::read(&file).unwrap();
    let middle = whole.len() / 2;
    let mut altered = whole.clone();
    altered[middle] ^= 1;
    for (bytes, why) in [
        (&whole[..0], "ends too soon"),
        (&whole[..middle], "ends too soon"),
        (&whole[..whole.len() - 1], "ends too soon"),
        (&altered[..], "is damaged"),
    ] {
        fs::write(&file, bytes).unwrap();
        for engine in ["redb", "sled"] {
            place.on(engine, "import", &[]).await.is_refused(why);
            assert!(!Path::new(&place.path(engine)).exists(), "{engine}: {why}");
        }
    }
    fs::write(&file, &whole).unwrap();
    for engine in ["redb", "sled"] {
        let imported = place.on(engine, "import", &[]).await;
        assert_eq!(imported.code, Some(0), "{imported:?}");
    }
}

/// Whether something connects is all that is asked of these listeners.
#[tokio::test]
async fn nothing_goes_out_while_deliveries_are_off() {
    /// The demo makes a round of deliveries each second, and looks at images at once.
    const ROUNDS: Duration = Duration::from_secs(3);
    const PATIENCE: Duration = Duration::from_secs(30);
    let place = place();
    let storage = place.storage("redb");
    let (receiver, images) = (listener().await, listener().await);
    let hook = format!("http://{}/hook", receiver.local_addr().unwrap());
    let image = format!("http://{}/rye.png", images.local_addr().unwrap());
    let start = |more| Process::start_as(PROGRAM, "demo", &storage, more);
    mail_is_due(&place.path("redb")).await;
    let mails = listener().await;
    let smtp = format!("smtp://{}", mails.local_addr().unwrap());
    let mail = ["--smtp-url", &smtp, "--mail-from", "shop@shop.example"];
    let held = [&mail[..], &["--no-deliveries"]].concat();
    let server = start(&held).await.unwrap();
    let events = "catalog.product.changed";
    let create = ["webhook", "--storage", &storage, "--json", "create"];
    let create = [&create[..], &["--url", &hook, "--events", events]].concat();
    let made = place.command(&create).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    let product = json!({ "name": "Rye", "imageUrl": image });
    let product = Request::post(server.at("products"), &product).key("held");
    server.send(&server.token(), product).await.expect(201);
    let connected = async {
        tokio::select! {
            _ = receiver.accept() => "the receiver",
            _ = images.accept() => "the host of the image",
            _ = mails.accept() => "the mail server",
        }
    };
    assert_eq!(timeout(ROUNDS, connected).await.ok(), None);
    assert_eq!(server.stop().await, Some(0));
    let server = start(&mail).await.unwrap();
    for waits in [receiver.accept(), images.accept(), mails.accept()] {
        timeout(PATIENCE, waits).await.unwrap().unwrap();
    }
    assert_eq!(server.stop().await, Some(0));
}

/// Makes the store of a demo, with a webhook that was switched off an hour ago. Its owner was not told yet.
async fn mail_is_due(store: &str) {
    struct Down;

    #[async_trait]
    impl WebhookSender for Down {
        async fn send(&self, _: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
            Ok(WebhookAnswer::of(503))
        }
    }

    #[async_trait]
    impl Mailer for Down {
        async fn send(&self, _: &Mail) -> Result<(), String> {
            Err("the mail server is down".to_owned())
        }
    }

    let clock = ManualClock::at(SystemClock.now().plus_seconds(-7_200));
    let store = RedbStorage::open(store, RedbOptions::default()).unwrap();
    let connect = Connect::builder(Arc::new(store))
        .clock(clock.clone())
        .build();
    // The demo takes it for its own.
    let account = NewAccount {
        name: "De Korenbloem".into(),
        owner_email: "owner@korenbloem.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let webhook = NewWebhook {
        url: "https://1.1.1.1/in".into(),
        events: vec![EventType::ProductChanged],
        location_ids: Vec::new(),
    };
    let webhook = connect.create_webhook(account, webhook).await.unwrap();
    for _ in 0..50 {
        let tested = connect.test_webhook(account, webhook.webhook.id);
        tested.await.unwrap();
    }
    let worker = connect.webhook_worker(Arc::new(Down), Some(Arc::new(Down)));
    for _ in 0..60 {
        worker.tick().await.unwrap();
        clock.advance(60);
    }
    let off = connect.webhook(account, webhook.webhook.id).await.unwrap();
    let mail = off.switched_off.and_then(|off| off.owner_mail);
    assert_eq!(mail, Some(OwnerMail::Due));
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

#[tokio::test]
async fn a_store_whose_import_did_not_finish_is_not_served() {
    let place = place();
    let sled = Process::start_on(PROGRAM, &place.storage("sled"), &[])
        .await
        .unwrap();
    assert_eq!(sled.stop().await, Some(0));
    let exported = place.on("sled", "export", &["--json"]).await;
    let exported: Value = serde_json::from_str(&exported.output).unwrap();

    // As an import leaves it that was killed before its first chunk was in.
    let store = RedbStorage::open(place.path("redb"), RedbOptions::default()).unwrap();
    let mark = json!({ "checksum": exported["checksum"], "chunks": 0 }).to_string();
    let commit = Commit {
        writes: vec![(
            [&[0; 16][..], &[4]].concat().into(),
            Write::Put(mark.into_bytes().into()),
        )],
        ..Commit::default()
    };
    store.commit(commit).await.unwrap();
    drop(store);
    let redb = place.storage("redb");
    const WHY: &str =
        "an import or a restore into this store did not finish: give the same command again";
    for how in ["serve", "demo"] {
        let refused = Process::start_as(PROGRAM, how, &redb, &[])
            .await
            .err()
            .unwrap();
        assert_eq!(refused.code, Some(1));
        assert!(refused.said.contains(WHY), "{}", refused.said);
    }
    place
        .command(&["account", "list", "--storage", &redb])
        .await
        .is_refused(WHY);
    let check = place.command(&["check", "--storage", &redb]).await;
    assert_eq!(check.code, Some(1));
    for told in [
        "unfinishedImport: an import or a restore did not finish",
        "\nThe rest of its file is missing",
    ] {
        assert!(check.output.contains(told), "{check:?}");
    }
    let file = place.path("other.connect");
    place
        .command(&["export", "--storage", &redb, &file])
        .await
        .is_refused(WHY);

    assert_eq!(place.on("redb", "import", &[]).await.code, Some(0));
    let server = Process::start_as(PROGRAM, "serve", &redb, &[])
        .await
        .unwrap();
    assert_eq!(server.stop().await, Some(0));
}
