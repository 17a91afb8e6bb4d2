//! The program: `connect-server backup`, beside a running server and without one.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use connect_core::storage::postgres::testing::TestDatabase;
use connect_tests::{
    http::Request,
    place::Place,
    process::{PLENTY, Process, run, run_in},
};
use serde_json::{Value, json};
use tokio::{
    process::{Child, Command},
    time::sleep,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_server-under-test");

fn place() -> Place {
    Place::new(PROGRAM)
}

async fn serve(place: &Place, engine: &str) -> Process {
    let storage = place.storage(engine);
    Process::start_on(PROGRAM, &storage, &PLENTY).await.unwrap()
}

/// A product with a long description, which differs.
fn product(name: &str) -> Value {
    json!({ "name": name, "description": name.repeat(2000 / name.len()) })
}

/// Fills a shop with so many products, for a backup of several pieces.
async fn fill(server: &Process, count: usize) {
    let names: Vec<_> = (0..count).map(|n| format!("Bread-{n:05}")).collect();
    for names in names.chunks(400) {
        let items: Vec<_> = names.iter().map(|name| product(name)).collect();
        let batch = Request::post(server.at("products/batch"), &json!({ "items": items }));
        server
            .send(&server.token(), batch.key(&names[0]))
            .await
            .expect(200);
    }
}

/// Writers that go on until they are told to stop. Returns the names that were acknowledged in
/// `written`, and the longest time that one waited for an answer.
async fn write(
    server: &Process,
    stop: &AtomicBool,
    of: usize,
    written: &Mutex<Vec<String>>,
) -> Duration {
    let (token, path) = (server.token(), server.at("products"));
    let mut longest = Duration::ZERO;
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("Roll-{of}-{number:05}");
        let began = Instant::now();
        let new = Request::post(&path, &product(&name)).key(&name);
        let made = server.send(&token, new).await.expect(201);
        longest = longest.max(began.elapsed());
        written.lock().unwrap().push(made.id());
    }
    longest
}

/// Makes a backup beside writers and restores it: all that was acknowledged before its start is there.
async fn backs_up_beside_writers(engine: &str) {
    let place = place();
    let server = Arc::new(serve(&place, engine).await);
    fill(&server, 1200).await;
    let (stop, written) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Mutex::new(Vec::new())),
    );
    let writers: Vec<_> = (0..3)
        .map(|of| {
            let (server, stop, written) = (server.clone(), stop.clone(), written.clone());
            tokio::spawn(async move { write(&server, &stop, of, &written).await })
        })
        .collect();
    while written.lock().unwrap().len() < 20 {
        sleep(Duration::from_millis(10)).await;
    }
    let before = written.lock().unwrap().clone();
    let done = place.on(engine, "backup", &["--rate", "2", "--json"]).await;
    stop.store(true, Ordering::Relaxed);
    let mut longest = Duration::ZERO;
    for writer in writers {
        longest = longest.max(writer.await.unwrap());
    }
    let all = written.lock().unwrap().len();
    eprintln!(
        "{engine}: {} of {all} written before, at most {longest:?} for one",
        before.len()
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(all > before.len());
    let result: Value = serde_json::from_str(&done.output).unwrap();
    assert!(result["rows"].as_u64().unwrap() > 1200, "{result}");
    assert_eq!(result["images"], place.path("images"));
    let file = place.path("shop.connect");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert!(!Path::new(&place.path("shop.connect.part")).exists());
    let path = server.at("products");
    let token = server.token();
    drop(server);

    let storage = format!("{engine}:{}", place.path("restored"));
    let restored = run(PROGRAM, &["restore", "--storage", &storage, &file]).await;
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert!(restored.output.contains("No problems."), "{restored:?}");
    let server = Process::start_on(PROGRAM, &storage, &PLENTY).await.unwrap();
    for id in before {
        let request = Request::get(format!("{path}/{id}"));
        server.send(&token, request).await.expect(200);
    }
    assert_eq!(server.stop().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_beside_writers_has_all_that_was_acknowledged_on_redb() {
    backs_up_beside_writers("redb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_beside_writers_has_all_that_was_acknowledged_on_sled() {
    backs_up_beside_writers("sled").await;
}

/// Begins a backup into `shop.connect`, and returns once it is under way.
async fn begin(place: &Place, engine: &str) -> Child {
    let (file, part) = (place.path("shop.connect"), place.path("shop.connect.part"));
    let mut child = Command::new(PROGRAM)
        .args(["backup", "--storage", &place.storage(engine)])
        .args(["--rate", "1", &file])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    while fs::metadata(&part).map_or(0, |facts| facts.len()) == 0 {
        assert_eq!(child.try_wait().unwrap(), None);
        sleep(Duration::from_millis(10)).await;
    }
    assert!(!Path::new(&file).exists());
    child
}

#[tokio::test]
async fn one_backup_is_made_at_a_time_and_the_next_one_at_once_when_its_command_is_killed() {
    for engine in ["redb", "sled"] {
        let place = place();
        let server = serve(&place, engine).await;
        fill(&server, 2400).await;
        let mut child = begin(&place, engine).await;
        let (storage, other) = (place.storage(engine), place.path("other.backup"));
        let words = ["backup", "--storage", &storage, &other];
        run(PROGRAM, &words)
            .await
            .is_refused("another backup of this store is under way");
        child.kill().await.unwrap();
        let done = run(PROGRAM, &words).await;
        assert_eq!(done.code, Some(0), "{engine}: {done:?}");
        assert_eq!(server.stop().await, Some(0));
    }
}

#[tokio::test]
async fn a_backup_whose_server_ends_leaves_nothing() {
    let place = place();
    let server = serve(&place, "redb").await;
    fill(&server, 2400).await;
    let child = begin(&place, "redb").await;
    server.kill().await;
    let ended = child.wait_with_output().await.unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    for told in ["the server does not answer: ", "; there is no backup, "] {
        assert!(said.contains(told), "{told:?} is not in {said}");
    }
    for file in ["shop.connect", "shop.connect.part"] {
        assert!(!Path::new(&place.path(file)).exists(), "{file}");
    }
}

#[tokio::test]
async fn a_killed_backup_leaves_no_file_and_the_next_one_replaces_its_part() {
    let place = place();
    let server = serve(&place, "redb").await;
    fill(&server, 2400).await;
    let (file, part) = (place.path("shop.connect"), place.path("shop.connect.part"));
    let storage = place.storage("redb");
    begin(&place, "redb").await.kill().await.unwrap();
    assert!(!Path::new(&file).exists() && Path::new(&part).exists());
    assert_eq!(server.stop().await, Some(0));

    // Without a server, and over what is left.
    let words = ["backup", "--storage", &storage, &file];
    let done = run_in(PROGRAM, &words, &[("CONNECT_TESTS_LOG", "1")]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    for told in [" rows, ", "\nchecksum ", "secrets of webhooks", "images"] {
        assert!(
            done.output.contains(told),
            "{told:?} is not in {}",
            done.output
        );
    }
    assert!(done.said.contains("store.backup"), "{done:?}");
    assert!(Path::new(&file).exists() && !Path::new(&part).exists());
    let backup = fs::read(&file).unwrap();
    let copy = place.storage("sled");
    let import = ["import", "--storage", &copy, &file];
    assert_eq!(run(PROGRAM, &import).await.code, Some(0));

    place
        .on("redb", "backup", &[])
        .await
        .is_refused("exists already");
    assert!(fs::read(&file).unwrap() == backup);
    fs::remove_file(&file).unwrap();
    fs::write(&part, "Dear").unwrap();
    place
        .on("redb", "backup", &[])
        .await
        .is_refused("is neither an export nor a backup of a store");
    assert_eq!(fs::read(&part).unwrap(), b"Dear");
}

#[tokio::test]
async fn a_database_is_backed_up_by_its_own_program() {
    let place = place();
    let file = place.path("shop.connect");
    if let Some(database) = TestDatabase::new() {
        let words = ["backup", "--storage", &database.address(), &file];
        run(PROGRAM, &words).await.is_refused("pg_dump");
    }
    assert!(!Path::new(&file).exists());
}
