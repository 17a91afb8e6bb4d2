//! Lists that are fetched page by page while they are read.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{
    Stream, StreamExt,
    stream::{BoxStream, TryStreamExt},
};

use crate::Error;

/// The records of a list, or its pages, fetched as they are asked for.
///
/// It is a [`Stream`]; [`next`](Self::next) and [`all`](Self::all) work without the traits of the
/// futures crates. After an error there is nothing more.
#[must_use = "nothing is fetched until it is asked for"]
pub struct Listing<T>(BoxStream<'static, Result<T, Error>>);

impl<T> Listing<T> {
    pub(super) fn new(stream: impl Stream<Item = Result<T, Error>> + Send + 'static) -> Self {
        Self(stream.boxed())
    }

    /// The next one; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        self.0.next().await
    }

    /// All that are left, in memory.
    ///
    /// # Errors
    /// A page could not be fetched; what came before is dropped.
    pub async fn all(self) -> Result<Vec<T>, Error> {
        self.0.try_collect().await
    }
}

impl<T> Stream for Listing<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").finish_non_exhaustive()
    }
}
