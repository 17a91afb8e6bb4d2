//! The answer to a request with an incomplete body.

use std::error::Error;

use connect_core::{Error as CoreError, Reason, wire::ErrorCode};
use http::StatusCode;

use super::endpoint::Reply;
use crate::net::BodyError;

/// The seconds to wait for room for a body.
/// Bodies are answered within a fraction of a second.
const RETRY_AFTER: i64 = 1;

/// Tells a client the reason for an unread body.
/// Nothing was done. For a temporary reason the code is `server_error`, so the client may retry.
pub(super) fn unread(error: &(dyn Error + 'static)) -> Reply {
    let refused = |status, problem| {
        let reason = Reason::of("body", problem).detail(ErrorCode::ServerError);
        Reply::error(status, reason)
    };
    match reason(error) {
        Some(BodyError::TooSlow) => refused(
            StatusCode::REQUEST_TIMEOUT,
            "took too long to arrive; nothing was done, send it again",
        ),
        Some(BodyError::NoRoom) => refused(
            StatusCode::SERVICE_UNAVAILABLE,
            "finds no room now, since many requests are under way; nothing was done, send it again",
        )
        .retry_after(Some(RETRY_AFTER)),
        Some(BodyError::Broken) | None => {
            let problem = "broke off, or is not framed as HTTP wants it; send it again";
            CoreError::Malformed(Reason::of("body", problem)).into()
        }
    }
}

/// Returns the network layer's reason, unwrapped from other libraries' errors.
fn reason(error: &(dyn Error + 'static)) -> Option<BodyError> {
    std::iter::successors(Some(error), |&error| error.source())
        .find_map(|error| error.downcast_ref().copied())
}
