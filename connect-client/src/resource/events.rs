//! Following the events of a location.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{Stream, StreamExt};

use super::{Listing, Records};
use crate::{
    Error,
    call::settings,
    wire::{AnyEvent, Id, query::EventQuery},
};

impl Records<AnyEvent> {
    /// Lists the events after this one, in commit order.
    /// All events of the last 30 days when `event` is `None`.
    ///
    /// To follow a location: handle each event, store [`NewEvents::last`] with the result, and start
    /// there the next time. No event is missed and none comes twice.
    ///
    /// Events are kept for 30 days. The service refuses the id of a deleted event with
    /// `validation_failed`: start again with `None`, and reload your copies.
    ///
    /// ```no_run
    /// # use connect_client::{Client, Error, Uuid, wire::{AnyEvent, Changed, EventType, Id, Product}};
    /// # async fn example(
    /// #     client: Client, location: Uuid, last: &mut Option<Id<AnyEvent>>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut events = client.location(location).events().events_after(*last);
    /// while let Some(event) = events.next().await {
    ///     let event = event?;
    ///     if event.kind == EventType::ProductChanged {
    ///         // A deletion has no more than the id.
    ///         if let Ok(changed) = event.data_as::<Changed<Product>>() {
    ///             println!("{} costs {} cents", changed.record.name, changed.record.price_cents);
    ///         }
    ///     }
    ///     *last = events.last();
    /// }
    /// # Ok(()) }
    /// ```
    pub fn events_after(&self, event: Option<Id<AnyEvent>>) -> NewEvents {
        let query = EventQuery {
            after: event,
            ..EventQuery::default()
        };
        NewEvents {
            events: self.stream(&query),
            last: event,
        }
    }
}

/// Events in commit order; see [`Records::events_after`].
///
/// It is a [`Stream`]; [`next`](Self::next) works without the traits of the futures crates.
///
/// Its settings apply to each request. Make them before the first request: later they have no effect.
#[must_use = "nothing is fetched until it is asked for"]
pub struct NewEvents {
    events: Listing<AnyEvent>,
    last: Option<Id<AnyEvent>>,
}

impl NewEvents {
    settings!("each request", events.options);

    /// Returns the next event; `None` when there is none at present.
    /// Events committed during the pass come as well.
    pub async fn next(&mut self) -> Option<Result<AnyEvent, Error>> {
        StreamExt::next(self).await
    }

    /// Returns the id of the latest event from [`next`](Self::next).
    /// Start there the next time. It is valid at any moment, also after an error.
    pub fn last(&self) -> Option<Id<AnyEvent>> {
        self.last
    }
}

impl Stream for NewEvents {
    type Item = Result<AnyEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.events.poll_next_unpin(context));
        if let Some(Ok(event)) = &next {
            self.last = Some(event.id);
        }
        Poll::Ready(next)
    }
}

impl fmt::Debug for NewEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewEvents")
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
