//! Extractors for axum 0.8 (feature `axum`): [`Delivery`] and [`Signed`].
//!
//! Both find the [`Receiver`] in the router's state. They read the body, so they come last among a
//! handler's arguments. The receiver's limit applies to them, instead of axum's own `DefaultBodyLimit`.

use axum_core::{
    extract::{FromRef, FromRequest, Request},
    response::{IntoResponse, Response},
};
use serde::de::DeserializeOwned;

use crate::receiver::{Delivery, Receiver, Refusal};

/// Extracts a delivery with a valid signature, or answers 400, 401 or 413.
///
/// ```
/// use axum::{Router, http::StatusCode, routing::post};
/// use connect_webhook_verify::{Secret, Verifier, receiver::{Delivery, Receiver}};
///
/// async fn hook(delivery: Delivery) -> StatusCode {
///     println!("{} bytes", delivery.body.len());
///     StatusCode::NO_CONTENT
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let receiver = Receiver::new(&Verifier::new(Secret::new("whsec_test_secret")?));
/// let app: Router = Router::new().route("/hooks", post(hook)).with_state(receiver);
/// # let _ = app;
/// # Ok(())
/// # }
/// ```
impl<S> FromRequest<S> for Delivery
where
    Receiver: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        Receiver::from_ref(state)
            .receive(parts.headers, body.into_data_stream())
            .await
    }
}

/// The JSON of a delivery with a valid signature.
///
/// Also answers 400 if the signature is valid but the body does not fit `T`.
#[derive(Debug, Clone)]
pub struct Signed<T>(
    /// The content of the body.
    pub T,
);

impl<S, T> FromRequest<S> for Signed<T>
where
    Receiver: FromRef<S>,
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let delivery = Delivery::from_request(request, state).await?;
        Receiver::from_ref(state).watched(delivery.json()).map(Self)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), self.code()).into_response()
    }
}
