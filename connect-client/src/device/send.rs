//! Delivery of the waiting rows.

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

/// The outcome of a delivery.
#[derive(Debug, Default)]
#[must_use = "it has the rows that were refused, and the reason why others wait"]
#[non_exhaustive]
pub struct Delivery {
    /// The delivered rows.
    pub delivered: Vec<Delivered>,
    /// The rows set aside, also listed in [`DeviceQueue::refused`].
    pub refused: Vec<RefusedRow>,
    /// The reason for stopping; `None` when no rows are left.
    pub stopped: Option<Stopped>,
}

/// A delivered row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// The key of the row.
    pub key: Uuid,
    /// The id of the created or changed record.
    pub id: Uuid,
}

/// The shortest wait at the rate limit.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// The common part of all answers.
#[derive(Deserialize)]
struct Acknowledged {
    id: Uuid,
}

/// The time limit for repeating a row, in seconds.
/// The service remembers its key for an hour longer.
const REPEATED_FOR: i64 = (DEVICE_IDEMPOTENCY_DAYS * 24 - 1) * 3600;

impl DeviceQueue {
    /// Delivers the waiting rows in order, until none is left.
    /// It stops at a failure not caused by the row: the network, 408, 5xx, a key that is invalid or of
    /// another kind of screen, a wrong address, an account with its storage limit reached, the disk.
    /// Each row is tried under the client's [`RetryPolicy`](crate::pipeline::RetryPolicy).
    ///
    /// The service limits the requests of a screen per minute. At the limit the rows are kept, and
    /// delivery continues in the next minute. After a day without a network, it takes about a minute
    /// per hundred rows. A 429 without a time in the next minute stops the delivery.
    ///
    /// Dropping the future halfway loses no rows, but the ids of the rows delivered by it.
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

/// Returns whether a row may be written twice if sent again.
/// It may have arrived so long ago that the service has forgotten its key. The same applies after the
/// clock was set back that far.
fn is_in_doubt(sent_at: Timestamp, now: Timestamp) -> bool {
    now.seconds().abs_diff(sent_at.seconds()) > REPEATED_FOR.unsigned_abs()
}

/// Returns the wait for the next window after a 429.
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
