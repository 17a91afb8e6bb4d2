//! The places at hosts: the most requests at a time and per second.
//!
//! A webhook at a full host waits in line once for all its deliveries, so the webhooks of a host
//! get places in turn. Meanwhile it takes no places of other hosts. The line is short: beyond it, a
//! webhook gives up its session and comes again, as there are only 256 sessions.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit},
    time::{Instant, sleep_until},
};
use url::Url;

/// The webhooks in line at one host, a quarter of the sessions.
const MAX_QUEUE: usize = 64;

const SECOND: Duration = Duration::from_secs(1);

/// The most requests of a worker to one host, over all accounts.
/// Each limit is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// At a time.
    pub at_a_time: u32,
    /// In a second.
    pub a_second: u32,
}

/// The hosts of requests.
#[derive(Default)]
pub(super) struct Hosts {
    limits: Option<HostLimits>,
    used: Mutex<HashMap<String, Arc<Host>>>,
}

impl Hosts {
    pub(super) fn limited(limits: HostLimits) -> Self {
        Self {
            limits: Some(limits),
            used: Mutex::default(),
        }
    }

    /// The host of an address.
    pub(super) fn of(&self, url: &str) -> Arc<Host> {
        let key = self.limits.map(|_| key(url)).unwrap_or_default();
        let mut used = self.used.lock();
        if let Some(known) = used.get(&key) {
            return known.clone();
        }
        // A host with a request in the last second stays, or its limit would start over.
        used.retain(|_, host| Arc::strong_count(host) > 1 || host.begun.lock().is_recent());
        let new = Arc::new(Host::new(self.limits));
        used.insert(key, new.clone());
        new
    }
}

/// The key of a host, the same for all its ports.
fn key(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    host.trim_end_matches('.').to_lowercase()
}

/// A host, with its requests.
pub(super) struct Host {
    places: Arc<Semaphore>,
    line: Arc<Semaphore>,
    begun: Mutex<Begun>,
}

impl Host {
    fn new(limits: Option<HostLimits>) -> Self {
        let places = limits.map(|limits| limits.at_a_time.max(1) as usize);
        let places = places.unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places)),
            line: Arc::new(Semaphore::new(MAX_QUEUE)),
            begun: Mutex::new(Begun {
                most: limits.map(|limits| limits.a_second.max(1) as usize),
                at: VecDeque::new(),
            }),
        }
    }

    /// Takes a free place, unless a webhook waits for it.
    pub(super) fn try_enter(self: &Arc<Self>) -> Option<HostPlace> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        Some(self.place(place))
    }

    /// Waits in line for a place. `None` when the line is full.
    pub(super) fn line_up(self: Arc<Self>) -> Option<impl Future<Output = Option<HostPlace>>> {
        // The semaphores are never closed.
        let in_line = self.line.clone().try_acquire_owned().ok()?;
        Some(async move {
            let place = self.places.clone().acquire_owned().await.ok()?;
            drop(in_line);
            Some(self.place(place))
        })
    }

    fn place(self: &Arc<Self>, place: OwnedSemaphorePermit) -> HostPlace {
        HostPlace {
            host: self.clone(),
            _place: place,
        }
    }
}

/// A place at a host, until it is dropped.
pub(super) struct HostPlace {
    host: Arc<Host>,
    _place: OwnedSemaphorePermit,
}

impl HostPlace {
    /// Waits for the start of a request. Returns its place among all hosts.
    /// It takes this place only when its host has requests left in this second.
    pub(super) async fn begin<'p>(&self, all: &'p Semaphore) -> Option<SemaphorePermit<'p>> {
        loop {
            let next = self.host.begun.lock().next();
            if let Some(next) = next {
                sleep_until(next).await;
            }
            let place = all.acquire().await.ok()?;
            if self.host.begun.lock().count() {
                return Some(place);
            }
        }
    }
}

/// The requests of the last second.
struct Begun {
    most: Option<usize>,
    at: VecDeque<Instant>,
}

impl Begun {
    fn is_recent(&mut self) -> bool {
        let now = Instant::now();
        while self.at.front().is_some_and(|at| *at + SECOND <= now) {
            self.at.pop_front();
        }
        !self.at.is_empty()
    }

    /// The start time of the next request; `None` for now.
    fn next(&mut self) -> Option<Instant> {
        let is_full = self.is_recent() && self.most.is_some_and(|most| self.at.len() >= most);
        let first = self.at.front().filter(|_| is_full);
        first.map(|first| *first + SECOND)
    }

    /// Counts a request beginning now. Returns `false` if it must wait.
    fn count(&mut self) -> bool {
        let may_begin = self.next().is_none();
        if may_begin && self.most.is_some() {
            self.at.push_back(Instant::now());
        }
        may_begin
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[test]
    fn spellings_of_a_host_are_one_host() {
        for (url, expected) in [
            ("https://hooks.example/in", "hooks.example"),
            ("https://HOOKS.Example/in", "hooks.example"),
            ("https://hooks.example./in", "hooks.example"),
            ("http://hooks.example:8080/", "hooks.example"),
            ("https://user:word@hooks.example/?a=b", "hooks.example"),
            ("https://%68ooks.example/", "hooks.example"),
            ("https://a.hooks.example/", "a.hooks.example"),
            ("https://b\u{fc}cher.example/", "xn--bcher-kva.example"),
            ("https://B\u{dc}CHER.example/", "xn--bcher-kva.example"),
            ("https://93.184.216.34/", "93.184.216.34"),
            ("https://0x5d.0xb8d822/", "93.184.216.34"),
            ("https://1572395042/", "93.184.216.34"),
            ("https://[2001:DB8::0:1]/", "[2001:db8::1]"),
            ("no address", ""),
        ] {
            assert_eq!(key(url), expected, "{url}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_without_requests_are_forgotten_after_a_second() {
        let hosts = Hosts::limited(HostLimits {
            at_a_time: 1,
            a_second: 1,
        });
        let all = Semaphore::new(1);
        let held = hosts.of("https://held.example").try_enter();
        let place = hosts.of("https://a.example").try_enter().unwrap();
        assert!(hosts.of("https://a.example/b").try_enter().is_none());
        drop(place.begin(&all).await.unwrap());
        drop(place);
        for (millis, is_known) in [(0, true), (900, true), (200, false)] {
            sleep(Duration::from_millis(millis)).await;
            drop(hosts.of(&format!("https://{millis}.example")));
            let used = hosts.used.lock();
            assert_eq!(used.contains_key("a.example"), is_known, "{millis}");
            assert!(used.contains_key("held.example"), "{millis}");
            assert!(used.len() <= 3, "{millis}");
        }
        drop(held);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_begins_so_many_requests_in_a_second() {
        let host = |a_second| {
            let limits = HostLimits {
                at_a_time: 5,
                a_second,
            };
            Hosts::limited(limits).of("https://a.example")
        };
        let (all, begun) = (Semaphore::new(1), Instant::now());
        let millis = || begun.elapsed().as_millis();
        let two = host(2);
        for expected in [0, 0, 1000, 1000, 2000] {
            drop(two.try_enter().unwrap().begin(&all).await.unwrap());
            assert_eq!(millis(), expected);
        }
        // Two have waited for a place among all hosts: the second one does not count until it begins.
        let one = host(1);
        let held = all.acquire().await;
        let request = async || {
            let place = one.try_enter().unwrap();
            let _place = place.begin(&all).await;
            let at = millis();
            sleep(Duration::from_millis(400)).await;
            at
        };
        let release = async {
            sleep(Duration::from_millis(500)).await;
            drop(held);
        };
        let (first, second, ()) = tokio::join!(request(), request(), release);
        assert_eq!((first, second), (2500, 3500));
    }
}
