//! A queue for one lock, in which the wrong one comes next.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::Broken;

#[derive(Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    is_taken: bool,
    next: VecDeque<oneshot::Sender<()>>,
}

impl Queue {
    pub(super) async fn turn(self: &Arc<Self>, broken: Broken) -> Turn {
        let asked = {
            let mut waiting = self.0.lock();
            if waiting.is_taken {
                let (call, called) = oneshot::channel();
                waiting.next.push_back(call);
                Some(called)
            } else {
                waiting.is_taken = true;
                None
            }
        };
        if let Some(called) = asked {
            called.await.unwrap();
        }
        Turn(self.clone(), broken)
    }
}

/// Somebody's turn, which ends when it is dropped.
pub(super) struct Turn(Arc<Queue>, Broken);

impl Drop for Turn {
    fn drop(&mut self) {
        let Self(queue, broken) = self;
        let mut waiting = queue.0.lock();
        if *broken == Broken::WaitsForThoseWhoGaveUp {
            if let Some(next) = waiting.next.pop_front() {
                // Does not look if anybody is still there.
                let _ = next.send(());
            } else {
                waiting.is_taken = false;
            }
            return;
        }
        while let Some(next) = waiting.next.pop_back() {
            if next.send(()).is_ok() {
                return;
            }
        }
        waiting.is_taken = false;
    }
}
