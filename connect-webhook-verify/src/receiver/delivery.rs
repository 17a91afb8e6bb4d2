//! Deliveries with valid signatures.

use ::http::HeaderMap;
use bytes::Bytes;
use serde::Deserialize;

use super::Refusal;
use crate::verify::Verified;

/// A delivery with a valid signature, and its body as it arrived.
///
/// Only the body and the time are signed. The other headers, including `Service-Event-Id`, are claims
/// of the client: recognise a repeated delivery by the `id` in the body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Delivery {
    /// The body, byte for byte.
    pub body: Bytes,
    /// The headers of the request. Not signed.
    pub headers: HeaderMap,
    /// The matching secret, and the time of signing.
    pub verified: Verified,
}

impl Delivery {
    /// Reads the body as JSON. `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// [`Refusal::Json`], to be answered with 400, if the body does not fit `T`.
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.body).map_err(Refusal::Json)
    }
}
