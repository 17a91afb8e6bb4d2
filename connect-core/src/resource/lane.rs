//! One lane per location: writes to a location run one after another, and those that wait share
//! a commit.
//!
//! A location's commits are serialised by its clock row anyway; queueing them in the process
//! saves the retries. While one commit is on its way to the disk, the writes that arrive form the
//! next one: each is an operation of its own, with its own time, answer and idempotency record,
//! but all of them wait for one flush. Across processes only the commit's expectations count.
//!
//! A lane runs in a task of its own, so a caller that goes away takes nobody's write with it.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{
    Access, Answer, Failure, Idempotency, Outcome,
    connect::{ATTEMPTS, Core},
    write::perform,
};
use crate::record::{Fault, Unit};

/// A write as a value: it can be queued, and run again after a conflict.
#[async_trait]
pub(super) trait Change: Send + Sync {
    /// Does the write. On `Err` the caller takes back whatever was written.
    async fn apply(&self, unit: &mut Unit<'_>, at: &Access) -> Result<Answer, Failure>;

    /// How many records it is about, to bound what goes into one commit.
    fn weight(&self) -> usize {
        1
    }

    /// Whether nothing of it is to be kept, not even the answer.
    fn is_rehearsal(&self) -> bool {
        false
    }
}

/// A write that waits in its lane.
pub(super) struct Job {
    pub(super) change: Box<dyn Change>,
    pub(super) at: Access,
    pub(super) idempotency: Option<Idempotency>,
}

type Reply = oneshot::Sender<Result<Answer, Failure>>;

/// The lanes of all locations in use.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: Mutex<HashMap<Uuid, Arc<Lane>>>,
}

#[derive(Default)]
struct Lane {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Job, Reply)>,
    running: bool,
}

/// The most writes that share a commit, and the most records in all of them together: enough to
/// share a flush, few enough that nobody waits long for others.
const MOST_JOBS: usize = 64;
const MOST_RECORDS: usize = 1000;

/// Queues `job` and waits until it is done and durable.
pub(super) async fn run(core: &Arc<Core>, job: Job) -> Result<Answer, Failure> {
    let lane = {
        let mut lanes = core.lanes.lanes.lock();
        lanes.entry(job.at.location().id).or_default().clone()
    };
    let (reply, answer) = oneshot::channel();
    let start = {
        let mut queue = lane.queue.lock();
        queue.waiting.push_back((job, reply));
        !std::mem::replace(&mut queue.running, true)
    };
    if start {
        tokio::spawn(work_off(
            core.clone(),
            Running {
                lane,
                is_done: false,
            },
        ));
    }
    // The sender is dropped unused only when the lane's task panicked.
    answer.await.unwrap_or_else(|_| Err(Fault::Panicked.into()))
}

/// While it is held, this process commits nothing at the location.
pub(super) struct Pause {
    _release: oneshot::Sender<()>,
}

/// Stops the lane of a location, for a reader that writers keep getting ahead of. Other processes
/// go on, but they are as fast as the disk at most.
pub(super) async fn pause(core: &Arc<Core>, at: &Access) -> Result<Pause, Fault> {
    let (reached, is_reached) = oneshot::channel();
    let (release, released) = oneshot::channel();
    let change = Box::new(Hold(Mutex::new(Some((reached, released)))));
    let (core, at) = (core.clone(), at.clone());
    tokio::spawn(async move {
        run(
            &core,
            Job {
                change,
                at,
                idempotency: None,
            },
        )
        .await
    });
    is_reached.await.map_err(|_| Fault::Busy)?;
    Ok(Pause { _release: release })
}

/// A write of nothing that takes until it is let go.
struct Hold(Mutex<Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>>);

#[async_trait]
impl Change for Hold {
    async fn apply(&self, _: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        // Run again after a conflict, it has nobody to wait for any more.
        let ends = self.0.lock().take();
        if let Some((reached, released)) = ends
            && reached.send(()).is_ok()
        {
            // Dropping the pause lets go, on whatever way its holder ends.
            let _ = released.await;
        }
        Ok(Answer::new(Outcome::Done, Vec::new()))
    }
}

/// A lane whose task is at work. Should the task panic, those who wait are told, and the next
/// write starts the lane anew.
struct Running {
    lane: Arc<Lane>,
    is_done: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_done {
            let mut queue = self.lane.queue.lock();
            queue.running = false;
            queue.waiting.clear();
        }
    }
}

async fn work_off(core: Arc<Core>, mut running: Running) {
    loop {
        let group = {
            let mut queue = running.lane.queue.lock();
            if queue.waiting.is_empty() {
                // Under the same lock as the check, so that no write falls between the two.
                queue.running = false;
                drop(queue);
                running.is_done = true;
                return;
            }
            next_group(&mut queue.waiting)
        };
        let (jobs, replies): (Vec<Job>, Vec<Reply>) = group.into_iter().unzip();
        let answers = commit_together(&core, &jobs).await;
        for (reply, answer) in replies.into_iter().zip(answers) {
            // A caller that has gone away does not need its answer.
            let _ = reply.send(answer);
        }
    }
}

fn next_group(waiting: &mut VecDeque<(Job, Reply)>) -> Vec<(Job, Reply)> {
    let mut records = 0;
    let mut group = Vec::new();
    while let Some((job, _)) = waiting.front() {
        records += job.change.weight();
        if group.len() == MOST_JOBS || (records > MOST_RECORDS && !group.is_empty()) {
            break;
        }
        group.extend(waiting.pop_front());
    }
    group
}

/// Performs the jobs in order and commits them at once; again when another process was faster.
async fn commit_together(core: &Core, jobs: &[Job]) -> Vec<Result<Answer, Failure>> {
    let all = |fault: Fault| {
        let failure = Failure::from(fault);
        jobs.iter().map(|_| Err(failure.clone())).collect()
    };
    let Some(location) = jobs.first().map(|job| job.at.location().id) else {
        return Vec::new();
    };
    for _ in 0..ATTEMPTS {
        let begun = Unit::begin(&*core.storage, &core.environment, location).await;
        let mut unit = match begun {
            Ok(unit) => unit,
            Err(fault) => return all(fault),
        };
        let mut answers = Vec::with_capacity(jobs.len());
        for job in jobs {
            answers.push(perform(&mut unit, job).await);
        }
        match unit.commit().await {
            Ok(true) => return answers,
            Ok(false) => {}
            Err(fault) => return all(fault),
        }
    }
    all(Fault::Busy)
}
