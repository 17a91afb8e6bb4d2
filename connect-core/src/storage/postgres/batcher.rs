//! Batching: what waits at the same time is sent together.
//!
//! A trip to the database costs both sides more than the few rows that most are about. So only so many
//! are under way at once, and what comes meanwhile shares the next one. Where nobody waits, nobody
//! is held up.

use std::{collections::VecDeque, pin::pin, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The time after which a trip no longer counts as under way: it may wait for a row that another server
/// has locked, or the database may be far away.
const LONG: Duration = Duration::from_millis(2);

/// The most items of a batch.
const MOST: usize = 64;

/// Items that can be sent together.
pub(super) trait Batch: Send + Sync + 'static {
    /// A piece of work.
    type Item: Send + 'static;
    /// What comes of it.
    type Answer: Send + 'static;

    /// Sends items together, at least one, and answers all of them.
    fn send(&self, items: Vec<Queued<Self>>) -> impl Future<Output = ()> + Send;
}

/// An item that has waited, and where its answer goes.
pub(super) struct Queued<B: Batch + ?Sized> {
    pub(super) item: B::Item,
    reply: oneshot::Sender<B::Answer>,
}

impl<B: Batch + ?Sized> Queued<B> {
    pub(super) fn answer(self, answer: B::Answer) {
        drop(self.item);
        // Whoever has gone away needs no answer.
        let _ = self.reply.send(answer);
    }
}

/// The items that wait, and the number of trips under way.
struct Queue<B: Batch> {
    waiting: VecDeque<Queued<B>>,
    under_way: usize,
}

struct Shared<B: Batch> {
    batch: B,
    most_under_way: usize,
    queue: Mutex<Queue<B>>,
}

/// A queue of items. Cheap to clone; all clones are the same queue.
pub(super) struct Batcher<B: Batch>(Arc<Shared<B>>);

/// The time at which an item is sent.
pub(super) enum Turn<B: Batch, T> {
    /// At once, by whoever has it.
    Now(Slot<B>, T),
    /// Later, with others. There is no answer when the runtime shuts down.
    Later(oneshot::Receiver<B::Answer>),
}

impl<B: Batch> Clone for Batcher<B> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<B: Batch> Batcher<B> {
    /// A queue that has so many trips under way at once.
    pub(super) fn new(batch: B, most_under_way: usize) -> Self {
        let queue = Mutex::new(Queue {
            waiting: VecDeque::new(),
            under_way: 0,
        });
        Self(Arc::new(Shared {
            batch,
            most_under_way,
            queue,
        }))
    }

    /// The means to send something.
    pub(super) fn batch(&self) -> &B {
        &self.0.batch
    }

    /// Returns an item to be sent at once, or has it wait as `own` makes it.
    pub(super) fn turn<T>(&self, item: T, own: impl FnOnce(T) -> B::Item) -> Turn<B, T> {
        let mut queue = self.0.queue.lock();
        if queue.under_way < self.0.most_under_way {
            queue.under_way += 1;
            return Turn::Now(Slot(self.clone()), item);
        }
        let (reply, answer) = oneshot::channel();
        let item = own(item);
        queue.waiting.push_back(Queued { item, reply });
        Turn::Later(answer)
    }

    fn send_next(&self) {
        let items: Vec<Queued<B>> = {
            let mut queue = self.0.queue.lock();
            let together = queue.waiting.len().min(MOST);
            if together == 0 {
                // Under the same lock as the look, so that nothing is left behind between the two.
                queue.under_way -= 1;
                return;
            }
            queue.waiting.drain(..together).collect()
        };
        let slot = Slot(self.clone());
        tokio::spawn(async move {
            let this = slot.0.clone();
            slot.during(this.0.batch.send(items)).await;
        });
    }
}

/// A trip that counts as under way. When it is dropped the next one is sent.
pub(super) struct Slot<B: Batch>(Batcher<B>);

impl<B: Batch> Slot<B> {
    /// Does something that counts as under way unless it takes long.
    pub(super) async fn during<T>(self, sending: impl Future<Output = T>) -> T {
        let mut sending = pin!(sending);
        let in_time = tokio::time::timeout(LONG, &mut sending).await;
        drop(self);
        match in_time {
            Ok(result) => result,
            Err(_) => sending.await,
        }
    }
}

impl<B: Batch> Drop for Slot<B> {
    fn drop(&mut self) {
        self.0.send_next();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future;
    use tokio::sync::Semaphore;

    use super::*;

    /// Notes what is sent together, and ends it as it is told to.
    struct Toy {
        sent: Mutex<Vec<Vec<usize>>>,
        ends: Semaphore,
    }

    impl Batch for Toy {
        type Item = usize;
        type Answer = usize;

        async fn send(&self, items: Vec<Queued<Self>>) {
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

    fn toy(most_under_way: usize) -> Batcher<Toy> {
        let toy = Toy {
            sent: Mutex::default(),
            ends: Semaphore::new(0),
        };
        Batcher::new(toy, most_under_way)
    }

    fn now(batcher: &Batcher<Toy>, item: usize) -> Slot<Toy> {
        match batcher.turn(item, |item| item) {
            Turn::Now(slot, _) => slot,
            Turn::Later(_) => panic!("{item} has to wait"),
        }
    }

    fn later(batcher: &Batcher<Toy>, item: usize) -> oneshot::Receiver<usize> {
        match batcher.turn(item, |item| item) {
            Turn::Now(..) => panic!("{item} need not wait"),
            Turn::Later(answer) => answer,
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
        assert!(batcher.batch().sent.lock().is_empty());
        batcher.batch().ends.add_permits(1);
        drop(slots);
        assert_eq!(answers(waiting).await, [30, 40, 50]);
        assert_eq!(*batcher.batch().sent.lock(), [[3, 4, 5]]);
        // Nothing is under way any more.
        let _slots = [now(&batcher, 6), now(&batcher, 7)];
    }

    #[tokio::test]
    async fn a_batch_has_a_bound() {
        let batcher = toy(1);
        let slot = now(&batcher, 0);
        let waiting: Vec<_> = (1..=MOST + 1).map(|item| later(&batcher, item)).collect();
        batcher.batch().ends.add_permits(2);
        drop(slot);
        assert_eq!(answers(waiting).await.len(), MOST + 1);
        let sent = batcher.batch().sent.lock();
        assert_eq!(sent.iter().map(Vec::len).collect::<Vec<_>>(), [MOST, 1]);
    }

    #[tokio::test]
    async fn a_trip_that_takes_long_holds_nobody_up() {
        let batcher = toy(1);
        let slot = now(&batcher, 0);
        let waiting = later(&batcher, 1);
        batcher.batch().ends.add_permits(1);
        let never = tokio::spawn(slot.during(future::pending::<()>()));
        assert_eq!(waiting.await.unwrap(), 10);
        assert!(!never.is_finished());
        never.abort();
    }

    /// Also one that is dropped on the way.
    #[tokio::test]
    async fn a_trip_that_ends_lets_the_next_go() {
        let batcher = toy(1);
        for item in 1..=3 {
            let ended = now(&batcher, item).during(future::ready(item)).await;
            assert_eq!(ended, item);
        }
        let dropped = now(&batcher, 4).during(future::pending::<()>());
        drop(dropped);
        now(&batcher, 5);
    }
}
