//! One attempt: the request, signed just before sending, and its outcome.

use std::time::Duration;

use connect_webhook_verify as verify;
use tokio::time::{Instant, timeout};

use crate::{
    rules::webhook::{is_success, next_attempt},
    storage::{Key, Value},
    transaction::{
        Delivery, DeliveryAttempt, DeliveryStatus, OwnWebhook, Store, Unopened,
        environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    },
    wire::limits::WEBHOOK_SECONDS,
};

/// The stored characters of an answer's body.
const MOST_RESPONSE: usize = 500;

/// A delivery ready for its attempt.
#[derive(Clone, Debug)]
pub(super) struct DueDelivery {
    /// Its place in the queue.
    pub(super) place: Key,
    pub(super) delivery: Delivery,
    pub(super) body: DeliveryBody,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(super) enum DeliveryBody {
    /// The stored event.
    Found(Value),
    /// The event is gone.
    Gone,
    /// The storage cannot return the event now.
    Unreadable,
}

/// A delivery after an attempt.
#[derive(Clone, Debug)]
pub(super) struct Attempted {
    /// Its former place in the queue.
    pub(super) place: Key,
    pub(super) delivery: Delivery,
    /// The outcome for the endpoint; `None` if nothing was sent.
    pub(super) is_success: Option<bool>,
    /// Set for the one attempt of a minute at a probed endpoint.
    pub(super) is_probe: bool,
}

/// Attempts a delivery.
///
/// # Errors
/// The sender is full, or the secret does not open any more. The delivery comes back without an attempt.
pub(super) async fn attempt(
    store: &Store,
    sender: &dyn WebhookSender,
    own: &OwnWebhook,
    due: DueDelivery,
    is_probe: bool,
) -> Result<Attempted, DueDelivery> {
    let started = Instant::now();
    let mut response = None;
    let (result, is_sent, may_retry) = match &due.body {
        DeliveryBody::Found(body) => match send(store, sender, own, &due.delivery, body).await {
            Ok(answer) => {
                response = excerpt(&answer.body);
                (Ok(answer.status), true, true)
            }
            Err(SendFailure::NoAnswer(reason)) => (Err(reason), true, true),
            Err(SendFailure::NotTried) => return Err(due),
        },
        // The endpoint is not to blame.
        DeliveryBody::Gone => (Err("The event no longer exists.".to_owned()), false, false),
        DeliveryBody::Unreadable => (Err("The event cannot be read.".to_owned()), false, true),
    };
    let DueDelivery {
        place,
        mut delivery,
        ..
    } = due;
    let at = store.now();
    let is_success = result.as_ref().is_ok_and(|status| is_success(*status));
    delivery.attempts.push(DeliveryAttempt {
        at,
        duration_ms: started.elapsed().as_millis() as u64,
        status_code: result.as_ref().ok().copied(),
        reason: reason(&result, is_success),
        response,
    });
    let next = next_attempt(delivery.attempts.len(), at);
    delivery.next_attempt_at = next.filter(|_| !is_success && may_retry);
    delivery.status = match (is_success, delivery.next_attempt_at) {
        (true, _) => DeliveryStatus::Delivered,
        (false, Some(_)) => DeliveryStatus::Pending,
        (false, None) => DeliveryStatus::GivenUp,
    };
    Ok(Attempted {
        place,
        delivery,
        is_success: is_sent.then_some(is_success),
        is_probe,
    })
}

async fn send(
    store: &Store,
    sender: &dyn WebhookSender,
    own: &OwnWebhook,
    delivery: &Delivery,
    body: &Value,
) -> Result<WebhookAnswer, SendFailure> {
    let request = request(own, delivery, body, store).map_err(|_| SendFailure::NotTried)?;
    let limit = Duration::from_secs(WEBHOOK_SECONDS);
    let sent = timeout(limit, sender.send(&request)).await;
    sent.unwrap_or_else(|_| {
        Err(SendFailure::NoAnswer(format!(
            "The endpoint did not answer within {WEBHOOK_SECONDS} seconds."
        )))
    })
}

/// Returns the beginning of a body, as text for people.
fn excerpt(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let text: String = text.chars().take(MOST_RESPONSE).collect();
    (!text.is_empty()).then_some(text)
}

fn reason(result: &Result<u16, String>, is_success: bool) -> Option<String> {
    match result {
        _ if is_success => None,
        Ok(status @ 300..400) => Some(format!(
            "The endpoint answered {status}. Redirects are not followed: enter the address that it \
             redirects to."
        )),
        Ok(status) => Some(format!(
            "The endpoint answered {status}. It must answer 200 to 299."
        )),
        Err(reason) => Some(reason.clone()),
    }
}

fn request(
    own: &OwnWebhook,
    delivery: &Delivery,
    body: &Value,
    store: &Store,
) -> Result<WebhookRequest, Unopened> {
    let (now, signed_at) = (store.now(), store.signing_time());
    let seconds = u64::try_from(signed_at.seconds()).unwrap_or_default();
    let secrets = own.signing_secrets(&store.sealer(), now)?;
    // Secrets that this service made are never refused.
    let secrets: Vec<_> = secrets
        .iter()
        .filter_map(|secret| verify::Secret::new(secret.expose()).ok())
        .collect();
    let signature = verify::sign(&secrets, seconds, &**body).to_string();
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("user-agent", "Connect-Webhooks/1".to_owned()),
        ("service-signature", signature),
        ("service-event-id", delivery.event_id.to_string()),
        ("service-delivery-id", delivery.id.to_string()),
    ];
    if delivery.is_test {
        // The envelope of an event has no mark for tests.
        headers.push(("service-test", "true".to_owned()));
    }
    Ok(WebhookRequest {
        url: own.webhook.url.clone(),
        headers,
        body: body.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_an_answer_is_kept() {
        assert_eq!(excerpt(b""), None);
        assert_eq!(excerpt(b"Gone fishing").as_deref(), Some("Gone fishing"));
        let long = "\u{e9}".repeat(MOST_RESPONSE);
        assert_eq!(excerpt(format!("{long}x").as_bytes()), Some(long));
    }

    #[test]
    fn a_failure_has_its_reason() {
        for (result, expected) in [
            (Ok(204), ""),
            (Ok(302), "answered 302. Redirects are not followed"),
            (Ok(404), "answered 404. It must answer 200 to 299"),
            (Err("No such host.".to_owned()), "No such host."),
        ] {
            let found = reason(&result, result == Ok(204)).unwrap_or_default();
            assert!(found.contains(expected), "{result:?}: {found}");
            assert_eq!(found.is_empty(), expected.is_empty(), "{result:?}: {found}");
        }
    }
}
