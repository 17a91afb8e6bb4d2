//! Reading a body within a limit and checking it.

use core::pin::pin;
use std::{error::Error, vec::Vec};

use ::http::{HeaderMap, header::CONTENT_LENGTH};
use bytes::Buf;
use futures_util::{Stream, TryStreamExt};

use super::{Delivery, Receiver, Refusal};

impl Receiver {
    /// Reads the body, checks it and keeps it.
    pub(crate) async fn receive<B: Buf, E: Error + Send + Sync + 'static>(
        &self,
        headers: HeaderMap,
        body: impl Stream<Item = Result<B, E>>,
    ) -> Result<Delivery, Refusal> {
        let delivery = self.check(headers, body).await;
        if let Err(refusal) = &delivery {
            (self.watch)(refusal);
        }
        delivery
    }

    async fn check<B: Buf, E: Error + Send + Sync + 'static>(
        &self,
        headers: HeaderMap,
        body: impl Stream<Item = Result<B, E>>,
    ) -> Result<Delivery, Refusal> {
        let body = self.read(&headers, body).await?;
        let verified = self
            .verifier()
            .verify_headers(&headers, &body, (self.clock)())
            .map_err(Refusal::Signature)?;
        Ok(Delivery {
            body: body.into(),
            headers,
            verified,
        })
    }

    /// Reads a body of at most the limit. A length that is announced is only believed where it is
    /// too large: it spares reading what is refused anyway, and allots nothing.
    async fn read<B: Buf, E: Error + Send + Sync + 'static>(
        &self,
        headers: &HeaderMap,
        body: impl Stream<Item = Result<B, E>>,
    ) -> Result<Vec<u8>, Refusal> {
        let too_large = Refusal::TooLarge { limit: self.limit };
        let announced = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok());
        if announced
            .and_then(|length| length.parse().ok())
            .is_some_and(|n: u64| usize::try_from(n).map_or(true, |length| length > self.limit))
        {
            return Err(too_large);
        }

        let mut body = pin!(body);
        let mut kept = Vec::new();
        while let Some(mut piece) = body.try_next().await.map_err(Refusal::unread)? {
            if piece.remaining() > self.limit - kept.len() {
                return Err(too_large);
            }
            while piece.has_remaining() {
                let chunk = piece.chunk();
                kept.extend_from_slice(chunk);
                let length = chunk.len();
                piece.advance(length);
            }
        }
        Ok(kept)
    }
}
