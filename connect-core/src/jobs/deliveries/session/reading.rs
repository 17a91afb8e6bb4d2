//! Reads for a session: the queue in pieces, events when needed.

use super::{
    super::{
        attempt::{DeliveryBody, DueDelivery},
        queue,
    },
    DeliverySession,
};
use crate::{
    owner::test_body,
    storage::Key,
    transaction::{
        Fault, LenientReader, Lookup,
        keys::{Family, KeyPart, key},
    },
};

/// The deliveries read at a time, without their events.
const PIECE: usize = 128;

/// The bytes of events held ready, by the largest one last read.
/// A session reads as many events at a time as it makes attempts, and fewer large ones.
const READY_BYTES: usize = 256 * 1024;

impl DeliverySession<'_> {
    /// Reads deliveries when none is ready.
    pub(super) async fn refill(&mut self) -> Result<(), Fault> {
        if !self.ready.is_empty() {
            return Ok(());
        }
        while self.queued.is_empty()
            && let Some(from) = self.cursor.take()
        {
            self.read_queue(from).await?;
        }
        self.read_events().await
    }

    /// Reads more of the queue.
    async fn read_queue(&mut self, from: Key) -> Result<(), Fault> {
        let end = KeyPart::Time(self.horizon.plus_micros(1));
        let end = key(self.session.webhook.uuid(), Family::DeliveryByDue, &[end]);
        let reader = LenientReader::new(self.session.store);
        let piece = reader.piece(&from, Some(&end), PIECE).await?;
        self.cursor = piece.next;
        // It stays where it is: perhaps the storage can return it later.
        if let Some((place, error)) = piece.damaged {
            let fault = Fault::corrupt(&place, error);
            tracing::error!(%fault, "an unreadable delivery is skipped");
        }
        for (place, row) in piece.entries {
            match queue::read_delivery(&place, &row) {
                Some(delivery) => self.queued.push_back((place, delivery)),
                None => self.broken.push(place),
            }
        }
        Ok(())
    }

    /// Reads the events of the next deliveries.
    async fn read_events(&mut self) -> Result<(), Fault> {
        let room = READY_BYTES.checked_div(self.largest);
        let room = room.unwrap_or(self.most);
        let count = room.clamp(1, self.most).min(self.queued.len());
        let due: Vec<_> = self.queued.drain(..count).collect();
        let events: Vec<Option<Key>> = due.iter().map(|(_, due)| due.event_key()).collect();
        let keys: Vec<Key> = events.iter().flatten().cloned().collect();
        let reader = LenientReader::new(self.session.store);
        let mut bodies = reader.values(&keys).await?.into_iter();
        self.largest = 0;
        for ((place, delivery), event) in due.into_iter().zip(&events) {
            let body = match event {
                None => test_body(&delivery).map_or(DeliveryBody::Gone, DeliveryBody::Found),
                Some(_) => match bodies.next() {
                    Some(Lookup::Found(Some(body))) => DeliveryBody::Found(body),
                    Some(Lookup::Found(None)) | None => DeliveryBody::Gone,
                    Some(Lookup::Damaged) => DeliveryBody::Unreadable,
                },
            };
            if let DeliveryBody::Found(body) = &body {
                self.largest = self.largest.max(body.len());
            }
            self.ready.push_back(DueDelivery {
                place,
                delivery,
                body,
            });
        }
        Ok(())
    }
}
