//! Sending a sequence of items piece by piece.

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

/// One step of a long batch. `T` is the result of a batch of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<T> {
    /// The items of this step.
    pub items: Range<usize>,
    /// The result of these items, with their indexes in the whole sequence.
    pub result: T,
}

/// The next thing to do.
enum Due<T> {
    Send(Outstanding),
    /// An item that is not sent.
    Refused(Progress<T>),
}

impl<B, I> LongBatch<B, I>
where
    B: BatchBody,
    I: Iterator<Item: Borrow<B::Item>>,
{
    /// Leaves out the items before this index, which were dealt with before: that which the
    /// [error](BatchError::resume_from) of an earlier run has told. Indexes, and keys with a
    /// [prefix](Self::idempotency_key_prefix), stay those of the whole.
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

    /// Sends everything and yields the sum. With a [prefix](Self::idempotency_key_prefix) it counts what an earlier
    /// run has done once more; `replayed` says of how many items.
    ///
    /// # Errors
    /// A request failed; the error says what was saved before.
    pub async fn run(self) -> Result<B::Outcome, BatchError<B::Outcome>> {
        self.run_with(|_| ()).await
    }

    /// As [`run`](Self::run), and tells `progress` of each step.
    ///
    /// # Errors
    /// A request failed; the error says what was saved before.
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

    /// Sends the next request and yields what it came to; `None` when all is sent.
    ///
    /// After an error, calling it again sends the failed request again, with the same idempotency
    /// key. The same holds when its future was dropped before it was done.
    ///
    /// # Errors
    /// The request failed; the error says which items it had.
    pub async fn next(&mut self) -> Option<Result<Progress<B::Outcome>, BatchError>> {
        self.step().await.transpose()
    }

    /// Sends request after request as the steps are asked for. After an error, which says which
    /// items it is about, there is nothing more. To go on behind one, call [`next`](Self::next)
    /// instead, or [begin there](Self::resume_from) again.
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
        // The future may be dropped at the next line, and then nobody knows.
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

    /// The key of the request that begins with this item.
    fn key(&self, first: usize) -> Result<IdempotencyKey, RequestError> {
        match &self.key_prefix {
            None => Ok(random_key()),
            Some(prefix) => IdempotencyKey::new(format!("{prefix}-{first}"))
                .map_err(|invalid| RequestError(invalid.to_string())),
        }
    }
}

/// The error of an item that no request can hold.
fn too_large(bytes: usize) -> ErrorDetail {
    let problem = format!("has {bytes} bytes as JSON, and a request at most {MAX_BODY_BYTES}");
    ErrorDetail::new(ErrorCode::PayloadTooLarge, problem)
}
