//! Clients that write, spread over the servers. Each write has a key, and is sent until it is answered.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use connect_tests::http::{Answer, Request};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    endpoint::Endpoint,
    fleet::{Fleet, SERVERS, Settled},
    premises::Premises,
};
use crate::devices::sale;

/// The codes over which all batches write.
const CODES: usize = 40;
/// The items of a batch that have one of these.
const ITEMS: usize = 10;
/// The products with a picture.
pub(super) const PICTURES: usize = 12;
/// The time between two writes of a client.
const PAUSE: Duration = Duration::from_millis(10);

/// All that the clients share.
pub(super) struct Clients {
    pub(super) fleet: Arc<Fleet>,
    pub(super) premises: Arc<Premises>,
    pub(super) endpoint: Arc<Endpoint>,
    /// Set once they are to come to an end.
    pub(super) is_over: AtomicBool,
    versions: AtomicUsize,
    pub(super) log: Mutex<Log>,
}

/// The writes that were acknowledged.
#[derive(Default)]
pub(super) struct Log {
    pub(super) batches: Vec<Batch>,
    /// The products that were made one by one.
    pub(super) made: Vec<Value>,
    /// The rows of the journal.
    pub(super) rows: Vec<Value>,
    /// All writes in the order in which they were answered, and the server that each began at.
    pub(super) writes: Vec<(usize, Request, Answer)>,
    /// The answers that were those of an earlier request, which had got none.
    pub(super) replayed: usize,
}

/// A batch that was acknowledged.
pub(super) struct Batch {
    /// The price that it gives all its products.
    pub(super) version: usize,
    /// The ids of the products. The last one is new.
    pub(super) ids: Vec<String>,
}

impl Clients {
    pub(super) fn new(
        fleet: Arc<Fleet>,
        premises: Arc<Premises>,
        endpoint: Arc<Endpoint>,
    ) -> Arc<Self> {
        Arc::new(Self {
            fleet,
            premises,
            endpoint,
            is_over: AtomicBool::new(false),
            versions: AtomicUsize::new(1),
            log: Mutex::default(),
        })
    }

    fn version(&self) -> usize {
        self.versions.fetch_add(1, SeqCst)
    }

    pub(super) async fn goes_on(&self) -> bool {
        sleep(PAUSE).await;
        !self.is_over.load(SeqCst)
    }

    /// Does a write; its answer. What was sent more than once was done once.
    async fn write(&self, server: usize, request: Request) -> Settled {
        let settled = self.fleet.ask(server, request.clone()).await;
        let (answer, is_replayed) = (settled.answer.clone(), settled.is_replayed());
        assert!(answer.status.is_success(), "{}", answer.summary());
        let mut log = self.log.lock().unwrap();
        log.replayed += usize::from(is_replayed);
        log.writes.push((server, request, answer));
        settled
    }

    /// Writes batches over the same products as the clients of the other servers.
    pub(super) async fn write_batches(self: Arc<Self>, server: usize) {
        let mut random = StdRng::seed_from_u64(server as u64);
        while self.goes_on().await {
            let version = self.version();
            let first = random.random_range(0..CODES);
            let codes = (0..ITEMS).map(|item| format!("B-{}", (first + 3 * item) % CODES));
            let items = codes
                .chain([format!("X-{version}")])
                .map(|code| json!({ "externalId": code, "name": code, "priceCents": version }));
            let items: Vec<_> = items.collect();
            let path = self.premises.at("products/batch");
            let request = Request::post(path, &json!({ "items": items }))
                .bearer(&self.premises.token)
                .key(&format!("batch-{version}"));
            let settled = self.write(server, request).await;
            assert!(settled.lost > 0 || !settled.is_replayed());
            let data = settled.answer.data();
            let results = data["results"].as_array().unwrap();
            let is_written = |result: &Value| {
                let status = &result["status"];
                status == "created" || status == "updated"
            };
            assert!(results.iter().all(is_written), "{data}");
            let ids = results.iter().map(text("id")).collect();
            self.log
                .lock()
                .unwrap()
                .batches
                .push(Batch { version, ids });
        }
    }

    /// Sends each write to all servers at once, with one key: it is done once.
    pub(super) async fn write_everywhere(self: Arc<Self>) {
        while self.goes_on().await {
            let version = self.version();
            let code = format!("K-{version}");
            let body = json!({ "externalId": code, "name": code, "priceCents": version });
            let request = Request::post(self.premises.at("products"), &body)
                .bearer(&self.premises.token)
                .key(&code);
            let sent = [0, 1, 2].map(|server| self.write(server, request.clone()));
            let answers: [Settled; SERVERS] = futures_util::future::join_all(sent)
                .await
                .try_into()
                .unwrap_or_else(|_| unreachable!("as many as were sent"));
            let first = answers.iter().filter(|settled| !settled.is_replayed());
            let lost: usize = answers.iter().map(|settled| settled.lost).sum();
            let first = first.count();
            assert!(first == 1 || first == 0 && lost > 0, "{first} of {code}");
            let data = answers[0].answer.clone().expect(201).data();
            for settled in &answers {
                assert_eq!(settled.answer.body, answers[0].answer.body);
            }
            self.log.lock().unwrap().made.push(data);
        }
    }

    /// Sells at a register.
    pub(super) async fn sell(self: Arc<Self>, register: usize) {
        while self.goes_on().await {
            let version = self.version();
            let cents = i64::try_from(version).unwrap();
            let request = Request::post("/device/v1/transactions", &sale("Rye", cents))
                .bearer(&self.premises.registers[register])
                .key(&format!("sale-{version}"));
            let settled = self.write(register, request).await;
            let row = settled.answer.expect(201).data();
            self.log.lock().unwrap().rows.push(row);
        }
    }

    /// Makes products with pictures, from time to time.
    pub(super) async fn show(self: Arc<Self>) {
        for number in 0..PICTURES {
            let version = self.version();
            let link = self.endpoint.picture(number);
            let body = json!({ "name": "Shown", "priceCents": version, "imageUrl": link });
            let request = Request::post(self.premises.at("products"), &body)
                .bearer(&self.premises.token)
                .key(&format!("shown-{version}"));
            let settled = self.write(number, request).await;
            let made = settled.answer.expect(201).data();
            self.log.lock().unwrap().made.push(made);
            for _ in 0..40 {
                if !self.goes_on().await {
                    break;
                }
            }
        }
    }

    /// Repeats the writes that were answered last, at another server: each answer is known there.
    pub(super) async fn repeat(&self, count: usize) {
        let last: Vec<_> = {
            let log = self.log.lock().unwrap();
            log.writes.iter().rev().take(count).cloned().collect()
        };
        for (server, request, answer) in last {
            let again = self.fleet.ask(server + 1, request).await;
            assert!(again.is_replayed(), "{}", again.answer.summary());
            let found = (again.answer.status, &again.answer.body);
            assert_eq!(found, (answer.status, &answer.body));
        }
    }
}

/// The text of a field.
pub(super) fn text(field: &str) -> impl Fn(&Value) -> String {
    move |record| record[field].as_str().unwrap().to_owned()
}
