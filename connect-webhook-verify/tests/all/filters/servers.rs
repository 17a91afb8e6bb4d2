//! The same service on warp, once with each way to put the filter in, and on axum.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{Router, extract::State, routing::post};
use connect_webhook_verify::{
    axum::Signed,
    receiver::{Delivery, Receiver},
    warp as verify,
};
use tokio::{net::TcpListener, task::JoinSet};
use warp::{Filter, http::StatusCode};

/// The body that a handler saw last.
pub(super) type Seen = Arc<Mutex<Option<Vec<u8>>>>;

#[derive(serde::Deserialize)]
struct Event {
    id: String,
}

pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) address: SocketAddr,
    seen: Seen,
}

impl Server {
    /// Takes what the handler saw since the last call.
    pub(super) fn seen(&self) -> Option<Vec<u8>> {
        self.seen.lock().unwrap().take()
    }
}

/// Servers that stop when this is dropped.
pub(super) struct Servers {
    servers: [Server; 3],
    _tasks: JoinSet<()>,
}

impl Servers {
    pub(super) async fn start(receiver: Receiver) -> Self {
        let mut tasks = JoinSet::new();
        let servers = [
            answering(receiver.clone(), &mut tasks).await,
            recovering(receiver.clone(), &mut tasks).await,
            extracting(receiver, &mut tasks).await,
        ];
        Self {
            servers,
            _tasks: tasks,
        }
    }

    pub(super) fn all(&self) -> &[Server] {
        &self.servers
    }
}

async fn listen(name: &'static str) -> (TcpListener, Server) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (
        listener,
        Server {
            name,
            address,
            seen: Seen::default(),
        },
    )
}

fn note(seen: &Seen, delivery: &Delivery) -> StatusCode {
    *seen.lock().unwrap() = Some(delivery.body.to_vec());
    StatusCode::NO_CONTENT
}

/// warp with the filter that answers by itself, even where the next route would match as well.
async fn answering(receiver: Receiver, tasks: &mut JoinSet<()>) -> Server {
    let (listener, server) = listen("warp, receive").await;
    let seen = server.seen.clone();
    let raw = verify::receive(receiver.clone(), move |delivery: Delivery| {
        let seen = seen.clone();
        async move { note(&seen, &delivery) }
    });
    let json = verify::receive(receiver, async |delivery: Delivery| {
        delivery.json::<Event>().map(|event| event.id)
    });
    let routes = warp::path!("raw")
        .and(raw)
        .or(warp::path!("json").and(json))
        .or(warp::any().map(|| StatusCode::IM_A_TEAPOT));
    tasks.spawn(async move { warp::serve(routes).incoming(listener).run().await });
    server
}

/// warp with the filters that reject, and a `recover`.
async fn recovering(receiver: Receiver, tasks: &mut JoinSet<()>) -> Server {
    let (listener, server) = listen("warp, recover").await;
    let seen = server.seen.clone();
    let raw = warp::path!("raw")
        .and(verify::delivery(receiver.clone()))
        .map(move |delivery: Delivery| note(&seen, &delivery));
    let json = warp::path!("json")
        .and(verify::json(receiver))
        .map(|event: Event| event.id);
    let routes = raw.recover(verify::answer).or(json.recover(verify::answer));
    tasks.spawn(async move { warp::serve(routes).incoming(listener).run().await });
    server
}

#[derive(Clone)]
struct Shared {
    receiver: Receiver,
    seen: Seen,
}

impl axum::extract::FromRef<Shared> for Receiver {
    fn from_ref(shared: &Shared) -> Self {
        shared.receiver.clone()
    }
}

/// axum with both extractors and a state of its own.
async fn extracting(receiver: Receiver, tasks: &mut JoinSet<()>) -> Server {
    async fn raw(State(shared): State<Shared>, delivery: Delivery) -> StatusCode {
        note(&shared.seen, &delivery)
    }
    async fn json(Signed(event): Signed<Event>) -> String {
        event.id
    }
    let (listener, server) = listen("axum").await;
    let routes = Router::new()
        .route("/raw", post(raw))
        .route("/json", post(json))
        .with_state(Shared {
            receiver,
            seen: server.seen.clone(),
        });
    tasks.spawn(async move { axum::serve(listener, routes).await.unwrap() });
    server
}
