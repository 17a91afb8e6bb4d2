//! The waiting events of a webhook.

use crate::{
    engine::Connect,
    storage::Range,
    transaction::{
        Account, Error, Fault, LenientReader, ReadKey, Webhook,
        keys::{Family, after_prefix, key},
    },
    wire::{Id, Timestamp},
};

/// The handling of events held back for a webhook switched off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitingEvents {
    /// They are sent in the order of their commits.
    #[default]
    Send,
    /// They are given up. Each can be sent again for 30 days.
    Drop,
}

/// The most waiting events counted per webhook.
pub const MOST_WAITING_COUNTED: usize = 1000;

/// The waiting events of a webhook, and the first of them.
pub(super) struct WaitingQueue {
    /// The number of events, at most [`MOST_WAITING_COUNTED`].
    pub(super) count: usize,
    /// The time at which the first of the queue is due.
    first_due: Option<Timestamp>,
    /// Set if there are stock events, which are ordered by product and not by time.
    has_stock: bool,
}

impl WaitingQueue {
    /// Returns the time of the next attempt. `look` is that of the next look at the webhook.
    pub(super) fn next_due(&self, look: Option<Timestamp>) -> Option<Timestamp> {
        let look = look.filter(|_| self.has_stock);
        self.first_due.into_iter().chain(look).min()
    }
}

impl Connect {
    /// Counts the waiting events of a webhook, on or off.
    /// The count ends at [`MOST_WAITING_COUNTED`].
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such webhook.
    pub async fn waiting_events(
        &self,
        account: Id<Account>,
        webhook: Id<Webhook>,
    ) -> Result<usize, Error> {
        self.webhook(account, webhook).await?;
        Ok(self.waiting_queue(webhook).await?.count)
    }

    /// Reads the waiting events of a webhook.
    pub(super) async fn waiting_queue(&self, webhook: Id<Webhook>) -> Result<WaitingQueue, Fault> {
        let queues = [Family::DeliveryByDue, Family::WaitingStock].map(|family| {
            let from = key(webhook.uuid(), family, &[]);
            (after_prefix(&from), from)
        });
        let ranges = queues
            .each_ref()
            .map(|(to, from)| Range { from, to: Some(to) });
        let reader = LenientReader::new(self.store());
        let pieces = reader.pieces(&ranges, MOST_WAITING_COUNTED).await?;
        let count: usize = pieces.iter().map(|piece| piece.entries.len()).sum();
        let first = pieces.first().and_then(|queue| queue.entries.first());
        let first_due = first.and_then(|(place, _)| ReadKey::of(place)?.time());
        let stock = pieces.get(1);
        Ok(WaitingQueue {
            count: count.min(MOST_WAITING_COUNTED),
            first_due,
            has_stock: stock.is_some_and(|stock| !stock.entries.is_empty()),
        })
    }
}
