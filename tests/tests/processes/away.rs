//! A database that goes away and comes back, as clients and a load balancer see it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use connect_core::storage::postgres::testing::{Cluster, TestDatabase};
use connect_tests::{
    check::Checker,
    http::{Answer, Request, send},
    process::Process,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    endpoint::Endpoint,
    fleet::{PROGRAM, words},
    premises::Premises,
};

/// A server, and the business that it is for.
struct Scene {
    server: Process,
    premises: Premises,
}

impl Scene {
    async fn send(&self, request: Request) -> Answer {
        self.server.send(&self.premises.token, request).await
    }

    /// Makes a product under a key that is the same for this name.
    fn product(&self, name: &str) -> Request {
        let body = json!({ "name": name, "externalId": name });
        Request::post(self.premises.at("products"), &body).key(name)
    }

    /// The status and the answer of a probe.
    async fn probe(&self, path: &str) -> (u16, Value) {
        let answer = send(self.server.address, Request::get(path)).await;
        let answer = answer.unwrap();
        Checker::v1().judge(&answer);
        (answer.status.as_u16(), answer.json())
    }

    /// Checks that everything is answered by saying that it may be repeated, and soon.
    async fn says_that_it_is_away(&self, name: &str) {
        let since = Instant::now();
        for request in [
            Request::get(self.premises.at("products")),
            Request::get(self.premises.at("events")),
            self.product(name),
        ] {
            let refused = self.send(request).await.fails(503, "server_error");
            assert!((1..=60).contains(&refused.number("retry-after")));
        }
        let (status, reason) = self.probe("/readyz").await;
        assert_eq!(status, 503);
        assert_eq!(reason, json!({ "status": "unready", "reason": "store" }));
        // A restart would not help.
        assert_eq!(self.probe("/healthz").await.0, 200);
        assert!(since.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_is_waited_for() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let database = TestDatabase::on(cluster.config());
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::start().await;
    let words = words(folder.path());
    let server = Process::start_as(PROGRAM, "serve", &database.address(), &words).await;
    let scene = Arc::new(Scene {
        server: server.unwrap(),
        premises: Premises::set_up(&database.address()).await,
    });
    for round in 0..3 {
        assert_eq!(scene.probe("/readyz").await.0, 200);
        let is_over = Arc::new(AtomicBool::new(false));
        let writer = tokio::spawn(write(scene.clone(), round, is_over.clone()));
        sleep(Duration::from_millis(300)).await;
        cluster.crash().unwrap();
        let name = format!("away-{round}");
        scene.says_that_it_is_away(&name).await;
        cluster.start_again().unwrap();
        // Nobody has to do anything: the next request is answered as ever.
        let list = Request::get(scene.premises.at("products"));
        scene.send(list).await.expect(200);
        assert_eq!(scene.probe("/readyz").await.0, 200);
        let made = scene.send(scene.product(&name)).await.expect(201);
        assert_eq!(made.header("idempotent-replayed"), None);
        is_over.store(true, SeqCst);
        let written = writer.await.unwrap();
        for code in &written {
            let found = Request::get(scene.premises.at(&format!("products?externalId={code}")));
            assert_eq!(scene.send(found).await.expect(200).list().len(), 1);
        }
    }
    // The workers have gone on as well.
    scene.premises.add_webhook(endpoint.webhook(0)).await;
    let made = scene.send(scene.product("last")).await.expect(201);
    arrives(&endpoint, &made).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_whose_disk_is_full_makes_a_server_unready_until_there_is_room() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let words = words(folder.path());
    let server = Process::start_as(PROGRAM, "serve", &database.address(), &words).await;
    let scene = Scene {
        server: server.unwrap(),
        premises: Premises::set_up(&database.address()).await,
    };
    database.execute(
        "CREATE TABLE filled (by text); \
         CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF EXISTS (SELECT FROM filled) THEN RAISE 'no room' USING ERRCODE = 'disk_full'; END IF; \
         RETURN NEW; END $$; \
         CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON connect_rows \
         FOR EACH ROW EXECUTE FUNCTION no_room(); \
         INSERT INTO filled VALUES ('others')",
    );
    scene
        .send(scene.product("one"))
        .await
        .fails(503, "server_error");
    let full = json!({ "status": "unready", "reason": "full" });
    assert_eq!(scene.probe("/readyz").await, (503, full));
    database.execute("DELETE FROM filled");
    let since = Instant::now();
    while scene.probe("/readyz").await.0 != 200 {
        assert!(since.elapsed() < Duration::from_secs(30));
        sleep(Duration::from_millis(20)).await;
    }
    scene.send(scene.product("one")).await.expect(201);
}

/// Makes products one after another, whatever happens, and repeats what was not answered with a success.
async fn write(scene: Arc<Scene>, round: usize, is_over: Arc<AtomicBool>) -> Vec<String> {
    let mut written = Vec::new();
    for number in 0.. {
        if is_over.load(SeqCst) {
            break;
        }
        let name = format!("{round}-{number}");
        loop {
            let answer = scene.send(scene.product(&name)).await;
            match answer.status.as_u16() {
                201 => break,
                // Nothing was done, or that is not known.
                503 | 500 => sleep(Duration::from_millis(20)).await,
                _ => panic!("{}", answer.summary()),
            }
        }
        written.push(name);
    }
    written
}

/// Waits until the event of a product that was made has arrived.
async fn arrives(endpoint: &Endpoint, made: &Answer) {
    let since = Instant::now();
    while endpoint.arrived(0).is_empty() {
        assert!(
            since.elapsed() < Duration::from_secs(30),
            "{} is left",
            made.id()
        );
        sleep(Duration::from_millis(50)).await;
    }
}
