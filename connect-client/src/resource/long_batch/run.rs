//! Sending a long batch request by request.

use std::{borrow::Borrow, ops::Range};

use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};

use super::{BatchBody, BatchError, LongBatch, Outcome as _, chunk::Piece, plan::Outstanding};
use crate::{
    Call, Error, IdempotencyKey,
    call::request::{Request, random_key},
    error::RequestError,
    wire::{ErrorCode, ErrorDetail, limits::MAX_BODY_BYTES},
};

/// One step of a long batch, with the result type `T`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<T> {
    /// The items of this step.
    pub items: Range<usize>,
    /// The result of these items, with their indexes in the whole sequence.
    pub result: T,
}

/// The next step.
enum Due<T> {
    Send(Outstanding),
    /// An item too large to be sent.
    Refused(Progress<T>),
}

impl<B, I> LongBatch<B, I>
where
    B: BatchBody,
    I: Iterator<Item: Borrow<B::Item>>,
{
    /// Skips the items before this index.
    /// Pass the [index](BatchError::resume_from) from the error of an earlier run. Indexes, and keys
    /// with a [prefix](Self::idempotency_key_prefix), stay relative to the whole sequence.
    ///
    /// ```no_run
    /// # use connect_client::{BatchError, Client, wire::{Id, Location, ProductInput}};
    /// # async fn example(client: Client, location: Id<Location>, menu: Vec<ProductInput>)
    /// # -> Result<(), BatchError<connect_client::wire::ProductBatchResult>> {
    /// let products = client.location(location).products();
    /// let import = || products.upsert_all(&menu).idempotency_key_prefix("menu-2026-11-22");
    /// if let Err(stopped) = import().run().await {
    ///     eprintln!("{stopped}"); // and mend it
    ///     import().resume_from(stopped.resume_from()).run().await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn resume_from(mut self, index: usize) -> Self {
        self.cutter.skip_to(index);
        self
    }

    /// Sends all items and returns the sum of the results.
    /// With a [prefix](Self::idempotency_key_prefix) the sum includes the results of an earlier run;
    /// `replayed` is the number of their items.
    ///
    /// # Errors
    /// A request failed; the error has the results saved before.
    pub async fn run(self) -> Result<B::Outcome, BatchError<B::Outcome>> {
        self.run_with(|_| ()).await
    }

    /// As [`run`](Self::run), with a call of `progress` after each step.
    ///
    /// # Errors
    /// A request failed; the error has the results saved before.
    pub async fn run_with(
        mut self,
        mut progress: impl FnMut(&Progress<B::Outcome>),
    ) -> Result<B::Outcome, BatchError<B::Outcome>> {
        let mut saved = B::Outcome::default();
        while let Some(step) = self.next().await {
            match step {
                Ok(step) => {
                    progress(&step);
                    saved.add(step.result);
                }
                Err(stopped) => return Err(stopped.after(saved)),
            }
        }
        Ok(saved)
    }

    /// Sends the next request and returns its result.
    /// `None` when all items are sent.
    ///
    /// After an error, another call repeats the failed request with the same idempotency key. The same
    /// holds after its future was dropped before it finished.
    ///
    /// # Errors
    /// The request failed; the error has its items.
    pub async fn next(&mut self) -> Option<Result<Progress<B::Outcome>, BatchError>> {
        self.step().await.transpose()
    }

    /// Turns the batch into a stream of steps.
    /// Each poll sends the next request. An error has the items of its request, and ends the stream. To
    /// continue after an error, use [`next`](Self::next) instead, or [resume](Self::resume_from) in a
    /// new batch.
    ///
    /// ```no_run
    /// # use connect_client::{BatchError, Client, wire::{Id, Location, ProductInput}};
    /// use futures_util::TryStreamExt as _;
    ///
    /// # async fn example(client: Client, location: Id<Location>, menu: Vec<ProductInput>)
    /// # -> Result<(), BatchError> {
    /// let mut steps = client.location(location).products().upsert_all(&menu).into_stream();
    /// while let Some(step) = steps.try_next().await? {
    ///     println!("{:?}: {} created", step.items, step.result.created);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn into_stream<'a>(self) -> BoxStream<'a, Result<Progress<B::Outcome>, BatchError>>
    where
        B: Send + 'a,
        I: Send + 'a,
        I::Item: Send,
    {
        let steps = stream::try_unfold(self, |mut upsert| async move {
            let step = upsert.step().await?;
            Ok(step.map(|step| (step, upsert)))
        });
        steps.boxed()
    }

    async fn step(&mut self) -> Result<Option<Progress<B::Outcome>>, BatchError> {
        self.send_next().await.map_err(|error| {
            let next = self.cutter.position();
            let failed = self.outstanding.as_ref();
            let items = failed.map_or(next..next, |failed| failed.items.clone());
            BatchError::new(items, error)
        })
    }

    async fn send_next(&mut self) -> Result<Option<Progress<B::Outcome>>, Error> {
        let request = match self.due()? {
            None => return Ok(None),
            Some(Due::Refused(item)) => return Ok(Some(item)),
            Some(Due::Send(request)) => request,
        };
        let Outstanding {
            items,
            json,
            key,
            may_be_applied,
        } = request;
        let request = Request::of_bytes(B::METHOD, self.path.clone(), json);
        let call = Call::<B::Outcome>::record(&self.client, Ok(request))
            .with(self.options.clone())
            .idempotency_key(key)
            .may_be_applied(may_be_applied);
        // The future may be dropped at the next line. The outcome is unknown then.
        self.mark(true);
        match call.send().await {
            Ok(response) => {
                self.outstanding = None;
                let mut result = response.data;
                if response.meta.replayed {
                    result.set_replayed();
                }
                result.renumber(items.start);
                Ok(Some(Progress { items, result }))
            }
            Err(error) => {
                self.mark(error.may_be_applied());
                Err(error)
            }
        }
    }

    fn mark(&mut self, may_be_applied: bool) {
        if let Some(outstanding) = &mut self.outstanding {
            outstanding.may_be_applied = may_be_applied;
        }
    }

    fn due(&mut self) -> Result<Option<Due<B::Outcome>>, Error> {
        if let Some(again) = &self.outstanding {
            return Ok(Some(Due::Send(again.clone())));
        }
        // Before anything is cut: a key that cannot be must not cost items.
        let key = self.key(self.cutter.position())?;
        Ok(match self.cutter.cut(&self.body)? {
            None => None,
            Some(Piece::TooLarge {
                index,
                external_id,
                bytes,
            }) => Some(Due::Refused(Progress {
                items: index..index + 1,
                result: B::Outcome::refused(index, external_id, too_large(bytes)),
            })),
            Some(Piece::Body { items, json }) => {
                let request = self.outstanding.insert(Outstanding {
                    items,
                    json,
                    key,
                    may_be_applied: false,
                });
                Some(Due::Send(request.clone()))
            }
        })
    }

    /// The key of the request beginning with this item.
    fn key(&self, first: usize) -> Result<IdempotencyKey, RequestError> {
        match &self.key_prefix {
            None => Ok(random_key()),
            Some(prefix) => IdempotencyKey::new(format!("{prefix}-{first}"))
                .map_err(|invalid| RequestError(invalid.to_string())),
        }
    }
}

/// The error of an item too large for any request.
fn too_large(bytes: usize) -> ErrorDetail {
    let problem = format!("has {bytes} bytes as JSON, and a request at most {MAX_BODY_BYTES}");
    ErrorDetail::new(ErrorCode::PayloadTooLarge, problem)
}
