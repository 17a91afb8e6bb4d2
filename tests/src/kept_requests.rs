//! Requests to webhooks, kept instead of sent.

use std::sync::Mutex;

use async_trait::async_trait;
use connect_core::environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender};

/// Keeps each request, and reports it as delivered.
#[derive(Default)]
pub struct KeptRequests(Mutex<Vec<WebhookRequest>>);

impl KeptRequests {
    /// The requests so far.
    pub fn all(&self) -> Vec<WebhookRequest> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl WebhookSender for KeptRequests {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        self.0.lock().unwrap().push(request.clone());
        Ok(WebhookAnswer::of(200))
    }
}
