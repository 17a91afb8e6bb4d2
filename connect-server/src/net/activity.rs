//! The activity of one connection, for its limits on time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, Semaphore},
    time::Instant,
};

use super::{Limits, budget::Budget, stall_detector::Rounds};

/// The activity of one connection.
/// Its socket, requests, answers and the task watching its time share it. One clock reading per request,
/// no timer.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    /// Requests without an answer, or with one not yet taken whole.
    in_flight: AtomicUsize,
    served: AtomicBool,
    http2: AtomicBool,
    linger: AtomicBool,
    /// The end of the last request, in milliseconds after `opened`.
    idle_since: AtomicU64,
    /// The first byte after it, in the same unit; [`NEVER`] when none came.
    head_since: AtomicU64,
    /// The last turn of `rounds`, in the same unit.
    turned: AtomicU64,
    /// The end of the client's side within an HTTP/1.1 request.
    /// In the same unit. After it, the last byte taken by the client; [`NEVER`] before.
    half_closed: AtomicU64,
    /// Set when the socket should report on its other end.
    wants_look: AtomicBool,
    rounds: Rounds,
    /// Set for good once an answer was found stuck.
    stuck: AtomicBool,
    /// Bytes held by requests in flight and the header table.
    /// Includes answers not yet taken by the client.
    held: AtomicUsize,
    freed: Notify,
    /// Refused requests still to be paused for.
    refusals: AtomicUsize,
    leaving: AtomicBool,
    cut: AtomicBool,
    asked: Notify,
    /// Has no permits. Closed when the connection has ended.
    open: Semaphore,
    /// The bytes held by all connections.
    budget: Arc<Budget>,
}

const NEVER: u64 = u64::MAX;

/// The most refusals counted for pauses.
/// A burst does not delay the client for long.
const MOST_REFUSALS: usize = 10;

/// The decision about a connection's time.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Stay,
    /// Take no new request, finish the running ones.
    Finish,
    /// Cut it: its head does not come, or its client seems gone.
    Cut,
}

/// The way a connection is asked to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// After its requests: it is idle, or a new connection takes less memory.
    WhenDone,
    /// At once: it holds the most memory.
    AtOnce,
}

impl Activity {
    /// Starts the activity of a new connection. Its bytes count in `budget`.
    pub(super) fn new(budget: Arc<Budget>) -> Self {
        Self {
            opened: Instant::now(),
            in_flight: AtomicUsize::new(0),
            served: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            linger: AtomicBool::new(false),
            idle_since: AtomicU64::new(0),
            head_since: AtomicU64::new(NEVER),
            turned: AtomicU64::new(0),
            half_closed: AtomicU64::new(NEVER),
            wants_look: AtomicBool::new(false),
            rounds: Rounds::default(),
            stuck: AtomicBool::new(false),
            held: AtomicUsize::new(0),
            freed: Notify::new(),
            refusals: AtomicUsize::new(0),
            leaving: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            asked: Notify::new(),
            open: Semaphore::new(0),
            budget,
        }
    }

    /// Counts a request as in flight until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>, http2: bool) -> InFlight {
        self.in_flight.fetch_add(1, Relaxed);
        self.served.store(true, Relaxed);
        self.http2.store(http2, Relaxed);
        self.head_since.store(NEVER, Relaxed);
        let mut in_flight = InFlight {
            activity: self.clone(),
            bytes: 0,
        };
        in_flight.hold(REQUEST);
        in_flight
    }

    /// Notes received bytes. Between two requests they start the next head.
    pub(super) fn received(&self) {
        if self.is_idle() && self.head_since.load(Relaxed) == NEVER {
            self.head_since.store(self.now(), Relaxed);
        }
    }

    /// Asks the socket about its other end, during an HTTP/1.1 request.
    /// hyper does not read then. An HTTP/2 connection is always read.
    pub(super) fn ask_for_look(&self) {
        if !self.is_idle() && !self.http2.load(Relaxed) {
            self.wants_look.store(true, Relaxed);
        }
    }

    /// Returns whether the socket was asked, and clears the request.
    pub(super) fn takes_look(&self) -> bool {
        self.wants_look.load(Relaxed) && self.wants_look.swap(false, Relaxed)
    }

    /// Notes the end of the client's sending side, unless known.
    pub(super) fn half_closed(&self) {
        let (known, now) = (NEVER, self.now());
        let _ = self
            .half_closed
            .compare_exchange(known, now, Relaxed, Relaxed);
    }

    /// Notes bytes taken by the client: it is still there.
    pub(super) fn took(&self) {
        if self.half_closed.load(Relaxed) != NEVER {
            self.half_closed.store(self.now(), Relaxed);
        }
    }

    /// Notes a request refused for its sender's rate.
    pub(super) fn refused(&self) {
        let one_more = |refusals| (refusals < MOST_REFUSALS).then_some(refusals + 1);
        let _ = self.refusals.fetch_update(Relaxed, Relaxed, one_more);
    }

    /// Returns whether a pause for a refused request is due.
    pub(super) fn has_refusals(&self) -> bool {
        self.refusals.load(Relaxed) > 0
    }

    /// Counts one pause for a refused request as done.
    pub(super) fn forgive(&self) {
        let one_less = |refusals: usize| refusals.checked_sub(1);
        let _ = self.refusals.fetch_update(Relaxed, Relaxed, one_less);
    }

    /// Keeps reading for a while when this connection closes.
    /// The client may still be sending. The system would answer those bytes with a reset, and the reset
    /// can overtake our last answer.
    pub(super) fn linger(&self) {
        self.linger.store(true, Relaxed);
    }

    pub(super) fn lingers(&self) -> bool {
        self.linger.load(Relaxed)
    }

    /// Returns whether no request is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.load(Relaxed) == 0
    }

    /// Returns the start of its idle time, unless busy or already leaving.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let is_free = self.is_idle() && !self.leaving.load(Relaxed);
        is_free.then(|| self.opened + Duration::from_millis(self.idle_since.load(Relaxed)))
    }

    /// The answers taken by the client piece by piece.
    pub(super) fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// Returns the bytes held by its requests, header table and untaken answers.
    pub(super) fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Replaces a count of held bytes by a new one.
    pub(super) fn replace(&self, before: usize, now: usize) {
        self.held.fetch_add(now, Relaxed);
        self.held.fetch_sub(before, Relaxed);
        self.budget.replace(before, now);
        if now < before {
            self.freed.notify_waiters();
        }
    }

    /// Waits until at most this many bytes are held.
    pub(super) async fn room(&self, most: usize) {
        while self.held() > most {
            let freed = self.freed.notified();
            // Only bytes freed from here on wake it, so the check is repeated.
            if self.held() > most {
                freed.await;
            }
        }
    }

    /// Asks the connection's task to end it.
    pub(super) fn ask(&self, leave: Leave) {
        self.leaving.store(true, Relaxed);
        self.cut.fetch_or(leave == Leave::AtOnce, Relaxed);
        self.asked.notify_one();
    }

    /// Returns whether it was asked to leave.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Relaxed)
    }

    /// Returns whether it was asked to leave at once.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Relaxed)
    }

    /// Waits until the connection is asked to leave.
    pub(super) async fn asked(&self) -> Leave {
        self.asked.notified().await;
        match self.cut.load(Relaxed) {
            true => Leave::AtOnce,
            false => Leave::WhenDone,
        }
    }

    /// Marks the connection as ended.
    pub(super) fn end(&self) {
        self.open.close();
    }

    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        // Ends only with an error, on close: the semaphore has no permits.
        let _ = self.open.acquire().await;
    }

    /// Returns whether an answer is stuck. For the task watching the time.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck.load(Relaxed)
    }

    /// Decides about the connection. For the task watching its time.
    pub(super) fn verdict(&self, limits: &Limits) -> Verdict {
        let now = self.now();
        let past = |since: u64, limit: Duration| {
            since != NEVER && u128::from(now.saturating_sub(since)) > limit.as_millis()
        };
        if past(self.turned.load(Relaxed), limits.download.within) {
            self.turned.store(now, Relaxed);
            if self.rounds.turn() {
                self.stuck.store(true, Relaxed);
            }
        }
        if self.is_stuck() {
            return Verdict::Finish;
        }
        if !self.is_idle() && past(self.half_closed.load(Relaxed), limits.idle) {
            return Verdict::Cut;
        }
        if self.is_idle() {
            if !self.served.load(Relaxed) && past(0, limits.head) {
                return Verdict::Cut;
            }
            // Between requests HTTP/2 also sends frames without heads.
            if !self.http2.load(Relaxed) && past(self.head_since.load(Relaxed), limits.head) {
                return Verdict::Cut;
            }
            if past(self.idle_since.load(Relaxed), limits.idle) {
                return Verdict::Finish;
            }
        }
        if past(0, limits.connection_age) {
            Verdict::Finish
        } else {
            Verdict::Stay
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(NEVER - 1)
    }
}

/// Bytes counted for a request beside its answer.
/// They stand for its streams, its task and its headers. Without them, many small untaken answers would
/// hold much memory and count little.
const REQUEST: usize = 6 * 1024;

/// A request in progress, until the client has taken its answer.
#[derive(Debug)]
pub(super) struct InFlight {
    activity: Arc<Activity>,
    bytes: usize,
}

impl InFlight {
    pub(super) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Counts more bytes as held.
    pub(super) fn hold(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.activity.held.fetch_add(bytes, Relaxed);
        self.activity.budget.take(bytes);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let Activity {
            idle_since,
            in_flight,
            held,
            freed,
            budget,
            ..
        } = &*self.activity;
        idle_since.store(self.activity.now(), Relaxed);
        in_flight.fetch_sub(1, Relaxed);
        held.fetch_sub(self.bytes, Relaxed);
        freed.notify_waiters();
        budget.give_back(self.bytes);
    }
}
