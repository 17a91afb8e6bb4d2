//! Endpoints that answer as the test says, without a network.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use connect_core::{
    environment::{SendFailure, WebhookAnswer, WebhookRequest, WebhookSender},
    wire::AnyEvent,
};

/// The behaviour of an endpoint.
#[derive(Clone, Debug)]
pub(super) enum Answers {
    Status(u16),
    Fails,
    /// It answers 200 so many times, together with others, and then 503.
    FailsAfter(usize),
    /// The sender has no room.
    NotTried,
    Hangs,
    /// It answers 200 after nine seconds.
    Slowly,
    Panics,
}

/// All endpoints: each address answers 200 unless told otherwise.
#[derive(Default)]
pub(super) struct Endpoints {
    answers: Mutex<HashMap<String, Answers>>,
    requests: Mutex<Vec<WebhookRequest>>,
}

impl Endpoints {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// From now on the endpoint answers so.
    pub(super) fn answer(&self, url: &str, answers: Answers) {
        self.answers.lock().unwrap().insert(url.to_owned(), answers);
    }

    /// The number of requests since they were last taken.
    pub(super) fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The requests since the last call.
    pub(super) fn take(&self) -> Vec<WebhookRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

/// The event of a request.
pub(super) fn event(request: &WebhookRequest) -> AnyEvent {
    serde_json::from_slice(&request.body).unwrap()
}

/// The value of a header.
pub(super) fn header<'r>(request: &'r WebhookRequest, name: &str) -> &'r str {
    let found = request.headers.iter().find(|(other, _)| *other == name);
    &found.unwrap().1
}

#[async_trait]
impl WebhookSender for Endpoints {
    async fn send(&self, request: &WebhookRequest) -> Result<WebhookAnswer, SendFailure> {
        self.requests.lock().unwrap().push(request.clone());
        let answers = self.answers.lock().unwrap().get(&request.url).cloned();
        match answers.unwrap_or(Answers::Status(200)) {
            Answers::Status(status) => Ok(WebhookAnswer::of(status)),
            Answers::Fails => Err(SendFailure::NoAnswer(
                "The connection was refused.".to_owned(),
            )),
            Answers::FailsAfter(left) => {
                let next = Answers::FailsAfter(left.saturating_sub(1));
                self.answer(&request.url, next);
                tokio::task::yield_now().await;
                Ok(WebhookAnswer::of(if left > 0 { 200 } else { 503 }))
            }
            Answers::NotTried => Err(SendFailure::NotTried),
            Answers::Hangs => std::future::pending().await,
            Answers::Slowly => {
                tokio::time::sleep(Duration::from_secs(9)).await;
                Ok(WebhookAnswer::of(200))
            }
            Answers::Panics => panic!("the sender has a fault"),
        }
    }
}
