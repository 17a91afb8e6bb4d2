//! A delivery whose signature holds.

use ::http::HeaderMap;
use bytes::Bytes;
use serde::Deserialize;

use super::Refusal;
use crate::verify::Verified;

/// A delivery whose signature holds, with its body as it arrived.
///
/// Only the body and the time are signed. The other headers, `Service-Event-Id` among them, are
/// what the client says: recognise a delivery seen before by the `id` in the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Delivery {
    /// The body, byte for byte.
    pub body: Bytes,
    /// The headers of the request. Not signed.
    pub headers: HeaderMap,
    /// The secret that matched, and the time at which the delivery was signed.
    pub verified: Verified,
}

impl Delivery {
    /// Reads the body as JSON. `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// [`Refusal::Json`], to be answered with 400, if the body is not what `T` expects.
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.body).map_err(Refusal::Json)
    }
}
