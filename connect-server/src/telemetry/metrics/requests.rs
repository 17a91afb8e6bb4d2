//! The count and the duration of requests.

use http::{Method, StatusCode};
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, proto::MetricFamily};
use rustc_hash::FxHashSet;

use crate::net::Ended;

/// The methods with a label of their own; the rest share one.
const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];

/// The classes of statuses, from 200 on.
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// The label of an unknown route or method.
const OTHER: &str = "other";

/// The label of a missing route or status.
/// An unknown path has no route. A request has no status if its client went away.
const NONE: &str = "none";

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS: &[f64] = &[
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// The panic message for a wrong metric name or label.
/// All are fixed, so the first test run finds a wrong one.
const VALID: &str = "the names of metrics are valid, and each is used once";

/// Counts requests by route, method and status.
///
/// Such a counter begins with its first request, and no rate shows this step. So answers are also counted by
/// the class of their status, in counters present from the start.
pub(crate) struct Requests {
    registry: Registry,
    routes: FxHashSet<&'static str>,
    counts: IntCounterVec,
    answers: IntCounterVec,
    times: HistogramVec,
}

impl Requests {
    /// Counts requests to these routes, given as templates of paths.
    pub(crate) fn to(routes: impl IntoIterator<Item = &'static str>) -> Self {
        let counts = Opts::new(
            "connect_http_requests_total",
            "Requests that have ended, by the template of their path, method and status.",
        );
        let counts = IntCounterVec::new(counts, &["route", "method", "status"]).expect(VALID);
        let times = HistogramOpts::new(
            "connect_http_request_duration_seconds",
            "The time from the head of a request to its answer, by the template of its path.",
        );
        let times = HistogramVec::new(times.buckets(BUCKETS.to_vec()), &["route"]).expect(VALID);
        let answers = Opts::new(
            "connect_http_answers_total",
            "Answers, by the class of their status.",
        );
        let answers = IntCounterVec::new(answers, &["class"]).expect(VALID);
        for class in CLASSES {
            answers.with_label_values(&[class]);
        }
        let registry = Registry::new();
        registry.register(Box::new(answers.clone())).expect(VALID);
        registry.register(Box::new(counts.clone())).expect(VALID);
        registry.register(Box::new(times.clone())).expect(VALID);
        Self {
            registry,
            routes: routes.into_iter().collect(),
            counts,
            answers,
            times,
        }
    }

    /// Counts an ended request.
    pub(crate) fn count(&self, ended: &Ended<'_>) {
        let route = match ended.route {
            None => NONE,
            Some(name) => self.routes.get(name).copied().unwrap_or(OTHER),
        };
        let mut methods = METHODS.iter();
        let method = methods.find(|method| *method == ended.method);
        let method = method.map_or(OTHER, Method::as_str);
        let status = ended.status.as_ref().map_or(NONE, StatusCode::as_str);
        let labels = [route, method, status];
        self.counts.with_label_values(&labels).inc();
        // A request without an answer has no duration: its client went away.
        let Some(status) = ended.status else {
            return;
        };
        let class = usize::from(status.as_u16() / 100).checked_sub(2);
        if let Some(class) = class.and_then(|class| CLASSES.get(class)) {
            self.answers.with_label_values(&[*class]).inc();
        }
        let times = self.times.with_label_values(&[route]);
        times.observe(ended.took.as_secs_f64());
    }

    /// Returns the metrics.
    pub(super) fn families(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, time::Duration};

    use super::*;

    fn ended<'r>(
        method: &'r Method,
        route: Option<&'static str>,
        status: Option<u16>,
    ) -> Ended<'r> {
        Ended {
            method,
            route,
            status: status.and_then(|status| StatusCode::from_u16(status).ok()),
            took: Duration::from_millis(3),
        }
    }

    /// The labels of each counter of this name, with its value.
    fn counted(requests: &Requests, name: &str) -> BTreeSet<(String, u64)> {
        let families = requests.families();
        let family = families.iter().find(|family| family.name() == name);
        let metrics = family.unwrap().get_metric().iter();
        let labels = |metric: &prometheus::proto::Metric| {
            let labels = metric.get_label().iter();
            labels
                .map(|pair| pair.value())
                .collect::<Vec<_>>()
                .join(" ")
        };
        metrics
            .map(|metric| (labels(metric), metric.get_counter().get_value() as u64))
            .collect()
    }

    #[test]
    fn requests_are_counted_where_they_belong() {
        let requests = Requests::to(["/a", "/b"]);
        let own = Method::from_bytes(b"BREW").unwrap();
        for (method, route, status) in [
            (&Method::GET, Some("/a"), Some(200)),
            (&Method::GET, Some("/a"), Some(200)),
            (&Method::GET, Some("/a"), Some(503)),
            (&Method::POST, Some("/b"), None),
            (&own, Some("/b"), Some(405)),
            (&Method::TRACE, None, Some(404)),
            (&Method::GET, Some("/unheard-of"), Some(299)),
        ] {
            requests.count(&ended(method, route, status));
        }
        // Labels are in the order of their names: method, route, status.
        let expected = [
            ("GET /a 200", 2),
            ("GET /a 503", 1),
            ("POST /b none", 1),
            ("other /b 405", 1),
            ("other none 404", 1),
            ("GET other 299", 1),
        ];
        let expected = expected.map(|(labels, count)| (labels.to_owned(), count));
        let counts = counted(&requests, "connect_http_requests_total");
        assert_eq!(counts, BTreeSet::from(expected));
    }

    /// A rate misses the first step of a new counter.
    #[test]
    fn answers_are_counted_from_nothing() {
        let requests = Requests::to(["/a"]);
        let answers = || counted(&requests, "connect_http_answers_total");
        let with = |counts: [u64; 4]| {
            let classes = ["2xx", "3xx", "4xx", "5xx"].map(str::to_owned);
            classes.into_iter().zip(counts).collect::<BTreeSet<_>>()
        };
        assert_eq!(answers(), with([0; 4]));
        for status in [Some(200), Some(204), Some(404), Some(503), Some(101), None] {
            requests.count(&ended(&Method::GET, Some("/a"), status));
        }
        assert_eq!(answers(), with([2, 0, 1, 1]));
    }

    #[test]
    fn an_answer_has_a_time_and_a_client_that_left_has_none() {
        let requests = Requests::to(["/a"]);
        requests.count(&ended(&Method::GET, Some("/a"), Some(200)));
        requests.count(&ended(&Method::GET, Some("/a"), None));
        let families = requests.families();
        let times = families
            .iter()
            .find(|family| family.name().ends_with("seconds"));
        let time = times.unwrap().get_metric()[0].get_histogram();
        assert_eq!(time.get_sample_count(), 1);
        let within = |bound: f64| {
            let buckets = time.get_bucket().iter();
            let found = buckets.clone().find(|bucket| bucket.upper_bound() == bound);
            found.unwrap().cumulative_count()
        };
        assert_eq!((within(0.0025), within(0.005)), (0, 1));
    }
}
