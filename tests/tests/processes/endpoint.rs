//! A host that the servers call: the endpoint of webhooks, and pictures.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

/// A GIF of one red pixel.
const PIXEL: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// A server of this test, which takes every event. It ends when it is dropped.
pub(super) struct Endpoint {
    url: String,
    seen: Arc<Mutex<Seen>>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    /// The number of times that each event has arrived, by the path of the webhook.
    events: HashMap<String, HashMap<String, usize>>,
    /// The pictures that were fetched, by path.
    pictures: HashMap<String, usize>,
}

impl Endpoint {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let accepting = tokio::spawn(accept(listener, seen.clone()));
        Self {
            url,
            seen,
            accepting,
        }
    }

    /// The address of a webhook.
    pub(super) fn webhook(&self, number: usize) -> String {
        format!("{}{}", self.url, hook(number))
    }

    /// The link to a picture. Each has one of its own.
    pub(super) fn picture(&self, number: usize) -> String {
        format!("{}/pictures/{number}.gif", self.url)
    }

    /// The number of pictures that were fetched.
    pub(super) fn pictures(&self) -> usize {
        self.seen.lock().unwrap().pictures.len()
    }

    /// The events that have arrived at a webhook.
    pub(super) fn arrived(&self, number: usize) -> HashSet<String> {
        let seen = self.seen.lock().unwrap();
        let events = seen.events.get(&hook(number));
        events.map_or_else(HashSet::new, |events| events.keys().cloned().collect())
    }

    /// The arrivals at a webhook beyond the first of each event.
    pub(super) fn doubles(&self, number: usize) -> usize {
        let seen = self.seen.lock().unwrap();
        let events = seen.events.get(&hook(number));
        events.map_or(0, |events| events.values().map(|times| times - 1).sum())
    }
}

fn hook(number: usize) -> String {
    format!("/hooks/{number}")
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, seen: Arc<Mutex<Seen>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let seen = seen.clone();
        let answer = service_fn(move |request| answer(request, seen.clone()));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
        // A server that is killed ends its connections with an error.
        tokio::spawn(async move {
            let _ = connection.await;
        });
    }
}

async fn answer(
    request: http::Request<Incoming>,
    seen: Arc<Mutex<Seen>>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (head, body) = request.into_parts();
    // What does not arrive whole has not arrived.
    let body = body.collect().await?.to_bytes();
    let path = head.uri.path().to_owned();
    let mut seen = seen.lock().unwrap();
    if path.starts_with("/pictures/") {
        *seen.pictures.entry(path).or_default() += 1;
        return Ok(Response::new(Full::from(PIXEL)));
    }
    let event: Value = serde_json::from_slice(&body).expect("an event");
    let id = event["id"].as_str().expect("an id").to_owned();
    *seen.events.entry(path).or_default().entry(id).or_default() += 1;
    Ok(Response::new(Full::default()))
}
