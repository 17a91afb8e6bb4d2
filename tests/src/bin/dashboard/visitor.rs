//! An owner looking at pages.

use std::time::{Duration, Instant};

use connect_tests::{
    attack::victim::processor_time,
    http::{Answer, Request, send},
    process::Process,
};
use http::StatusCode;

/// A text of pages with missing sums.
const NOT_YET: &str = "are not summed up yet";

/// A signed-in owner.
pub(crate) struct Visitor<'s> {
    server: &'s Process,
    location: String,
    session: String,
}

/// The time of one page.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    /// The processor time of the server.
    /// The system counts it in hundredths of a second.
    pub(crate) processor: Duration,
    pub(crate) wall: Duration,
}

/// One look at a page.
pub(crate) struct Look {
    pub(crate) cost: Cost,
    /// Set if no sums are missing.
    pub(crate) is_complete: bool,
}

impl<'s> Visitor<'s> {
    pub(crate) fn of(server: &'s Process, session: String) -> Self {
        Self {
            server,
            location: crate::shop::location(server),
            session,
        }
    }

    /// Loads a page at the shop.
    pub(crate) async fn get(&self, page: &str) -> Answer {
        self.send(self.request(page)).await
    }

    /// Loads a page at the shop as browsers do, compressed.
    pub(crate) async fn get_compressed(&self, page: &str) -> Answer {
        let request = self.request(page).header("accept-encoding", "gzip, br");
        self.send(request).await
    }

    /// Measures one load of a page.
    pub(crate) async fn look(&self, page: &str) -> Look {
        let start = self.time();
        let answer = self.get(page).await;
        Look {
            cost: self.since(start, 1),
            is_complete: !String::from_utf8_lossy(&answer.body).contains(NOT_YET),
        }
    }

    /// Measures loads of a page, compressed; the cost of one.
    pub(crate) async fn cost(&self, page: &str, loads: u32) -> Cost {
        let start = self.time();
        for _ in 0..loads {
            self.get_compressed(page).await;
        }
        self.since(start, loads)
    }

    fn request(&self, page: &str) -> Request {
        let mark = if page.contains('?') { '&' } else { '?' };
        let path = format!("{page}{mark}at={}", self.location);
        Request::get(path).header("cookie", format!("connect-session={}", self.session))
    }

    async fn send(&self, request: Request) -> Answer {
        let answer = send(self.server.owner_address, request).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.summary());
        answer
    }

    fn time(&self) -> (Duration, Instant) {
        let processor = processor_time(&self.server.id()).expect("the server is there");
        (processor, Instant::now())
    }

    fn since(&self, (processor, wall): (Duration, Instant), loads: u32) -> Cost {
        let took = wall.elapsed();
        Cost {
            processor: (self.time().0 - processor) / loads,
            wall: took / loads,
        }
    }
}

/// A time in milliseconds.
pub(crate) fn millis(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}
