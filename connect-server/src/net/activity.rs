//! The activity of one connection, for its limits on time.

use std::{
    mem,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::Instant,
};

use super::{
    Limits,
    budget::{Budget, Held},
};

/// One open connection.
/// Its socket, requests, answers and the task watching its time share it. No timer for each request.
#[derive(Debug)]
pub(super) struct Activity {
    /// The network of its client; `None` for one without a limit per address.
    pub(super) network: Option<IpAddr>,
    /// The bytes held by its requests, header table and untaken answers.
    pub(super) held: Arc<Budget>,
    opened: Instant,
    state: Mutex<ActivityState>,
    stage: watch::Sender<Stage>,
    /// Its place among the connections of the server.
    /// Free when nothing of it is left: HTTP/2 requests end a moment after their connection.
    _place: OwnedSemaphorePermit,
}

/// The changing part of an [`Activity`].
#[derive(Debug)]
pub(super) struct ActivityState {
    /// Requests without an answer, or with one not yet taken whole, by the round of their last move.
    /// Only the first two rounds are watched.
    in_flight: [usize; 3],
    /// The round under way, 0 or 1.
    round: usize,
    round_began: Instant,
    /// Set for good once an answer was found stuck.
    is_stuck: bool,
    is_http2: bool,
    /// The end of the last request.
    idle_since: Instant,
    /// The first byte of the next head, if any came.
    /// For the first head, the beginning of the connection.
    head_since: Option<Instant>,
    /// The end of the client's side within an HTTP/1.1 request.
    /// After it, the last byte taken by the client.
    half_closed: Option<Instant>,
    /// Refused requests still to be paused for.
    refusals: usize,
    /// Set to keep reading for a while when this connection closes.
    /// The client may still be sending. The system would answer those bytes with a reset, and the reset
    /// can overtake our last answer.
    pub(super) lingers: bool,
}

/// The round of requests without an answer, and of all over HTTP/1.1.
const UNWATCHED: usize = 2;

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

/// The stages of a connection up to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Serving,
    /// The server stops: no new request, and running ones finish.
    Draining,
    /// It leaves after its requests: another connection takes its place, or less memory.
    Leaving,
    /// It ends at once: the server has stopped, or it holds the most memory.
    Cut,
    Ended,
}

impl Activity {
    /// Starts the activity of a new connection.
    pub(super) fn new(
        network: Option<IpAddr>,
        held: Arc<Budget>,
        place: OwnedSemaphorePermit,
    ) -> Self {
        let opened = Instant::now();
        let state = ActivityState {
            in_flight: [0; 3],
            round: 0,
            round_began: opened,
            is_stuck: false,
            is_http2: false,
            idle_since: opened,
            head_since: Some(opened),
            half_closed: None,
            refusals: 0,
            lingers: false,
        };
        Self {
            network,
            held,
            opened,
            state: Mutex::new(state),
            stage: watch::Sender::new(Stage::Serving),
            _place: place,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Moves on to a stage, unless it has been reached.
    pub(super) fn enter(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let reached = stage.max(*now);
            reached != mem::replace(now, reached)
        });
    }

    /// Waits for a stage after this one.
    pub(super) async fn after(&self, stage: Stage) -> Stage {
        let mut stages = self.stage.subscribe();
        let later = stages.wait_for(|now| *now > stage).await;
        // Not an error: the sender lives as long as this.
        later.map_or(Stage::Ended, |later| *later)
    }

    /// Counts a request as in flight until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>, is_http2: bool) -> InFlight {
        let mut state = self.state();
        state.in_flight[UNWATCHED] += 1;
        state.is_http2 = is_http2;
        state.head_since = None;
        drop(state);
        let held = Held::none_of(&self.held);
        held.add(REQUEST);
        InFlight {
            activity: self.clone(),
            held,
            round: AtomicUsize::new(UNWATCHED),
        }
    }

    /// Decides about the connection. For the task watching its time.
    pub(super) fn verdict(&self, limits: &Limits) -> Verdict {
        let past = |since: Instant, limit: Duration| since.elapsed() > limit;
        let mut state = self.state();
        if past(state.round_began, limits.download.within) {
            state.round_began = Instant::now();
            state.turn();
        }
        let is_idle = state.is_idle();
        let late = |since: Option<Instant>, limit| since.is_some_and(|since| past(since, limit));
        if state.is_stuck {
            Verdict::Finish
        } else if !is_idle && late(state.half_closed, limits.idle)
            // Between requests HTTP/2 also sends frames without heads.
            || is_idle && !state.is_http2 && late(state.head_since, limits.head)
        {
            Verdict::Cut
        } else if is_idle && past(state.idle_since, limits.idle)
            || past(self.opened, limits.connection_age)
        {
            Verdict::Finish
        } else {
            Verdict::Stay
        }
    }

    /// Returns the start of its idle time, unless busy or already leaving.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        let is_free = state.is_idle() && self.stage() == Stage::Serving;
        is_free.then_some(state.idle_since)
    }
}

impl ActivityState {
    /// Returns whether no request is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == [0; 3]
    }

    /// Returns whether no request can still end well.
    pub(super) fn is_done(&self) -> bool {
        self.is_idle() || self.is_stuck
    }

    /// Begins the next round, unless an answer is stuck.
    ///
    /// Only the round under way and the one before are known. An answer still in the earlier one has not
    /// moved for at least a whole round: it is found without a timer of its own.
    fn turn(&mut self) {
        let next = 1 - self.round;
        match self.in_flight[next] {
            0 => self.round = next,
            _ => self.is_stuck = true,
        }
    }

    /// Notes received bytes. Between two requests they start the next head.
    pub(super) fn received(&mut self) {
        if self.is_idle() {
            self.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// Notes the end of the client's sending side, unless known.
    pub(super) fn half_closed(&mut self) {
        self.half_closed.get_or_insert_with(Instant::now);
    }

    /// Notes bytes taken by the client: it is still there.
    pub(super) fn took(&mut self) {
        if let Some(since) = &mut self.half_closed {
            *since = Instant::now();
        }
    }

    /// Notes a request refused for its sender's rate.
    pub(super) fn refused(&mut self) {
        self.refusals = MOST_REFUSALS.min(self.refusals + 1);
    }

    /// Takes a refused request to pause for. Returns whether there was one.
    pub(super) fn takes_refusal(&mut self) -> bool {
        let is_due = self.refusals > 0;
        self.refusals = self.refusals.saturating_sub(1);
        is_due
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
    /// Its bytes, with those of its answer.
    pub(super) held: Held,
    round: AtomicUsize,
}

impl InFlight {
    /// Notes a piece of its answer on its way to hyper.
    pub(super) fn moved(&self) {
        let mut state = self.activity.state();
        let round = state.round;
        state.in_flight[self.round.swap(round, Relaxed)] -= 1;
        state.in_flight[round] += 1;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.in_flight[*self.round.get_mut()] -= 1;
        state.idle_since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::{super::Pace, *};

    fn activity() -> Arc<Activity> {
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        Arc::new(Activity::new(None, Budget::new(0, None), place))
    }

    #[tokio::test(start_paused = true)]
    async fn each_limit_on_time_is_exact() {
        const NEVER: Duration = Duration::from_secs(3600);
        const LIMIT: Duration = Duration::from_millis(20);
        let millisecond = Duration::from_millis(1);
        for (name, is_busy, is_http2, expected) in [
            ("head", false, false, Verdict::Cut),
            ("head", false, true, Verdict::Stay),
            ("head", true, false, Verdict::Stay),
            ("idle", false, false, Verdict::Finish),
            ("idle", true, false, Verdict::Cut),
            ("age", true, false, Verdict::Finish),
        ] {
            let limit = |of| if name == of { LIMIT } else { NEVER };
            let limits = Limits {
                head: limit("head"),
                idle: limit("idle"),
                connection_age: limit("age"),
                download: Pace {
                    bytes: 1,
                    within: NEVER,
                },
                ..Limits::default()
            };
            let activity = activity();
            let request = activity.begin(is_http2);
            let busy = is_busy.then_some(request);
            activity.state().received();
            if is_busy && name == "idle" {
                // The client has closed its side. It is there as long as it takes bytes.
                activity.state().half_closed();
                tokio::time::advance(LIMIT).await;
                activity.state().took();
            }
            tokio::time::advance(LIMIT).await;
            let row = format!("{name} {is_busy} {is_http2}");
            assert_eq!(activity.verdict(&limits), Verdict::Stay, "{row}");
            tokio::time::advance(millisecond).await;
            assert_eq!(activity.verdict(&limits), expected, "{row}");
            drop(busy);
        }
    }

    #[test]
    fn an_answer_is_stuck_after_a_whole_round() {
        let activity = activity();
        let is_stuck = || {
            let mut state = activity.state();
            state.turn();
            std::mem::take(&mut state.is_stuck)
        };
        let (waiting, moving) = (activity.begin(true), activity.begin(true));
        moving.moved();
        assert!(!is_stuck());
        // One answer moves, and a second one begins.
        moving.moved();
        let still = activity.begin(true);
        still.moved();
        assert!(!is_stuck());
        moving.moved();
        assert!(is_stuck() && is_stuck());
        drop(still);
        assert!(!is_stuck());
        drop(moving);
        // A request without an answer is not stuck, however long it takes.
        assert!(!is_stuck() && !is_stuck());
        assert!(!activity.state().is_idle());
        drop(waiting);
        assert!(activity.state().is_idle());
    }
}
