//! Reading an unwanted body, so that the client gets to reading the answer.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::Limits;

/// Reads and forgets. Whether the end was reached within the limits.
pub(super) async fn to_the_end(mut incoming: Incoming, limits: &Limits) -> bool {
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
