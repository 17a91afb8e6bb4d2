//! Many tasks at the rate limit of a service that counts by the minute; time is paused.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use connect_client::{
    Client, RetryPolicy,
    transport::{Fault, Transport, TransportError},
};
use futures_util::future::{BoxFuture, join_all};
use tokio::time::{Instant, sleep};

use crate::support::{
    builder,
    script::{Reply, Script, text},
};

/// The second of the minute at which a test begins unless it says otherwise.
const BEGINNING: u64 = 40;

/// A service that takes so many requests in a minute, and some time for each.
#[derive(Clone)]
struct Limited {
    limit: u64,
    /// The second of the minute at which the test began.
    beginning: u64,
    takes: Duration,
    began: Instant,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    minute: u64,
    used: u64,
    refused: u64,
}

impl Limited {
    fn new(limit: u64) -> Self {
        Self {
            limit,
            beginning: BEGINNING,
            takes: Duration::from_millis(100),
            began: Instant::now(),
            counts: Arc::default(),
        }
    }

    fn client(&self, pacing: bool) -> Client {
        builder()
            .pacing(pacing)
            .transport(self.clone())
            .build()
            .unwrap()
    }

    fn refused(&self) -> u64 {
        self.counts.lock().unwrap().refused
    }

    fn answer(&self) -> http::Response<Bytes> {
        let second = self.beginning + self.began.elapsed().as_secs();
        let mut counts = self.counts.lock().unwrap();
        if second / 60 != counts.minute {
            counts.minute = second / 60;
            counts.used = 0;
        }
        counts.used += 1;
        let reset = (second / 60 + 1) * 60;
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let head = http::Response::builder()
            .header("date", httpdate::fmt_http_date(date))
            .header("x-ratelimit-limit", self.limit)
            .header(
                "x-ratelimit-remaining",
                self.limit.saturating_sub(counts.used),
            )
            .header("x-ratelimit-reset", reset);
        let answer = if counts.used > self.limit {
            counts.refused += 1;
            head.status(429)
                .header("retry-after", reset - second)
                .body(Bytes::new())
        } else {
            head.body(Bytes::from_static(b"{\"data\":[]}"))
        };
        answer.unwrap()
    }
}

impl Transport for Limited {
    fn send(
        &self,
        _: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        Box::pin(async {
            let answer = self.answer();
            sleep(self.takes).await;
            Ok(answer)
        })
    }
}

/// 32 tasks with five calls each; the number of calls that failed.
async fn tasks(client: &Client) -> usize {
    let task = || async {
        let mut failed = 0;
        for _ in 0..5 {
            failed += usize::from(client.locations().await.is_err());
        }
        failed
    };
    join_all((0..32).map(|_| task())).await.into_iter().sum()
}

#[tokio::test(start_paused = true)]
async fn tasks_at_the_limit_wait_for_the_next_window_and_none_is_refused() {
    let service = Limited::new(100);
    let began = Instant::now();
    assert_eq!(tasks(&service.client(true)).await, 0);
    assert_eq!(service.refused(), 0);
    // 100 calls before the minute is over, and 60 after.
    let took = began.elapsed().as_secs();
    assert_eq!(took, 60 - BEGINNING);
}

#[tokio::test(start_paused = true)]
async fn without_pacing_each_task_is_refused() {
    let service = Limited::new(100);
    tasks(&service.client(false)).await;
    assert!(service.refused() >= 32, "{}", service.refused());
}

#[tokio::test(start_paused = true)]
async fn what_no_window_within_its_time_has_room_for_is_refused_by_the_service() {
    // 10 at once, 10 in the next minute; the others would wait for longer than a call takes.
    let service = Limited::new(10);
    let client = service.client(true);
    let calls = (0..32).map(|_| async { client.locations().await });
    let failed: Vec<_> = join_all(calls)
        .await
        .into_iter()
        .filter_map(Result::err)
        .collect();
    assert_eq!(failed.len(), 12);
    for error in failed {
        assert_eq!(error.status(), Some(429));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_never_takes_the_time_of_the_attempt() {
    let service = Limited {
        beginning: 0,
        takes: Duration::from_millis(500),
        ..Limited::new(1)
    };
    let client = service.client(true);
    client.locations().await.unwrap();
    // The window ends 200 ms before the time of the second call, which needs 500 ms.
    sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    let error = client.locations().await.unwrap_err();
    assert_eq!(error.status(), Some(429), "{error}");
    assert_eq!(began.elapsed(), service.takes);
}

/// A reply that tells of a window without any request left, which ends in 30 s.
fn used_up(status: u16) -> Reply {
    leaving("0", status)
}

/// A reply that tells of a window with so many requests left, which ends in 30 s.
fn leaving(remaining: &str, status: u16) -> Reply {
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(30));
    let headers = [
        ("date", date.as_str()),
        ("x-ratelimit-limit", "100"),
        ("x-ratelimit-remaining", remaining),
        ("x-ratelimit-reset", "60"),
        ("retry-after", "7"),
    ];
    text(status, &headers, "{\"data\":[]}")
}

#[tokio::test(start_paused = true)]
async fn only_figures_of_the_token_hold_a_request_back() {
    for (status, wait) in [(200, 30), (404, 30), (429, 7), (401, 0), (500, 0), (503, 0)] {
        let script = Script::new([used_up(status), used_up(200)]);
        let client = script.client_with(|b| b.retry(RetryPolicy::never()));
        assert_eq!(client.locations().await.is_ok(), status == 200);
        client.locations().await.unwrap();
        assert_eq!(script.finish()[1].at.as_secs(), wait, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_network_that_is_down_uses_up_no_window() {
    let down = Reply::Fault(Fault::Connect);
    let script = Script::new([leaving("2", 200), down.clone(), down, used_up(200)]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    client.locations().await.unwrap();
    for _ in 0..2 {
        client.locations().await.unwrap_err();
    }
    client.locations().await.unwrap();
    assert_eq!(script.finish()[3].at, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn one_that_waits_is_sent_as_soon_as_there_is_room() {
    let second = Duration::from_secs(1);
    let down = Reply::Later(5 * second, Box::new(Reply::Fault(Fault::Connect)));
    let script = Script::new([leaving("1", 200), down, used_up(200)]);
    let client = script.client_with(|b| b.retry(RetryPolicy::never()));
    client.locations().await.unwrap();
    let (first, second_call) = tokio::join!(client.locations(), client.locations());
    first.unwrap_err();
    second_call.unwrap();
    assert_eq!(
        script.finish()[2].at,
        5 * second,
        "not when the window ends"
    );
}
