//! The log of calls, and the hook for retries.

use std::{
    io,
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use connect_client::{RetryPolicy, transport::Fault, wire::CategoryInput};
use serde_json::Value;
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{
    TOKEN, categories,
    records::{category, error, single},
    script::{Reply, Script, json, text},
};

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Takes what this thread tells until the guard is dropped.
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        // An event that is first met on a thread where nobody listens would be off for all threads, as long as there
        // is one listener. So somebody listens everywhere.
        static EVERYWHERE: Once = Once::new();
        EVERYWHERE.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap();
        });
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(self.clone());
        tracing::subscriber::set_default(subscriber.finish())
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The events of the SDK.
    fn events(&self) -> Vec<Value> {
        let text = self.text();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let is_own = |event: &Value| {
            event["target"]
                .as_str()
                .unwrap()
                .starts_with("connect_client")
        };
        events.filter(is_own).collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A limit, a fault, a proxy's page and a success.
fn adventure() -> Script {
    let limited = [("retry-after", "7"), ("x-request-id", "r-1")];
    let limit = error("rate_limited", "secret words").to_string();
    let created = single(category("secret name")).to_string();
    Script::new([
        text(429, &limited, &limit),
        Reply::Fault(Fault::Broken),
        text(502, &[], "<html>secret page</html>"),
        text(201, &[("x-request-id", "r-4")], &created),
    ])
}

fn at_once() -> RetryPolicy {
    RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO)
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_an_event_in_the_span_of_its_call() {
    let log = Log::default();
    let guard = log.listen();
    let script = adventure();
    let client = script.client_with(|b| b.retry(at_once()));
    let bread = CategoryInput::named("secret bread");
    categories(&client).create(&bread).await.unwrap();
    drop(guard);

    let events = log.events();
    let told: Vec<_> = events
        .iter()
        .map(|event| {
            let fields = &event["fields"];
            assert_eq!(event["span"]["name"], "connect_call");
            assert_eq!(event["span"]["method"], "POST");
            let path = event["span"]["path"].as_str().unwrap();
            assert!(path.ends_with("/categories"), "{path}");
            (
                event["level"].as_str().unwrap(),
                fields["attempt"].as_u64().unwrap(),
                fields["status"].as_u64(),
                fields["why"].as_str(),
                fields["wait_ms"].as_u64(),
                fields["request_id"].as_str(),
            )
        })
        .collect();
    let broken = Fault::Broken.to_string();
    assert_eq!(
        told,
        [
            (
                "WARN",
                1,
                Some(429),
                Some("rate_limited"),
                Some(7000),
                Some("r-1")
            ),
            ("WARN", 2, None, Some(&*broken), Some(0), None),
            (
                "WARN",
                3,
                Some(502),
                Some("not an answer of the service"),
                Some(0),
                None
            ),
            ("DEBUG", 4, Some(201), None, None, Some("r-4")),
        ]
    );
    assert!(
        events
            .iter()
            .all(|event| event["fields"]["took_ms"].is_u64())
    );
    let text = log.text();
    assert!(
        !text.contains("secret") && !text.contains("ck_test"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_ends_a_call_is_told_too() {
    let log = Log::default();
    let guard = log.listen();
    let refused = json(404, &error("not_found", "no such category"));
    let script = Script::new([refused, Reply::Fault(Fault::Connect)]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    for _ in 0..2 {
        client.locations().await.unwrap_err();
    }
    drop(guard);
    let events = log.events();
    assert_eq!(events[0]["level"], "DEBUG");
    assert_eq!(events[0]["fields"]["why"], "not_found");
    assert_eq!(events[1]["level"], "WARN");
    assert_eq!(events[1]["fields"]["gave_up"], "Attempts");
}

/// The last event of a call that failed.
fn end(log: &Log) -> Value {
    let event = log.events().pop().unwrap();
    assert_eq!(event["level"], "WARN");
    assert_eq!(event["span"]["name"], "connect_call");
    let fields = &event["fields"];
    assert_eq!(fields["message"], "the call failed");
    fields.clone()
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_never_sent_is_told() {
    let log = Log::default();
    let guard = log.listen();
    let client = Script::new([]).client();
    let late = client.locations().timeout(Duration::ZERO);
    late.send().await.unwrap_err();
    let fields = end(&log);
    assert_eq!(fields["why"], Fault::Busy.to_string());
    assert_eq!(
        (&fields["attempt"], &fields["gave_up"]),
        (&0.into(), &"Budget".into())
    );

    let refused = client.locations().header("secret name", "secret");
    refused.send().await.unwrap_err();
    drop(guard);
    assert_eq!(end(&log)["why"], "the request cannot be written");
    assert!(!log.text().contains("secret"));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_time_is_over_after_a_wait_is_told() {
    let log = Log::default();
    let guard = log.listen();
    let limited = [("retry-after", "1"), ("x-request-id", "r-1")];
    let script = Script::new([text(503, &limited, ""), Reply::Silence]);
    let client = script.client_with(|b| {
        b.max_in_flight(1)
            .request_timeout(Duration::from_secs(20))
            .retry(RetryPolicy::default().budget(Duration::from_secs(10)))
    });
    // The second one takes the only slot while the first one waits, and keeps it until it ends
    // after the first one.
    let first = async {
        client.locations().send().await.unwrap_err();
        end(&log)
    };
    let (fields, _) = tokio::join!(first, client.locations().send());
    drop(guard);
    assert_eq!(
        (&fields["attempt"], &fields["status"], &fields["gave_up"]),
        (&1.into(), &503.into(), &"Budget".into())
    );
    assert_eq!(fields["request_id"], "r-1");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_what_was_promised_is_told() {
    let log = Log::default();
    let guard = log.listen();
    let script = Script::new([text(200, &[("x-request-id", "r-1")], "[\"secret\"]")]);
    script.client().locations().await.unwrap_err();
    drop(guard);
    let fields = end(&log);
    assert_eq!(fields["why"], "unexpected response");
    assert_eq!(
        (&fields["attempt"], &fields["status"]),
        (&1.into(), &200.into())
    );
    assert_eq!(fields["request_id"], "r-1");
    assert_eq!(fields["gave_up"], Value::Null);
    assert!(!log.text().contains("secret"));
}

#[tokio::test(start_paused = true)]
async fn a_code_or_request_id_from_elsewhere_brings_no_token_into_the_log() {
    let log = Log::default();
    let guard = log.listen();
    let headers = [("x-request-id", TOKEN)];
    let echo = error(&format!("Bearer {TOKEN}"), "why").to_string();
    let script = Script::new([text(400, &headers, &echo)]);
    script.client().locations().await.unwrap_err();
    drop(guard);
    let fields = &log.events()[0]["fields"];
    assert_eq!(fields["why"], "an unknown code");
    assert_eq!(fields["request_id"], "[token]");
    assert!(!log.text().contains("ck_test"));
}

#[tokio::test(start_paused = true)]
async fn a_hook_hears_of_each_retry() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = heard.clone();
    let script = adventure();
    let client = script.client_with(|b| {
        b.retry(at_once()).on_retry(move |retry| {
            assert_eq!(retry.method, "POST");
            assert!(retry.path.ends_with("/categories"));
            let told = (
                retry.attempt,
                retry.status,
                retry.wait.as_secs(),
                retry.request_id.map(str::to_owned),
            );
            keep.lock().unwrap().push(told);
        })
    });
    let bread = CategoryInput::named("Bread");
    categories(&client).create(&bread).await.unwrap();
    let expected = [
        (1, Some(429), 7, Some("r-1".to_owned())),
        (2, None, 0, None),
        (3, Some(502), 0, None),
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}
