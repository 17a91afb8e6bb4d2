//! The loop of every worker: look, lease, work, record, look again.
//!
//! ```text
//! look (a few reads) -> a turn for each group found -> the next look
//! turn: lease (a commit) -> work -> outcomes (commits expecting the lease)
//! ```
//!
//! Work is queued in groups, such as the deliveries of a webhook or the images of a location. A
//! group is leased as a whole or in parts, and one worker has at most one turn at it at a time.
//! When a worker dies, its leases expire, and another worker goes on.

use std::{
    collections::HashSet, fmt::Display, ops::AddAssign, panic::AssertUnwindSafe, pin::pin,
    sync::Arc, time::Duration,
};

use futures_util::{
    FutureExt as _,
    future::{Either, join_all, pending, select},
};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep_until},
};
use uuid::Uuid;

use crate::{
    transaction::{Error, Fault, Store},
    wire::Timestamp,
};

/// The shortest wait for a due time.
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

/// A kind of work with a queue of its own.
///
/// To add one, implement this trait for its worker. A queue with a row per item takes its
/// [`FairQueue`](super::queue::FairQueue) as the choice of groups, another one a [`Scheduler`].
/// Three rules keep several workers apart, in [`work`](Self::work):
///
/// 1. The commit of a lease expects no other lease.
/// 2. The commit of an outcome expects this lease. Without it, nothing is written.
/// 3. Work ends [`LEASE_MARGIN`](crate::rules::lease::LEASE_MARGIN) seconds before its lease does.
///
/// So an outcome without a commit is lost, and its work is done again.
pub(super) trait Payload: Send + Sync + 'static {
    /// The choice of groups.
    type Scheduler: Scheduler;

    /// The counts of results.
    type Work: AddAssign + Default + Send + 'static;

    /// The name of the work in the log.
    const NAME: &'static str;

    /// The groups of a worker at a time.
    const GROUPS: usize;

    /// Set when a turn takes only a part of a group's due work.
    /// Then the group may have its next turn at once.
    const IN_PARTS: bool;

    /// The choice before its first look.
    fn scheduler() -> Self::Scheduler;

    /// The store with the queue.
    fn store(&self) -> &Store;

    /// Tells all turns to end soon.
    fn stop(&self) -> &watch::Sender<bool>;

    /// Waits until this process queues work.
    fn woken(&self) -> impl Future<Output = ()> + Send {
        pending()
    }

    /// Gives a group its turn: leases it, works, and records the outcomes.
    ///
    /// # Errors
    /// The group has to wait for the next interval.
    fn work(&self, due: Due<Self>) -> impl Future<Output = Result<Turn<Self::Work>, Error>> + Send;

    /// Logs a failed or panicked turn.
    fn log_failure(group: Uuid, reason: &dyn Display);
}

/// The choice of groups with due work.
pub(super) trait Scheduler: Send {
    /// A group to be leased.
    type Due: Send + 'static;

    /// The id of a group.
    fn group(due: &Self::Due) -> Uuid;

    /// Returns at most `most` groups with due work, in fair turns.
    /// Leaves out the ones `resting` until the next interval and the ones `at_work`.
    ///
    /// # Errors
    /// The queue cannot be read.
    fn next(
        &mut self,
        store: &Store,
        most: usize,
        resting: &HashSet<Uuid>,
        at_work: &HashSet<Uuid>,
    ) -> impl Future<Output = Result<Vec<Self::Due>, Fault>> + Send;

    /// Returns whether the last look reached the end of the queue.
    fn is_at_end(&self) -> bool;

    /// Returns whether the last look left out groups for lack of room.
    fn left_some(&self) -> bool {
        true
    }

    /// Returns the due time of the first group after the last look.
    /// `None` leaves it to the next interval.
    fn next_due(
        &self,
        _store: &Store,
    ) -> impl Future<Output = Result<Option<Timestamp>, Fault>> + Send {
        async { Ok(None) }
    }
}

/// A group to be leased.
pub(super) type Due<P> = <<P as Payload>::Scheduler as Scheduler>::Due;

/// The outcome of a turn.
#[derive(Default)]
pub(super) struct Turn<W> {
    pub(super) work: W,
    /// A group without progress rests until the next interval.
    pub(super) has_progress: bool,
}

/// Runs until `until` is ready.
/// Looks for due groups every `interval`, when woken, and when one becomes due. At the end, no new
/// turns begin, current ones are told to stop, and their end is waited for.
pub(super) async fn run<P: Payload>(
    payload: P,
    interval: Duration,
    until: impl Future<Output = ()>,
) {
    let payload = Arc::new(payload);
    let mut until = pin!(until);
    let mut at_work = HashSet::new();
    // Groups without progress: leased by another worker, failed, or damaged.
    let mut resting = HashSet::new();
    // Each has a task of its own, so that the cores share the work. They end with this worker.
    let mut turns: JoinSet<(Uuid, bool)> = JoinSet::new();
    let mut scheduler = P::scheduler();
    let mut next_interval = Instant::now();
    let mut next_look = pin!(sleep_until(next_interval));
    loop {
        let is_full = turns.len() == P::GROUPS;
        let ended = async {
            match turns.join_next().await {
                Some(Ok(ended)) => ended,
                // Turns catch their panics.
                Some(Err(_)) | None => pending().await,
            }
        };
        let time_to_look = async {
            let woken = async {
                if is_full {
                    // Work queued now is left to a worker with room.
                    pending().await
                } else {
                    payload.woken().await;
                }
            };
            select(pin!(woken), &mut next_look).await;
        };
        let is_time = match select(&mut until, select(pin!(ended), pin!(time_to_look))).await {
            Either::Left(_) => break,
            Either::Right((Either::Left(((group, has_progress), _)), _)) => {
                at_work.remove(&group);
                if !has_progress {
                    resting.insert(group);
                }
                // Groups left out for lack of room come now.
                P::IN_PARTS || (has_progress && scheduler.left_some())
            }
            Either::Right((Either::Right(_), _)) => true,
        };
        let now = Instant::now();
        // A turn may have ended just as the time came.
        let is_time = is_time || now >= next_look.deadline();
        if now >= next_interval {
            next_interval = now.max(next_interval + interval);
            resting.clear();
        }
        let store = payload.store();
        if is_time {
            let free = P::GROUPS - turns.len();
            match scheduler.next(store, free, &resting, &at_work).await {
                Ok(due) => {
                    for due in due {
                        at_work.insert(P::Scheduler::group(&due));
                        let payload = payload.clone();
                        turns.spawn(async move {
                            let (group, turn) = turn(&*payload, due).await;
                            (group, turn.has_progress)
                        });
                    }
                }
                Err(fault) => tracing::error!(%fault, "the queue of {} cannot be read", P::NAME),
            }
        }
        let due = scheduler.next_due(store).await.ok().flatten();
        let until_due = due.map_or(interval, |due| {
            let micros = due.micros() - store.now().micros();
            Duration::from_micros(u64::try_from(micros).unwrap_or(0)).max(SHORTEST_SLEEP)
        });
        next_look.as_mut().reset(next_interval.min(now + until_due));
    }
    payload.stop().send_replace(true);
    while turns.join_next().await.is_some() {}
}

/// Does all due work, and returns the counts.
/// Groups due later are left to the next call.
///
/// # Errors
/// The queue cannot be read. A failed turn is logged, and left to the next call.
pub(super) async fn tick<P: Payload>(payload: &P) -> Result<P::Work, Error> {
    let mut all = P::Work::default();
    let mut scheduler = P::scheduler();
    let (mut done, nowhere) = (HashSet::new(), HashSet::new());
    loop {
        let store = payload.store();
        let due = scheduler.next(store, P::GROUPS, &done, &nowhere).await?;
        if due.is_empty() && scheduler.is_at_end() {
            return Ok(all);
        }
        for (group, turn) in join_all(due.into_iter().map(|due| turn(payload, due))).await {
            if !(P::IN_PARTS && turn.has_progress) {
                done.insert(group);
            }
            all += turn.work;
        }
    }
}

/// Gives a group its turn, without progress if it fails.
/// A panic leaves the group until its lease expires.
async fn turn<P: Payload>(payload: &P, due: Due<P>) -> (Uuid, Turn<P::Work>) {
    let group = P::Scheduler::group(&due);
    let turn = AssertUnwindSafe(payload.work(due)).catch_unwind().await;
    let turn = turn.unwrap_or_else(|_| Err(Fault::Panicked.into()));
    let turn = turn.unwrap_or_else(|error| {
        P::log_failure(group, &error.cause());
        Turn::default()
    });
    (group, turn)
}

/// Commits items together, or one by one after a failure.
/// After an unknown outcome they are not written again.
pub(super) async fn commit_together<'i, T, R, Fut>(
    items: &'i [T],
    commit: impl Fn(&'i [T]) -> Fut,
) -> Vec<Result<R, Fault>>
where
    Fut: Future<Output = Result<R, Fault>>,
{
    let mut results = Vec::new();
    let mut parts = Vec::from_iter((!items.is_empty()).then_some(items));
    while let Some(part) = parts.pop() {
        match commit(part).await {
            Err(fault) if part.len() > 1 && !matches!(fault, Fault::Unknown(_)) => {
                parts.extend(part.rchunks(1));
            }
            result => results.push(result),
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use parking_lot::Mutex;
    use tokio::time::sleep;

    use super::*;
    use crate::{
        storage::{StorageError, memory::MemoryStorage},
        transaction::environment::Environment,
    };

    /// Three groups, always with due work.
    struct Three;

    impl Scheduler for Three {
        type Due = Uuid;

        fn group(due: &Uuid) -> Uuid {
            *due
        }

        async fn next(
            &mut self,
            _: &Store,
            most: usize,
            resting: &HashSet<Uuid>,
            at_work: &HashSet<Uuid>,
        ) -> Result<Vec<Uuid>, Fault> {
            let passed_over = resting | at_work;
            let all = (1..=3).map(Uuid::from_u128);
            let all = all.filter(|group| !passed_over.contains(group));
            Ok(all.take(most).collect())
        }

        fn is_at_end(&self) -> bool {
            true
        }
    }

    /// The turns given so far, each with its group and start.
    #[derive(Default)]
    struct Given {
        turns: Mutex<Vec<(usize, Instant)>>,
        under_way: AtomicUsize,
    }

    struct Turns {
        store: Store,
        stop: watch::Sender<bool>,
        given: Arc<Given>,
    }

    impl Payload for Turns {
        type Scheduler = Three;
        type Work = usize;

        const NAME: &'static str = "turns";
        const GROUPS: usize = 2;
        const IN_PARTS: bool = true;

        fn scheduler() -> Three {
            Three
        }

        fn store(&self) -> &Store {
            &self.store
        }

        fn stop(&self) -> &watch::Sender<bool> {
            &self.stop
        }

        /// The first group makes progress, the second one does not, and the third one panics.
        async fn work(&self, group: Uuid) -> Result<Turn<usize>, Error> {
            let group = group.as_u128() as usize;
            self.given.turns.lock().push((group, Instant::now()));
            assert!(group < 3, "as the test wants it");
            let under_way = self.given.under_way.fetch_add(1, Ordering::Relaxed) + 1;
            assert!(under_way <= Self::GROUPS);
            let has_progress = group == 1;
            if has_progress {
                sleep(Duration::from_millis(300)).await;
            }
            self.given.under_way.fetch_sub(1, Ordering::Relaxed);
            let work = 1;
            Ok(Turn { work, has_progress })
        }

        fn log_failure(_: Uuid, _: &dyn Display) {}
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_without_progress_rests_until_the_next_interval() {
        let given = Arc::new(Given::default());
        let turns = Turns {
            store: Store::new(Arc::new(MemoryStorage::new()), Environment::default()),
            stop: watch::Sender::new(false),
            given: given.clone(),
        };
        let begun = Instant::now();
        let time_is_up = sleep(Duration::from_millis(3500));
        run(turns, Duration::from_secs(1), time_is_up).await;
        let tenths_of = |group| -> Vec<_> {
            let turns = given.turns.lock();
            let turns = turns.iter().filter(|(given, _)| *given == group);
            turns
                .map(|(_, at)| (*at - begun).as_millis() / 100)
                .collect()
        };
        assert_eq!(tenths_of(1).len(), 12);
        // The third begins as soon as the second makes room.
        assert_eq!(tenths_of(2), [0, 10, 20, 30]);
        assert_eq!(tenths_of(3), [0, 10, 20, 30]);
        // The current turn has ended.
        assert_eq!(given.under_way.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn items_are_committed_one_by_one_after_a_failure_with_a_known_outcome() {
        let unknown = Fault::Unknown(StorageError::new("no answer"));
        for (fault, commits) in [(Some(Fault::Busy), 4), (Some(unknown), 1), (None, 1)] {
            let commits_made = AtomicUsize::new(0);
            let results = commit_together(&[1, 2, 3], async |items| {
                commits_made.fetch_add(1, Ordering::Relaxed);
                let fault = fault.clone().filter(|_| items.contains(&2));
                fault.map_or(Ok(items.to_vec()), Err)
            });
            let results: Vec<_> = results.await.into_iter().filter_map(Result::ok).collect();
            let expected = match fault {
                Some(Fault::Busy) => vec![vec![1], vec![3]],
                Some(_) => vec![],
                None => vec![vec![1, 2, 3]],
            };
            assert_eq!(results, expected);
            assert_eq!(commits_made.load(Ordering::Relaxed), commits);
        }
    }
}
