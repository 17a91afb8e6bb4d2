//! One call of the API, ready to be sent.

mod options;
mod raw;
pub(crate) mod request;
pub(crate) mod response;

use std::{fmt, future::IntoFuture};

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

pub(crate) use options::{CallOptions, settings};
pub use raw::RawRequest;
pub use response::{Meta, RateLimit, Response};

use self::request::{Read, Request};
use crate::{
    Client, Error, IdempotencyKey,
    error::RequestError,
    wire::{Collection, Page, Single},
};

/// One call of the API.
/// Await it for its result, or [`send`](Self::send) it for the response with the facts from its
/// headers.
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
    /// Sends the request, with retries.
    /// The [`RetryPolicy`](crate::pipeline::RetryPolicy) is the client's unless [set](Self::retry).
    ///
    /// # Errors
    /// The service answered with an error, gave no complete answer, or one in an unexpected form.
    pub async fn send(self) -> Result<Response<T>, Error> {
        let request = self.request?;
        let pipeline = self.client.pipeline();
        pipeline.send(&request, self.options, self.read).await
    }
}

impl<T: DeserializeOwned> Call<T> {
    /// A call yielding the record in `{ "data": record }`.
    pub(crate) fn record(client: &Client, request: Result<Request, RequestError>) -> Self {
        Self::new(client, request, |body| {
            serde_json::from_slice::<Single<T>>(body).map(|single| single.data)
        })
    }
}

impl<T: DeserializeOwned> Call<Page<T>> {
    /// A call yielding a page.
    pub(crate) fn page(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |body| serde_json::from_slice(body))
    }
}

impl<T: DeserializeOwned> Call<Vec<T>> {
    /// A call yielding a list without pages.
    pub(crate) fn collection(client: &Client, request: Request) -> Self {
        Self::new(client, Ok(request), |body| {
            serde_json::from_slice::<Collection<T>>(body).map(|list| list.data)
        })
    }
}

impl Call<()> {
    /// A call yielding nothing.
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

impl<T> Call<T> {
    settings!("this call", options);

    /// Sends a write with this key instead of a random one.
    /// Reads carry no key.
    ///
    /// The service answers a repeated write (same key, same request, within 24 hours) with its stored
    /// response. So a delete sent twice with one key is answered with 204 both times.
    pub fn idempotency_key(mut self, key: IdempotencyKey) -> Self {
        self.options.key = Some(key);
        self
    }

    /// Takes the settings of an enclosing series.
    pub(crate) fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Marks the call as possibly applied already, under the same key.
    pub(crate) fn may_be_applied(mut self, may_be_applied: bool) -> Self {
        self.options.may_be_applied = may_be_applied;
        self
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
