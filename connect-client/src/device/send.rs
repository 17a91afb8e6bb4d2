//! Delivering what waits.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::sleep;
use uuid::Uuid;

use super::{
    client::DeviceClient,
    error::Stopped,
    queue::{DeviceQueue, now},
    refused::RefusedRow,
    row::QueuedRow,
};
use crate::{
    Call, Error, IdempotencyKey,
    error::RequestError,
    wire::{
        Timestamp,
        limits::{DEVICE_IDEMPOTENCY_DAYS, RATE_WINDOW_SECONDS},
    },
};

/// The outcome of sending what waits.
#[derive(Debug, Default)]
#[must_use = "it has the rows that were refused, and the reason why others wait"]
#[non_exhaustive]
pub struct Delivery {
    /// The rows that were delivered.
    pub delivered: Vec<Delivered>,
    /// The rows that were set aside. They are in [`DeviceQueue::refused`] too.
    pub refused: Vec<RefusedRow>,
    /// The reason why sending stopped. `None` when no rows are left.
    pub stopped: Option<Stopped>,
}

/// A row that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// The key of the row.
    pub key: Uuid,
    /// The id of the record that it made or changed.
    pub id: Uuid,
}

/// The shortest wait at the rate limit.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// The part of a record that every answer has.
#[derive(Deserialize)]
struct Acknowledged {
    id: Uuid,
}

/// The time for which a row is sent again, in seconds. The service knows its key for an hour longer.
const REPEATED_FOR: i64 = (DEVICE_IDEMPOTENCY_DAYS * 24 - 1) * 3600;

impl DeviceQueue {
    /// Delivers what waits, in order, until nothing does or a failure that is not the row's own:
    /// the network, 408, 5xx, a key that does not work or is that of another kind of screen, a wrong
    /// address, an account that has as much as it may store, the disk. Each row is tried as the client's
    /// [`RetryPolicy`](crate::pipeline::RetryPolicy)
    /// says.
    ///
    /// The service takes so many requests of a screen a minute. At that limit the rows are kept, and go on in
    /// the next minute: after a day without a network this takes as many minutes as there are hundreds of
    /// rows. A 429 that names no time of the next minute stops the delivery.
    ///
    /// A future that is dropped halfway loses no rows, but the ids of those that it delivered.
    pub async fn send(&self, client: &DeviceClient) -> Delivery {
        let _turn = self.sending.lock().await;
        let mut delivery = Delivery::default();
        delivery.stopped = self.send_all(client, &mut delivery).await.err();
        delivery
    }

    async fn send_all(
        &self,
        client: &DeviceClient,
        delivery: &mut Delivery,
    ) -> Result<(), Stopped> {
        loop {
            let Some(first) = self.rows().waiting.rows().front().cloned() else {
                return Ok(());
            };
            let row = first.row;
            let key = row.key();
            match first.sent_at {
                Some(sent_at) if is_in_doubt(sent_at, now()) => {
                    self.refuse(RefusedRow::in_doubt(row, sent_at), delivery)?;
                    continue;
                }
                Some(_) => {}
                // Before it is sent: a crash in between must not hide that it may have arrived.
                None => self.rows().waiting.mark(key, Some(now()))?,
            }
            match deliver(client, &row).await {
                Ok(Acknowledged { id }) => {
                    delivery.delivered.push(Delivered { key, id });
                    self.rows().waiting.remove(key)?;
                }
                Err(error) if row.is_refused_by(&error) => {
                    self.refuse(RefusedRow::by_service(row, &error), delivery)?;
                }
                Err(error) => {
                    let wait = next_window(&error);
                    if first.sent_at.is_none() && !error.may_be_applied() {
                        // Where the mark stays, the row is only sooner in doubt.
                        self.rows().waiting.mark(key, None).ok();
                    }
                    match wait {
                        Some(wait) => sleep(wait).await,
                        None => return Err(error.into()),
                    }
                }
            }
        }
    }

    fn refuse(&self, refused: RefusedRow, delivery: &mut Delivery) -> Result<(), Stopped> {
        self.rows().set_aside(refused.clone())?;
        delivery.refused.push(refused);
        Ok(())
    }
}

/// Returns whether a row may have arrived so long ago that the service no longer knows its key: sent
/// again, it would be written twice. Nobody knows either once the clock was set back that far.
fn is_in_doubt(sent_at: Timestamp, now: Timestamp) -> bool {
    now.seconds().abs_diff(sent_at.seconds()) > REPEATED_FOR.unsigned_abs()
}

/// Returns the wait for the next window after a refusal by the rate limit.
fn next_window(error: &Error) -> Option<Duration> {
    const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECONDS.unsigned_abs());
    let wait = error
        .retry_after()
        .filter(|_| error.status() == Some(429))?;
    (wait <= WINDOW).then_some(wait.max(LEAST_WAIT))
}

/// Sends a row with its key.
async fn deliver(client: &DeviceClient, row: &QueuedRow) -> Result<Acknowledged, Error> {
    match call(client, row).await {
        // The service marks its second answer as a repetition. A wrong address does not.
        Err(error) if row.is_unclear_by(&error) => call(client, row).await,
        answer => answer,
    }
}

async fn call(client: &DeviceClient, row: &QueuedRow) -> Result<Acknowledged, Error> {
    let call = Call::record(client.client(), Ok(row.request()));
    match IdempotencyKey::new(row.key().to_string()) {
        Ok(key) => call.idempotency_key(key).await,
        Err(invalid) => Err(RequestError(invalid.to_string()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_may_have_arrived_is_not_repeated_once_its_key_may_be_forgotten() {
        let sent_at = Timestamp::EPOCH.plus_seconds(1_800_000_000);
        for (hours, expected) in [
            (0, false),
            (24, false),
            (167, false),
            (168, true),
            // The clock was corrected since.
            (-5, false),
            (-24, false),
            (-168, true),
            (-9000, true),
        ] {
            let now = sent_at.plus_seconds(hours * 3600);
            assert_eq!(is_in_doubt(sent_at, now), expected, "{hours} hours");
        }
    }
}
