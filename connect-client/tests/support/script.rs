//! A transport that answers as it was told and keeps what it was sent.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use connect_client::{
    Client, ClientBuilder,
    transport::{Fault, Transport, TransportError},
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::builder;

/// What the transport does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Answer(http::Response<Bytes>),
    Fault(Fault),
    /// Never answers.
    Silence,
    /// Does this after some time.
    Later(Duration, Box<Reply>),
}

/// A reply with a status, headers and a text.
pub(crate) fn text(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut response = http::Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    let body = Bytes::copy_from_slice(body.as_bytes());
    Reply::Answer(response.body(body).unwrap())
}

/// A reply with a status and JSON.
pub(crate) fn json(status: u16, body: &Value) -> Reply {
    text(
        status,
        &[("content-type", "application/json")],
        &body.to_string(),
    )
}

/// A reply with only a status.
pub(crate) fn bare(status: u16) -> Reply {
    text(status, &[], "")
}

#[derive(Clone)]
pub(crate) struct Script(Arc<Inner>);

struct Inner {
    began: Instant,
    replies: Mutex<VecDeque<Reply>>,
    sent: Mutex<Vec<Sent>>,
}

/// A request that was sent, and when.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Duration,
    pub(crate) request: http::Request<Bytes>,
}

impl Sent {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        Some(self.request.headers().get(name)?.to_str().unwrap())
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.header("idempotency-key")
    }

    /// The path below the base and the query.
    pub(crate) fn target(&self) -> &str {
        let target = self.request.uri().path_and_query().unwrap().as_str();
        target.strip_prefix("/v1").unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.request.body()).unwrap()
    }
}

impl Script {
    /// Answers with these in turn; one request more than that is a failed test.
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self(Arc::new(Inner {
            began: Instant::now(),
            replies: Mutex::new(replies.into_iter().collect()),
            sent: Mutex::new(Vec::new()),
        }))
    }

    pub(crate) fn client(&self) -> Client {
        self.client_with(|builder| builder)
    }

    pub(crate) fn client_with(
        &self,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Client {
        settings(builder()).transport(self.clone()).build().unwrap()
    }

    /// What was sent, when all that was meant to be is.
    pub(crate) fn finish(&self) -> Vec<Sent> {
        let left = self.0.replies.lock().unwrap().len();
        assert_eq!(left, 0, "replies that nobody asked for");
        self.sent()
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.0.sent.lock().unwrap().clone()
    }
}

impl Transport for Script {
    fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, TransportError>> {
        let at = self.0.began.elapsed();
        let reply = self.0.replies.lock().unwrap().pop_front();
        self.0.sent.lock().unwrap().push(Sent { at, request });
        let sent = self.0.sent.lock().unwrap().len();
        Box::pin(async move {
            let mut reply =
                reply.unwrap_or_else(|| panic!("request number {sent} was not expected"));
            while let Reply::Later(wait, then) = reply {
                sleep(wait).await;
                reply = *then;
            }
            match reply {
                Reply::Answer(response) => Ok(response),
                Reply::Fault(fault) => Err(TransportError::new(fault)),
                Reply::Silence | Reply::Later(..) => std::future::pending().await,
            }
        })
    }
}
