//! Following changes without an end.

use std::{
    collections::HashSet,
    fmt, mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use tokio::time::{Sleep, sleep};
use uuid::Uuid;

use super::{
    Changes, Records, Synced,
    record::{changed_at, id_of},
};
use crate::{
    Error,
    call::settings,
    wire::{Entry, Timestamp},
};

/// The shortest wait after an error.
/// It gives a failing service a pause.
const AFTER_ERROR: Duration = Duration::from_secs(1);

impl<R: Synced> Records<R> {
    /// Follows the changes at or after `since` without an end.
    /// It repeats [`changes_since`](Self::changes_since), with a pause of `every` after each round. At
    /// an unchanged location a round is one request without entries.
    ///
    /// Each change is yielded once, deletions included. To stop, drop the stream. A retryable error
    /// (see [`Error::retryable`]) is yielded, and the next round continues from the place of the
    /// failure, at least a second later. After any other error the stream ends.
    ///
    /// ```no_run
    /// # use std::{collections::HashMap, time::Duration};
    /// # use connect_client::{Client, Error, wire::{Entry, Id, Location, Product, Timestamp}};
    /// # async fn example(
    /// #     client: Client, location: Id<Location>,
    /// #     copy: &mut HashMap<Id<Product>, Product>, since: &mut Option<Timestamp>,
    /// # ) -> Result<(), Error> {
    /// let every = Duration::from_secs(5);
    /// let mut watch = client.location(location).products().watch(*since, every);
    /// while let Some(entry) = watch.next().await {
    ///     match entry {
    ///         Ok(Entry::Live(product)) => _ = copy.insert(product.id, product),
    ///         Ok(Entry::Deleted(tombstone)) => _ = copy.remove(&tombstone.id.into()),
    ///         Err(error) if error.retryable() => eprintln!("{error}"),
    ///         Err(error) => return Err(error),
    ///     }
    ///     *since = watch.since();
    /// }
    /// # Ok(()) }
    /// ```
    pub fn watch(&self, since: Option<Timestamp>, every: Duration) -> Watch<R> {
        Watch {
            records: self.clone(),
            every,
            round: self.changes_since(since),
            wait: None,
            is_over: false,
            latest: None,
            seen: HashSet::new(),
        }
    }
}

/// Changes without an end; see [`Records::watch`].
///
/// It is a [`Stream`]; [`next`](Self::next) works without the traits of the futures crates.
///
/// Its settings apply to each request. A later setting applies from the next round on.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Watch<R> {
    records: Records<R>,
    every: Duration,
    /// The current round, or the next one.
    round: Changes<R>,
    /// The wait before the round.
    wait: Option<Pin<Box<Sleep>>>,
    is_over: bool,
    /// The time of the latest yielded change.
    /// A continued round repeats the changes of this time, so `seen` has the ids already yielded.
    latest: Option<Timestamp>,
    seen: HashSet<Uuid>,
}

impl<R: Synced> Watch<R> {
    settings!("each request", round.pages.options);

    /// Returns the next change, as soon as there is one.
    pub async fn next(&mut self) -> Option<Result<Entry<R>, Error>> {
        StreamExt::next(self).await
    }

    /// Returns the starting time for the next run of the program.
    /// It is valid at any moment; see [`Changes::since`].
    pub fn since(&self) -> Option<Timestamp> {
        self.round.since()
    }

    /// Ends the round; the next one continues there after this wait.
    fn rest(&mut self, wait: Duration) {
        let options = mem::take(&mut self.round.pages.options);
        self.round = self.records.changes_since(self.round.since());
        self.round.pages.options = options;
        self.wait = Some(Box::pin(sleep(wait)));
    }

    /// Returns whether an entry is new, and remembers it.
    fn is_new(&mut self, entry: &Entry<R>) -> bool {
        let time = Some(changed_at(entry));
        if time != self.latest {
            self.latest = time;
            self.seen.clear();
        }
        self.seen.insert(id_of(entry))
    }
}

impl<R: Synced> Stream for Watch<R> {
    type Item = Result<Entry<R>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if self.is_over {
                return Poll::Ready(None);
            }
            if let Some(wait) = &mut self.wait {
                ready!(wait.as_mut().poll(context));
                self.wait = None;
            }
            match ready!(self.round.poll_next_unpin(context)) {
                None => {
                    let every = self.every;
                    self.rest(every);
                }
                Some(Ok(entry)) => {
                    if self.is_new(&entry) {
                        return Poll::Ready(Some(Ok(entry)));
                    }
                }
                Some(Err(error)) => {
                    if error.retryable() {
                        let wait = self.every.max(AFTER_ERROR);
                        self.rest(wait);
                    } else {
                        self.is_over = true;
                    }
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

// Nothing in it is pinned, whatever the record.
impl<R> Unpin for Watch<R> {}

impl<R> fmt::Debug for Watch<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("round", &self.round)
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}
