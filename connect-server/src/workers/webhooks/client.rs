//! The requests of webhooks.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use connect_core::{
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    wire::limits::WEBHOOK_SECONDS,
};
use reqwest::{Method, Response};
use tokio::{sync::Semaphore, time::timeout};
use url::Url;

use super::failure::{self, no_response, refused};
use crate::workers::outbound::{AddressGuard, Outbound, OutboundError, OutboundSettings};

/// The time limit of a request.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(WEBHOOK_SECONDS);

/// The bytes read of an answer's body.
const MOST_BODY: usize = 64_000;

/// The time for the body of an answer with an error status.
const PATIENCE: Duration = Duration::from_secs(1);

/// The requests at a time, to all endpoints together.
/// Each may take a file of the process, and some 400 kB for a large head.
const PLACES: usize = 1024;

/// The connections per host kept for the next request.
const KEPT_CONNECTIONS: usize = 32;

/// Sends webhook requests.
#[derive(Clone, Debug)]
pub struct WebhookClient {
    outbound: Outbound,
    deadline: Duration,
    places: Arc<Semaphore>,
}

impl WebhookClient {
    /// Makes the client.
    /// It also sends over plain HTTP into networks allowed by the guard.
    ///
    /// # Errors
    /// The system has no certificates to trust.
    pub fn new(guard: AddressGuard) -> Result<Self, OutboundError> {
        let settings = OutboundSettings::new(guard, "Connect-Webhooks/1");
        Self::with(settings, DEFAULT_DEADLINE)
    }

    /// Makes a client with other settings and a deadline for each request.
    /// Connections are kept in any case.
    ///
    /// # Errors
    /// The system has no certificates to trust.
    pub fn with(settings: OutboundSettings, deadline: Duration) -> Result<Self, OutboundError> {
        Ok(Self {
            outbound: Outbound::new(OutboundSettings {
                kept_connections: KEPT_CONNECTIONS,
                ..settings
            })?,
            deadline,
            places: Arc::new(Semaphore::new(PLACES)),
        })
    }

    async fn exchange(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        let url = Url::parse(&request.url).map_err(|_| failure::no_address())?;
        let begun = self.outbound.request(Method::POST, url);
        let mut begun = begun.map_err(refused)?.body(request.body.clone());
        for (name, value) in &request.headers {
            begun = begun.header(*name, value);
        }
        let response = begun.send().await.map_err(|error| no_response(&error))?;
        let status = response.status();
        let body = if status.is_success() {
            read(response).await?
        } else {
            // The attempt has failed already, with or without the body.
            let body = timeout(PATIENCE, read(response)).await;
            body.unwrap_or(Ok(Vec::new())).unwrap_or_default()
        };
        Ok(WebhookAnswer {
            status: status.as_u16(),
            body,
        })
    }
}

/// Reads the body of an answer, so its connection can be kept.
/// The rest of a large body is left unread, and its connection ends.
async fn read(mut response: Response) -> Result<Vec<u8>, SendFailure> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| no_response(&error))?
    {
        let room = MOST_BODY.saturating_sub(body.len());
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            break;
        }
    }
    Ok(body)
}

#[async_trait]
impl WebhookSender for WebhookClient {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        // The semaphore is never closed.
        let _place = self.places.acquire().await;
        let in_time = timeout(self.deadline, self.exchange(request)).await;
        in_time.unwrap_or_else(|_| Err(failure::too_late(self.deadline)))
    }
}
