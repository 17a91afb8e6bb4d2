//! The log of calls: a span per call, an event per attempt.
//! An end without a failed attempt has an event of its own. The log has no tokens, no bodies, and no
//! text possibly taken from a body. Without the feature `tracing` nothing is logged.

use std::time::Duration;

use super::retry::Decision;
use crate::{
    call::{Meta, request::Request},
    error::{CallInfo, ErrorKind},
};

/// Runs a call within its span.
pub(super) async fn within<F: Future>(request: &Request, work: F) -> F::Output {
    #[cfg(feature = "tracing")]
    let work = {
        let Request { method, path, .. } = request;
        let span = tracing::info_span!("connect_call", %method, path);
        tracing::Instrument::instrument(work, span)
    };
    #[cfg(not(feature = "tracing"))]
    let _ = request;
    work.await
}

/// Logs a wait for the rate limit.
pub(super) fn held_back(wait: Duration) {
    #[cfg(feature = "tracing")]
    tracing::debug!(wait_ms = millis(wait), "held back by the rate limit");
    #[cfg(not(feature = "tracing"))]
    let _ = wait;
}

/// Logs a successful attempt.
pub(super) fn succeeded(meta: &Meta, took: Duration) {
    #[cfg(feature = "tracing")]
    tracing::debug!(
        attempt = meta.attempts,
        status = meta.status,
        took_ms = millis(took),
        request_id = meta.request_id,
        "answered"
    );
    #[cfg(not(feature = "tracing"))]
    let _ = (meta, took);
}

/// Logs a failed attempt, and the decision after it.
pub(super) fn failed(
    call: &CallInfo,
    meta: Option<&Meta>,
    kind: &ErrorKind,
    took: Duration,
    decision: Decision,
) {
    #[cfg(feature = "tracing")]
    {
        let attempt = call.attempts;
        let status = meta.map(|meta| meta.status);
        let request_id = meta.and_then(|meta| meta.request_id.as_deref());
        let took_ms = millis(took);
        let why = why(kind);
        match decision {
            Decision::Wait(wait) => tracing::warn!(
                attempt,
                status,
                took_ms,
                request_id,
                why,
                wait_ms = millis(wait),
                "failed, sent again after a wait"
            ),
            Decision::GiveUp(Some(gave_up)) => {
                let gave_up = tracing::field::debug(gave_up);
                tracing::warn!(
                    attempt,
                    status,
                    took_ms,
                    request_id,
                    why,
                    gave_up,
                    "failed, given up"
                );
            }
            // Only at debug level: a 404 may be the expected answer.
            Decision::GiveUp(None) => {
                tracing::debug!(attempt, status, took_ms, request_id, why, "refused");
            }
        }
    }
    #[cfg(not(feature = "tracing"))]
    let _ = (call, meta, kind, took, decision);
}

/// Logs a call ended with an error, but without a failed attempt.
/// It could not be sent, its time was over before it was sent (again), or its answer is not in the
/// documented form.
pub(super) fn ended(call: &CallInfo, meta: Option<&Meta>, kind: &ErrorKind) {
    #[cfg(feature = "tracing")]
    tracing::warn!(
        attempt = call.attempts,
        status = meta.map(|meta| meta.status),
        request_id = meta.and_then(|meta| meta.request_id.as_deref()),
        why = why(kind),
        gave_up = call.gave_up.map(tracing::field::debug),
        "the call failed"
    );
    #[cfg(not(feature = "tracing"))]
    let _ = (call, meta, kind);
}

/// The reason for a failure, in fixed texts or service codes.
#[cfg(feature = "tracing")]
fn why(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Api(error) => match &error.code {
            // Its sender may have put any text there.
            Some(crate::wire::ErrorCode::Unknown(_)) => "an unknown code".to_owned(),
            Some(code) => code.to_string(),
            None => "not an answer of the service".to_owned(),
        },
        ErrorKind::Transport(error) => error.fault().to_string(),
        // Their texts may have parts of a request or of a body.
        ErrorKind::Request(_) => "the request cannot be written".to_owned(),
        ErrorKind::Decode(_) => "unexpected response".to_owned(),
        ErrorKind::Settings(_) => String::new(),
    }
}

#[cfg(feature = "tracing")]
fn millis(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}
