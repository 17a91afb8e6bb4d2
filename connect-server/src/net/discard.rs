//! Reading an unwanted body, so that the client gets to reading the answer.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{sleep, timeout};

use super::{Limits, body::Unread};

/// Reads and forgets what the app left of a body. What is still unread at the end of the limits
/// is given back. `waits`: the client sends nothing until it is told to continue.
pub(super) async fn discard(unread: Unread, waits: bool, limits: &Limits) -> Option<Incoming> {
    let Unread {
        mut incoming,
        touched,
    } = unread;
    // To read from a client that waits would tell it to send what nobody wants.
    let comes = touched || !waits;
    // Boxed: it is rare, and would make every request's future larger.
    let ended = comes && Box::pin(to_the_end(&mut incoming, limits)).await;
    (!ended).then_some(incoming)
}

/// Returns whether the end was reached within the limits.
async fn to_the_end(incoming: &mut Incoming, limits: &Limits) -> bool {
    let reading = async {
        let mut left = limits.discard_bytes;
        loop {
            match incoming.frame().await {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => {
                    let read = frame.data_ref().map_or(0, |data| data.len());
                    let Some(rest) = left.checked_sub(read) else {
                        return false;
                    };
                    left = rest;
                }
            }
        }
    };
    timeout(limits.discard, reading).await.unwrap_or(false)
}

/// Keeps an HTTP/2 stream from being reset for a while, without reading on.
pub(super) async fn hold(rest: Incoming, time: Duration) {
    sleep(time).await;
    drop(rest);
}
