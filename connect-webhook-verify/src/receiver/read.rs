//! Reading a body within a limit and checking it.

use core::pin::pin;
use std::{error::Error, vec::Vec};

use ::http::{HeaderMap, header::CONTENT_LENGTH};
use bytes::Buf;
use futures_util::{Stream, TryStreamExt};

use super::{Delivery, Receiver, Refusal};

impl Receiver {
    /// Reads a body within the limit and checks it.
    /// Use it for frameworks without a filter in this crate. Any stream of pieces will do; a body in
    /// one piece is a stream of one.
    ///
    /// There is no limit to the client's time: set it in the server.
    ///
    /// ```
    /// use connect_webhook_verify::{Secret, Verifier, http::SIGNATURE, receiver::Receiver, sign};
    /// use futures_util::stream;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let secret = Secret::new("whsec_test_secret")?;
    /// let receiver = Receiver::new(&Verifier::new(secret.clone())).clock(|| 1_700_000_000);
    ///
    /// let headers = [(SIGNATURE, sign(&secret, 1_700_000_000, "{}").into())];
    /// let pieces = [Ok::<_, std::io::Error>("{".as_bytes()), Ok("}".as_bytes())];
    /// let delivery = receiver.receive(headers.into_iter().collect(), stream::iter(pieces)).await?;
    /// assert_eq!(delivery.body, "{}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Refusal`], with the status to answer and the code for the client.
    pub async fn receive<B: Buf, E: Error + Send + Sync + 'static>(
        &self,
        headers: HeaderMap,
        body: impl Stream<Item = Result<B, E>>,
    ) -> Result<Delivery, Refusal> {
        self.watched(self.check(headers, body).await)
    }

    /// Reports a refusal to the callback.
    pub(crate) fn watched<T>(&self, outcome: Result<T, Refusal>) -> Result<T, Refusal> {
        outcome.inspect_err(|refusal| (self.watch)(refusal))
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

    /// Reads a body of at most the limit.
    /// An announced length is trusted only if it is too large. It saves reading a body to be refused,
    /// and allocates nothing.
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
