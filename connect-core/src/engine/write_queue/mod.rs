//! One write queue per location, with shared commits.
//! Writes to a location run one after another; waiting writes share a commit.
//!
//! A location's commits are serialised by its clock row anyway; queueing them in the process saves the
//! retries. During one commit, arriving writes form the next group. Each is a separate operation with its
//! own time, answer and idempotency record, but all of them share one read and one commit. After a conflict
//! with another process, a group is run again, in the end under the location's lock.
//!
//! A queue is processed by a separate task, so a caller going away interrupts no write. A single failure
//! (an unreadable row, a panic) affects only its own write: a group failing as a whole is run again one by
//! one.

use std::{
    collections::{HashMap, VecDeque},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use futures_util::{FutureExt as _, future::join};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{
    answer::Answer,
    change::{Job, MOST_RECORDS},
    write::{perform, reads},
};
use crate::transaction::{End, Fault, Reads, Refusal, Store, UnitOfWork};

type Outcome = Result<Answer, Refusal>;

/// A write and the channel for its answer.
struct WaitingWrite {
    job: Job,
    reply: oneshot::Sender<Outcome>,
}

/// The write queues of all locations in use.
pub(crate) struct WriteQueues {
    store: Arc<Store>,
    waiting: Mutex<HashMap<Uuid, VecDeque<WaitingWrite>>>,
}

impl WriteQueues {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            waiting: Mutex::default(),
        }
    }
}

/// The most writes in a shared commit, besides the limit of their records.
const MOST_JOBS: usize = 64;

/// The most records of a group expected to make a small commit.
const FEW_RECORDS: usize = 8;

/// Queues `job` and waits until it is done and durable.
pub(crate) async fn run(queues: &Arc<WriteQueues>, job: Job) -> Outcome {
    let location = job.at.partition();
    let (reply, answer) = oneshot::channel();
    let is_first = {
        let mut waiting = queues.waiting.lock();
        let is_first = !waiting.contains_key(&location);
        // An entry in the map means that a task is running.
        let queue = waiting.entry(location).or_default();
        queue.push_back(WaitingWrite { job, reply });
        is_first
    };
    if is_first {
        tokio::spawn(work_off(queues.clone(), location));
    }
    // The sender is dropped unused only when the runtime shuts down.
    answer.await.unwrap_or_else(|_| Err(Fault::Panicked.into()))
}

/// Commits group after group until the location's queue is empty.
async fn work_off(queues: Arc<WriteQueues>, location: Uuid) {
    loop {
        let group = {
            let mut waiting = queues.waiting.lock();
            let queue = waiting.get_mut(&location);
            let group = queue.map(next_group).unwrap_or_default();
            if group.is_empty() {
                // Under the same lock as the check, so that no write is missed in between.
                waiting.remove(&location);
                return;
            }
            group
        };
        let (jobs, replies): (Vec<Job>, Vec<_>) =
            group.into_iter().map(|w| (w.job, w.reply)).unzip();
        let outcomes = commit_group(&queues.store, location, &jobs).await;
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            // A caller that has gone away does not need its answer.
            let _ = reply.send(outcome);
        }
        // Callers just answered may write again at once. Without this yield they miss the next group, and
        // the writers of a location become two groups taking turns, with twice as many commits. Correctness
        // does not depend on the order.
        tokio::task::yield_now().await;
    }
}

fn next_group(waiting: &mut VecDeque<WaitingWrite>) -> Vec<WaitingWrite> {
    let mut records = 0;
    let mut group = Vec::new();
    while let Some(next) = waiting.front() {
        records += next.job.change.weight();
        if group.len() == MOST_JOBS || (records > MOST_RECORDS && !group.is_empty()) {
            break;
        }
        group.extend(waiting.pop_front());
    }
    group
}

/// Commits the jobs together; if this fails as a whole, one by one.
async fn commit_group(store: &Store, location: Uuid, jobs: &[Job]) -> Vec<Outcome> {
    let fault = match commit_together(store, location, jobs).await {
        Ok(outcomes) => return outcomes,
        Err(fault) => fault,
    };
    // It is unknown if the group was written: a retry might apply it twice.
    let is_unknown = matches!(fault, Fault::Unknown(_));
    if jobs.len() < 2 || is_unknown {
        let refusal = Refusal::from(fault);
        return jobs.iter().map(|_| Err(refusal.clone())).collect();
    }
    tracing::warn!(%fault, writes = jobs.len(), "a group of writes failed; running them one by one");
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in jobs {
        let alone = commit_together(store, location, std::slice::from_ref(job)).await;
        outcomes.push(
            alone
                .unwrap_or_else(|fault| vec![Err(fault.into())])
                .remove(0),
        );
    }
    outcomes
}

/// Performs the jobs in order and commits them at once.
/// After a conflict with another process, it tries again, in the end under a lock.
async fn commit_together(
    store: &Store,
    location: Uuid,
    jobs: &[Job],
) -> Result<Vec<Outcome>, Fault> {
    let records: usize = jobs.iter().map(|job| job.change.weight()).sum();
    let locks = store.locks_first(location, records <= FEW_RECORDS);
    let committing = store.transact_with(location, locks, |mut unit| async move {
        load(store, &mut unit, location, jobs).await?;
        let mut outcomes = Vec::with_capacity(jobs.len());
        for job in jobs {
            outcomes.push(perform_guarded(&mut unit, job).await);
        }
        Ok(End::commit(unit, outcomes))
    });
    let committed = AssertUnwindSafe(committing).catch_unwind().await;
    committed.unwrap_or(Err(Fault::Panicked))
}

/// Reads all rows for the jobs.
/// It takes one round trip, and a second one for rows depending on the first. The usage of the account's
/// other locations is read at the same time; a failure there fails no job.
async fn load(
    store: &Store,
    unit: &mut UnitOfWork<'_>,
    location: Uuid,
    jobs: &[Job],
) -> Result<(), Fault> {
    let mut wanted = Reads::of(location);
    for job in jobs {
        reads(job, &mut wanted);
    }
    let elsewhere = async {
        match jobs.first() {
            Some(job) => store.bytes_elsewhere(job.at.account(), location).await,
            None => 0,
        }
    };
    let (loaded, elsewhere) = join(unit.load(wanted), elsewhere).await;
    loaded?;
    unit.begin_counts();
    unit.set_bytes_elsewhere(elsewhere);
    let mut wanted = Reads::of(location);
    for job in jobs {
        job.change.more_reads(&job.at, unit, &mut wanted);
    }
    unit.load(wanted).await
}

/// Performs a job.
/// A panic is rolled back, and the other jobs go on.
async fn perform_guarded(unit: &mut UnitOfWork<'_>, job: &Job) -> Outcome {
    let depth = unit.savepoint();
    unit.set_authorship(job.authorship.clone());
    let outcome = AssertUnwindSafe(perform(unit, job)).catch_unwind().await;
    match outcome {
        Ok(outcome) => {
            unit.release();
            unit.end_operation();
            outcome
        }
        Err(_) => {
            unit.rollback_to(depth);
            Err(Fault::Panicked.into())
        }
    }
}

#[cfg(test)]
mod tests;
