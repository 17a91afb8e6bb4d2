//! Batching: items waiting at the same time are sent together.
//!
//! A trip to the database costs both sides more than the few rows of a usual request. So the number of
//! trips under way is limited, and items arriving meanwhile share the next trip. Below the limit,
//! an item is sent at once.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{runtime::Handle, sync::oneshot, time::Instant};

use crate::storage::in_process::Finishing;

/// The longest wait for a trip under way.
/// The trip may wait for a row locked by another server, the database may be far away, or the task making
/// the trip may be busy with something else.
const LONG: Duration = Duration::from_millis(2);

/// The most items of a batch.
const MOST: usize = 64;

/// Work in items to send one by one or together.
pub(super) trait BatchedWork: Send + Sync + 'static {
    /// The type of an item.
    type Item: Send + 'static;
    /// The type of its answer.
    type Answer: Send + 'static;

    /// Returns true if the trip of this item costs more than its content.
    fn is_small(item: &Self::Item) -> bool;

    /// Sends an item alone.
    fn send(&self, item: Self::Item) -> impl Future<Output = Self::Answer> + Send;

    /// Sends items together, at least one, and answers all of them.
    fn send_all(&self, items: Vec<QueuedItem<Self>>) -> impl Future<Output = ()> + Send;
}

/// A queued item, and the channel for its answer.
pub(super) struct QueuedItem<B: BatchedWork + ?Sized> {
    pub(super) item: B::Item,
    since: Instant,
    reply: oneshot::Sender<B::Answer>,
}

impl<B: BatchedWork + ?Sized> QueuedItem<B> {
    pub(super) fn answer(self, answer: B::Answer) {
        drop(self.item);
        // If the caller is gone, the answer is not needed.
        let _ = self.reply.send(answer);
    }
}

/// The queue of items, and the number of trips under way.
struct BatchQueue<B: BatchedWork> {
    waiting: VecDeque<QueuedItem<B>>,
    under_way: usize,
    /// Set while a task sends overdue items.
    is_watched: bool,
}

impl<B: BatchedWork> BatchQueue<B> {
    fn take(&mut self) -> Vec<QueuedItem<B>> {
        let together = self.waiting.len().min(MOST);
        self.waiting.drain(..together).collect()
    }
}

struct Shared<B: BatchedWork> {
    batch: B,
    most_under_way: usize,
    queue: Mutex<BatchQueue<B>>,
}

/// A queue of items.
/// Cheap to clone; all clones are the same queue.
pub(super) struct Batcher<B: BatchedWork>(Arc<Shared<B>>);

/// The turn of a small item.
enum ItemTurn<B: BatchedWork> {
    /// At once, by the caller.
    Now(TripPermit<B>, B::Item),
    /// Later, in a batch.
    Later(oneshot::Receiver<B::Answer>),
}

impl<B: BatchedWork> Clone for Batcher<B> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<B: BatchedWork> Batcher<B> {
    /// Makes a queue with a limit of trips under way.
    pub(super) fn new(batch: B, most_under_way: usize) -> Self {
        let queue = Mutex::new(BatchQueue {
            waiting: VecDeque::new(),
            under_way: 0,
            is_watched: false,
        });
        Self(Arc::new(Shared {
            batch,
            most_under_way,
            queue,
        }))
    }

    /// Sends an item to its end, even if the caller goes away.
    /// Returns `None` if the runtime shuts down meanwhile.
    pub(super) async fn send(&self, item: B::Item) -> Option<B::Answer> {
        let this = self.clone();
        if !B::is_small(&item) {
            let sending = async move { this.0.batch.send(item).await };
            return Some(Finishing::new(sending).await);
        }
        match self.turn(item) {
            ItemTurn::Now(slot, item) => {
                let sending = async move {
                    let answer = this.0.batch.send(item).await;
                    drop(slot);
                    answer
                };
                Some(Finishing::new(sending).await)
            }
            ItemTurn::Later(answer) => answer.await.ok(),
        }
    }

    /// Returns the item if it is sent at once, or queues it.
    fn turn(&self, item: B::Item) -> ItemTurn<B> {
        let mut queue = self.0.queue.lock();
        if queue.under_way < self.0.most_under_way {
            queue.under_way += 1;
            return ItemTurn::Now(TripPermit(self.clone()), item);
        }
        let (reply, answer) = oneshot::channel();
        queue.waiting.push_back(QueuedItem {
            item,
            since: Instant::now(),
            reply,
        });
        if !queue.is_watched {
            queue.is_watched = true;
            tokio::spawn(self.clone().watch());
        }
        ItemTurn::Later(answer)
    }

    /// Sends overdue items, however many trips are under way.
    async fn watch(self) {
        while let Some(since) = self.oldest() {
            tokio::time::sleep_until(since + LONG).await;
            if let Some(items) = self.take_overdue() {
                tokio::spawn(self.clone().send_all(items));
            }
        }
    }

    /// The time of the first queued item.
    /// Without one, the watching task ends.
    fn oldest(&self) -> Option<Instant> {
        let mut queue = self.0.queue.lock();
        let first = queue.waiting.front();
        let since = first.map(|first| first.since);
        queue.is_watched = since.is_some();
        since
    }

    fn take_overdue(&self) -> Option<Vec<QueuedItem<B>>> {
        let mut queue = self.0.queue.lock();
        let first = queue.waiting.front();
        first.filter(|first| first.since.elapsed() >= LONG)?;
        queue.under_way += 1;
        Some(queue.take())
    }

    /// Sends items already counted as under way.
    async fn send_all(self, items: Vec<QueuedItem<B>>) {
        let slot = TripPermit(self);
        slot.0.0.batch.send_all(items).await;
    }

    /// Ends a trip.
    /// Queued items are sent, unless more trips are under way than the limit.
    fn end(&self) {
        let mut queue = self.0.queue.lock();
        let runtime = Handle::try_current();
        if runtime.is_err() {
            // Dropping the items tells their callers that no answer will come.
            queue.waiting.clear();
        }
        match runtime {
            Ok(runtime)
                if !queue.waiting.is_empty() && queue.under_way <= self.0.most_under_way =>
            {
                let items = queue.take();
                drop(queue);
                runtime.spawn(self.clone().send_all(items));
            }
            _ => queue.under_way -= 1,
        }
    }
}

/// A trip, counted as under way until dropped.
struct TripPermit<B: BatchedWork>(Batcher<B>);

impl<B: BatchedWork> Drop for TripPermit<B> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future;
    use tokio::{runtime::Builder, sync::Semaphore};

    use super::*;

    /// Records each batch, and ends it on a permit.
    struct DoublingWork {
        sent: Mutex<Vec<Vec<usize>>>,
        ends: Semaphore,
    }

    impl BatchedWork for DoublingWork {
        type Item = usize;
        type Answer = usize;

        fn is_small(_: &usize) -> bool {
            true
        }

        async fn send(&self, item: usize) -> usize {
            item * 10
        }

        async fn send_all(&self, items: Vec<QueuedItem<Self>>) {
            self.sent
                .lock()
                .push(items.iter().map(|one| one.item).collect());
            self.ends.acquire().await.unwrap().forget();
            for one in items {
                let answer = one.item * 10;
                one.answer(answer);
            }
        }
    }

    fn toy(most_under_way: usize) -> Batcher<DoublingWork> {
        let toy = DoublingWork {
            sent: Mutex::default(),
            ends: Semaphore::new(0),
        };
        Batcher::new(toy, most_under_way)
    }

    fn now(batcher: &Batcher<DoublingWork>, item: usize) -> TripPermit<DoublingWork> {
        match batcher.turn(item) {
            ItemTurn::Now(slot, _) => slot,
            ItemTurn::Later(_) => panic!("{item} has to wait"),
        }
    }

    fn later(batcher: &Batcher<DoublingWork>, item: usize) -> oneshot::Receiver<usize> {
        match batcher.turn(item) {
            ItemTurn::Now(..) => panic!("{item} need not wait"),
            ItemTurn::Later(answer) => answer,
        }
    }

    async fn answers(all: Vec<oneshot::Receiver<usize>>) -> Vec<usize> {
        future::try_join_all(all).await.unwrap()
    }

    #[tokio::test]
    async fn what_comes_while_others_are_under_way_is_sent_together() {
        let batcher = toy(2);
        let slots = [now(&batcher, 1), now(&batcher, 2)];
        let waiting: Vec<_> = (3..=5).map(|item| later(&batcher, item)).collect();
        assert!(batcher.0.batch.sent.lock().is_empty());
        batcher.0.batch.ends.add_permits(1);
        drop(slots);
        assert_eq!(answers(waiting).await, [30, 40, 50]);
        assert_eq!(*batcher.0.batch.sent.lock(), [[3, 4, 5]]);
        // No trip is under way any more.
        let _slots = [now(&batcher, 6), now(&batcher, 7)];
    }

    #[tokio::test]
    async fn a_batch_has_a_bound() {
        let batcher = toy(1);
        let slot = now(&batcher, 0);
        let waiting: Vec<_> = (1..=MOST + 1).map(|item| later(&batcher, item)).collect();
        batcher.0.batch.ends.add_permits(2);
        drop(slot);
        assert_eq!(answers(waiting).await.len(), MOST + 1);
        let sent = batcher.0.batch.sent.lock();
        assert_eq!(sent.iter().map(Vec::len).collect::<Vec<_>>(), [MOST, 1]);
    }

    /// This includes a trip whose future is not polled.
    #[tokio::test]
    async fn a_trip_that_takes_long_holds_nobody_up() {
        let batcher = toy(1);
        let _slot = now(&batcher, 0);
        batcher.0.batch.ends.add_permits(3);
        for item in 1..=3 {
            let answer = later(&batcher, item).await.unwrap();
            assert_eq!(answer, item * 10);
        }
    }

    /// Extra trips, due to a slow one, start no further trips.
    #[tokio::test]
    async fn no_more_are_under_way_than_should_be_for_long() {
        let batcher = toy(1);
        let slot = now(&batcher, 0);
        let first = later(&batcher, 1);
        while batcher.0.batch.sent.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        let second = later(&batcher, 2);
        batcher.0.batch.ends.add_permits(2);
        assert_eq!(first.await.unwrap(), 10);
        assert_eq!(second.await.unwrap(), 20);
        drop(slot);
        let _slot = now(&batcher, 3);
        later(&batcher, 4);
    }

    #[tokio::test]
    async fn a_trip_that_ends_lets_the_next_go() {
        let batcher = toy(1);
        for item in 1..=3 {
            drop(now(&batcher, item));
        }
    }

    #[test]
    fn outside_a_runtime_nothing_is_left_waiting() {
        let batcher = toy(1);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (slot, answer) = runtime.block_on(async { (now(&batcher, 0), later(&batcher, 1)) });
        drop(runtime);
        drop(slot);
        assert!(answer.blocking_recv().is_err());
        let _slot = now(&batcher, 2);
    }
}
