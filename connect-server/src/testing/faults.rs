//! The faults ordered by a test, and the requests received.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{Method, StatusCode};

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is refused with this status.
    Status(StatusCode),
    /// It waits.
    Delay(Duration),
    /// Its connection is cut before it is looked at.
    Cut,
    /// Its connection is cut in place of the answer.
    LostAnswer,
}

/// The faults ordered by a test, and the requests received.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    ordered: VecDeque<Fault>,
    requests: Vec<String>,
}

impl Faults {
    pub(super) fn fail(&self, status: u16) {
        assert!((400..600).contains(&status), "{status} is no error");
        let status = StatusCode::from_u16(status).expect("a status of three digits");
        self.order(Fault::Status(status));
    }

    pub(super) fn delay(&self, wait: Duration) {
        self.order(Fault::Delay(wait));
    }

    pub(super) fn cut(&self) {
        self.order(Fault::Cut);
    }

    pub(super) fn lose_answer(&self) {
        self.order(Fault::LostAnswer);
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// Records a request, and returns its fault, if any.
    pub(super) fn meet(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut state = self.state();
        state.requests.push(format!("{method} {path}"));
        state.ordered.pop_front()
    }

    fn order(&self, fault: Fault) {
        self.state().ordered.push_back(fault);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panicked test may still look.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
