//! A filter for warp 0.4 (feature `warp`).
//!
//! [`receive`] is enough for most programs. [`delivery`] is its first half, for composing filters.

use core::future::{Future, ready};

use serde::de::DeserializeOwned;
use warp::{
    Filter, Rejection, Reply,
    reject::Reject,
    reply::{Response, with_status},
};

use crate::receiver::{Delivery, Receiver, Refusal};

/// Checks a request, and answers it.
/// The answer is the handler's reply, or the status of the refusal.
///
/// It never rejects, so no later route sees a request with its body gone, and no refusal becomes a 500
/// for lack of a `recover`. Put filters selecting the request before it, and the work in the handler.
/// Answer within 10 seconds, the service's timeout; any 2xx counts as accepted.
///
/// ```
/// use connect_webhook_verify::{Secret, Verifier, receiver::{Delivery, Receiver}};
/// use warp::{Filter, http::StatusCode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(&Verifier::new(Secret::new("whsec_test_secret")?));
///
/// let routes = warp::post().and(warp::path!("hooks")).and(
///     connect_webhook_verify::warp::receive(receiver, |delivery: Delivery| async move {
///         println!("{} bytes", delivery.body.len());
///         StatusCode::NO_CONTENT
///     }),
/// );
/// # let _ = routes;
/// # Ok(())
/// # }
/// ```
pub fn receive<H, F>(
    receiver: Receiver,
    handler: H,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static
where
    H: Fn(Delivery) -> F + Clone + Send + Sync + 'static,
    F: Future<Output: Reply> + Send,
{
    checked(receiver).then(move |delivery: Result<Delivery, Refusal>| {
        let handler = handler.clone();
        async move {
            match delivery {
                Ok(delivery) => handler(delivery).await.into_response(),
                Err(refusal) => refusal.into_response(),
            }
        }
    })
}

/// Extracts the [`Delivery`], or rejects with a [`Refusal`].
/// A delivery has a valid signature.
///
/// warp answers such a rejection with 500, unless [`answer`] or your own `recover` turns it into a
/// response. The body is gone after a rejection, so let no `or` follow it.
pub fn delivery(
    receiver: Receiver,
) -> impl Filter<Extract = (Delivery,), Error = Rejection> + Clone + Send + Sync + 'static {
    checked(receiver).and_then(async |delivery: Result<Delivery, Refusal>| {
        delivery.map_err(warp::reject::custom)
    })
}

/// As [`delivery`], with the body read as JSON after the check.
pub fn json<T: DeserializeOwned + Send + 'static>(
    receiver: Receiver,
) -> impl Filter<Extract = (T,), Error = Rejection> + Clone + Send + Sync + 'static {
    let watcher = receiver.clone();
    delivery(receiver).and_then(move |delivery: Delivery| {
        ready(
            watcher
                .watched(delivery.json())
                .map_err(warp::reject::custom),
        )
    })
}

/// Answers the rejections of [`delivery`] and [`json`], for `recover`.
/// All other rejections are passed on.
///
/// ```
/// # use connect_webhook_verify::{Secret, Verifier, receiver::Receiver, warp as verify};
/// use warp::Filter;
/// # #[derive(serde::Deserialize)]
/// # struct Event { id: String }
///
/// # let receiver = Receiver::new(&Verifier::new(Secret::new("whsec_test_secret").unwrap()));
/// let routes = warp::post()
///     .and(verify::json(receiver))
///     .map(|event: Event| event.id)
///     .recover(verify::answer);
/// # let _ = routes;
/// ```
///
/// # Errors
///
/// The rejection itself, if it is not from this crate.
pub async fn answer(rejection: Rejection) -> Result<Response, Rejection> {
    match rejection.find::<Refusal>() {
        Some(refusal) => Ok(reply(refusal)),
        None => Err(rejection),
    }
}

fn checked(
    receiver: Receiver,
) -> impl Filter<Extract = (Result<Delivery, Refusal>,), Error = Rejection> + Clone + Send + Sync + 'static
{
    warp::any()
        .map(move || receiver.clone())
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(async |receiver: Receiver, headers, body| receiver.receive(headers, body).await)
}

fn reply(refusal: &Refusal) -> Response {
    with_status(refusal.code(), refusal.status()).into_response()
}

impl Reject for Refusal {}

impl Reply for Refusal {
    fn into_response(self) -> Response {
        reply(&self)
    }
}
