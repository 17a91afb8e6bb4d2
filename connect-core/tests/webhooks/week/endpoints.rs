//! Endpoints in every mood, and a book of the requests that they got.

use std::{
    collections::{HashMap, HashSet},
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    environment::{Clock as _, SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    wire::{AnyEvent, Timestamp},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::sleep,
};

use super::clock::SetClock;

/// The answers of an endpoint, until its mood changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mood {
    /// It takes what comes, but for a few requests in a hundred.
    Well,
    /// It takes about half.
    Flaky,
    Answers(u16),
    Hangs,
    Refuses,
}

/// A request, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) request: WebhookRequest,
    /// The number of the endpoint.
    pub(super) endpoint: usize,
    /// The process that made it.
    pub(super) life: usize,
    /// The time at which it came.
    pub(super) at: Timestamp,
    /// The clock was set around it, so leases may have ended early.
    pub(super) is_near_step: bool,
    /// The answer; `None` without one.
    pub(super) status: Option<u16>,
}

impl Sent {
    pub(super) fn header(&self, name: &str) -> &str {
        crate::webhooks::endpoints::header(&self.request, name)
    }

    pub(super) fn is_taken(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
}

pub(super) struct Endpoints {
    clock: Arc<SetClock>,
    rng: Mutex<StdRng>,
    moods: Mutex<HashMap<usize, Mood>>,
    book: Mutex<Vec<Sent>>,
    /// The requests under way, by endpoint and process.
    under_way: Mutex<HashMap<(usize, usize), usize>>,
    /// The processes that ended as they should.
    outlived: Mutex<HashSet<usize>>,
    /// The processes that died, with the number of deeds that were done before.
    died: Mutex<HashMap<usize, usize>>,
    /// The events that the first endpoint took.
    arrivals: Mutex<Option<UnboundedSender<AnyEvent>>>,
    /// Faults that must never happen, but have.
    wrongs: Mutex<Vec<String>>,
}

/// The address of an endpoint. Its version changes nothing.
pub(super) fn url(number: usize, version: usize) -> String {
    format!("https://{number}.example/{version}")
}

impl Endpoints {
    pub(super) fn new(clock: Arc<SetClock>, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            clock,
            rng: Mutex::new(StdRng::seed_from_u64(seed)),
            moods: Mutex::default(),
            book: Mutex::default(),
            under_way: Mutex::default(),
            outlived: Mutex::default(),
            died: Mutex::default(),
            arrivals: Mutex::default(),
            wrongs: Mutex::default(),
        })
    }

    pub(super) fn set_mood(&self, endpoint: usize, mood: Mood) {
        self.moods.lock().unwrap().insert(endpoint, mood);
    }

    /// All endpoints are well from now on.
    pub(super) fn heal(&self) {
        self.moods.lock().unwrap().clear();
    }

    pub(super) fn book(&self) -> Vec<Sent> {
        self.book.lock().unwrap().clone()
    }

    /// The events that the first endpoint takes from now on.
    pub(super) fn arrivals(&self) -> UnboundedReceiver<AnyEvent> {
        let (sender, receiver) = unbounded_channel();
        *self.arrivals.lock().unwrap() = Some(sender);
        receiver
    }

    /// Nothing more arrives.
    pub(super) fn close(&self) {
        self.arrivals.lock().unwrap().take();
    }

    /// Notes that a process has written down all that it did.
    pub(super) fn outlived(&self, life: usize) {
        self.outlived.lock().unwrap().insert(life);
    }

    /// Returns whether a process has written down all that it did.
    pub(super) fn has_outlived(&self, life: usize) -> bool {
        self.outlived.lock().unwrap().contains(&life)
    }

    /// Notes that a process died after so many deeds.
    pub(super) fn died(&self, life: usize, place: usize) {
        self.died.lock().unwrap().insert(life, place);
    }

    /// The number of deeds after which a process died, if it did.
    pub(super) fn death_of(&self, life: usize) -> Option<usize> {
        self.died.lock().unwrap().get(&life).copied()
    }

    pub(super) fn wrongs(&self) -> Vec<String> {
        self.wrongs.lock().unwrap().clone()
    }

    /// The endpoints as a process reaches them.
    pub(super) fn of_life(self: &Arc<Self>, life: usize) -> Arc<Line> {
        Arc::new(Line {
            endpoints: self.clone(),
            life,
        })
    }

    /// A webhook has one session at a time.
    fn check_alone(&self, (endpoint, life): (usize, usize)) {
        for ((at, other), count) in self.under_way.lock().unwrap().iter() {
            if *at == endpoint && *other != life && *count > 0 {
                let wrong = format!("processes {other} and {life} at endpoint {endpoint}");
                self.wrongs.lock().unwrap().push(wrong);
            }
        }
    }

    /// Chooses an answer, and how long it takes.
    fn choose(&self, endpoint: usize) -> (Option<Result<u16, SendFailure>>, Duration) {
        let mood = self.moods.lock().unwrap().get(&endpoint).copied();
        let mut rng = self.rng.lock().unwrap();
        let pause = Duration::from_millis(match rng.random_range(0..20) {
            0 => rng.random_range(0..9_900),
            _ => rng.random_range(0..100),
        });
        let refused = || {
            Err(SendFailure::NoAnswer(
                "The connection was refused.".to_owned(),
            ))
        };
        let answer = match mood.unwrap_or(Mood::Well) {
            Mood::Well if rng.random_range(0..100) < 3 => Some(Ok(503)),
            Mood::Well => Some(Ok(200)),
            Mood::Flaky => match rng.random_range(0..6) {
                0 => Some(Ok(500)),
                1 => Some(refused()),
                2 => None,
                _ => Some(Ok(204)),
            },
            Mood::Answers(status) => Some(Ok(status)),
            Mood::Hangs => None,
            Mood::Refuses => Some(refused()),
        };
        (answer, pause)
    }
}

/// The way from a process to the endpoints.
pub(super) struct Line {
    endpoints: Arc<Endpoints>,
    life: usize,
}

/// A request under way, which ends with its process.
struct UnderWay<'e> {
    endpoints: &'e Endpoints,
    /// The endpoint and the process.
    place: (usize, usize),
    /// Its number in the book.
    number: usize,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut under_way = self.endpoints.under_way.lock().unwrap();
        *under_way.get_mut(&self.place).unwrap() -= 1;
        let is_near_step = self.endpoints.clock.was_set();
        let mut book = self.endpoints.book.lock().unwrap();
        book[self.number].is_near_step |= is_near_step;
    }
}

#[async_trait]
impl WebhookSender for Line {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        let endpoints = &*self.endpoints;
        let host = request.url.strip_prefix("https://").unwrap();
        let endpoint: usize = host.split_once('.').unwrap().0.parse().unwrap();
        let place = (endpoint, self.life);
        *endpoints
            .under_way
            .lock()
            .unwrap()
            .entry(place)
            .or_default() += 1;
        let is_near_step = endpoints.clock.was_set();
        if !is_near_step {
            endpoints.check_alone(place);
        }
        let number = {
            let mut book = endpoints.book.lock().unwrap();
            book.push(Sent {
                request: request.clone(),
                endpoint,
                life: self.life,
                at: endpoints.clock.now(),
                is_near_step,
                status: None,
            });
            book.len() - 1
        };
        let _under_way = UnderWay {
            endpoints,
            place,
            number,
        };
        let (answer, pause) = endpoints.choose(endpoint);
        sleep(pause).await;
        let Some(answer) = answer else {
            return pending().await;
        };
        let mut book = endpoints.book.lock().unwrap();
        book[number].status = answer.as_ref().ok().copied();
        if endpoint == 0 && book[number].is_taken() {
            let event = serde_json::from_slice(&request.body).unwrap();
            let arrivals = endpoints.arrivals.lock().unwrap();
            arrivals.as_ref().unwrap().send(event).unwrap();
        }
        answer.map(WebhookAnswer::of)
    }
}
