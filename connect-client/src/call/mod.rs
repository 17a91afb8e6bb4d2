//! One call of the API, ready to be sent.

mod options;
mod raw;

use std::{fmt, future::IntoFuture};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

pub(crate) use options::{CallOptions, settings};
pub use raw::RawRequest;

use crate::{
    Client, Error, Response,
    error::RequestError,
    request::Request,
    wire::{Collection, Page, Single},
};

/// Makes of a body what the call yields.
pub(crate) type Read<T> = fn(&Bytes) -> Result<T, serde_json::Error>;

/// One call of the API. Await it for its result, or [`send`](Self::send) it for the response with
/// what the headers say.
///
/// ```no_run
/// # use std::time::Duration;
/// # use connect_client::{Client, IdempotencyKey, wire::{CategoryInput, Id, Location}};
/// # async fn example(client: Client, location: Id<Location>)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let categories = client.location(location).categories();
/// let category = categories.create(&CategoryInput::named("Bread")).await?;
///
/// // With a key and a time limit of one's own, and with the response's headers:
/// let response = categories
///     .create(&CategoryInput::named("Cake"))
///     .idempotency_key(IdempotencyKey::new("import-2026-11-21/cake")?)
///     .timeout(Duration::from_secs(5))
///     .send()
///     .await?;
/// println!("{} (replayed: {})", response.data.name, response.meta.replayed);
/// # Ok(()) }
/// ```
#[must_use = "a call is sent when it is awaited"]
pub struct Call<T> {
    client: Client,
    request: Result<Request, RequestError>,
    options: CallOptions,
    read: Read<T>,
}

impl<T> Call<T> {
    /// Sends the request, again where the client's [`RetryPolicy`](crate::RetryPolicy) says so.
    ///
    /// # Errors
    /// The service answered with an error, gave no whole answer, or one that is not understood.
    pub async fn send(self) -> Result<Response<T>, Error> {
        let request = self.request?;
        let pipeline = self.client.pipeline();
        pipeline.send(&request, self.options, self.read).await
    }
}

impl<T: DeserializeOwned> Call<T> {
    /// A call that yields the record in `{ "data": record }`.
    pub(crate) fn record(client: &Client, request: Result<Request, RequestError>) -> Self {
        Self::new(client, request, |body| {
            serde_json::from_slice::<Single<T>>(body).map(|single| single.data)
        })
    }
}

impl<T: DeserializeOwned> Call<Page<T>> {
    /// A call that yields a page.
    pub(crate) fn page(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |body| serde_json::from_slice(body))
    }
}

impl<T: DeserializeOwned> Call<Vec<T>> {
    /// A call that yields a list without pages.
    pub(crate) fn collection(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |body| {
            serde_json::from_slice::<Collection<T>>(body).map(|list| list.data)
        })
    }
}

impl Call<()> {
    /// A call that yields nothing.
    pub(crate) fn nothing(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |_| Ok(()))
    }
}

impl<T> Call<T> {
    fn new(client: &Client, request: Result<Request, RequestError>, read: Read<T>) -> Self {
        Self {
            client: client.clone(),
            request,
            options: CallOptions::default(),
            read,
        }
    }
}

impl<T: Send + 'static> IntoFuture for Call<T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.send().await?.data) })
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("request", &self.request)
            .field("key", &self.options.key)
            .finish_non_exhaustive()
    }
}
