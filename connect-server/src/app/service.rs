//! The app behind the network layer: lets a request through the gate, hands it to the routes, and
//! puts the headers on the answer that every answer has.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use connect_core::{Connect, Failure, FailureKind, storage::disk::Health, wire::read::Invalid};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Empty};
use tower_service::Service as _;
use warp::filters::BoxedFilter;

use super::gate;
use crate::{
    endpoint::{Reply, add_rate},
    net::{App, Body, NetFailure, Peer},
    routes,
};

/// Which of the server's two listeners a request came in by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The API for integrators.
    Api,
    /// The owner's, on loopback: nothing there needs a token.
    Owner,
}

/// Connect as an [`App`].
pub struct ConnectApp {
    connect: Connect,
    open: BoxedFilter<(Reply,)>,
    door: Door,
}

impl ConnectApp {
    /// The app of one listener, on a store of which nothing is known but its answers.
    pub fn new(connect: Connect, door: Door) -> Self {
        Self::with_health(connect, door, || Health::Working)
    }

    /// The same on a store that tells its condition: the probes ask for it.
    pub fn with_health(
        connect: Connect,
        door: Door,
        health: impl Fn() -> Health + Send + Sync + 'static,
    ) -> Self {
        Self {
            open: routes::open_filters(connect.clone(), Arc::new(health)),
            connect,
            door,
        }
    }

    /// A request to the API: through the gate, then to its handler.
    async fn api(&self, request: Request<Body>, address: IpAddr) -> Response<Bytes> {
        let authorization = gate::authorization(request.headers());
        let caller = match self.connect.admit(address, authorization).await {
            Ok(caller) => caller,
            Err(turned) => {
                let reply = Reply::from(turned.failure).retry_after(turned.retry_after);
                return reply.into_response(turned.rate);
            }
        };
        let rate = caller.rate();
        match gate::pass(&self.connect, caller, request).await {
            Ok((passed, route)) => route.answer(passed).await.unwrap_or_else(Reply::from),
            Err(reply) => reply,
        }
        .into_response(rate)
    }

    /// A request that needs no token.
    async fn open(&self, request: Request<Body>, address: IpAddr) -> Response<Bytes> {
        let rate = self.connect.anonymous_rate(address);
        let request = request.map(|_| Empty::<Bytes>::new());
        let Ok(response) = warp::service(self.open.clone()).call(request).await;
        let (head, body) = response.into_parts();
        // The body is in memory already: this waits for nothing, and copies nothing.
        let body = body
            .collect()
            .await
            .map(|body| body.to_bytes())
            .unwrap_or_default();
        let mut response = Response::from_parts(head, body);
        add_rate(response.headers_mut(), rate);
        response
    }
}

impl App for ConnectApp {
    async fn call(&self, request: Request<Body>, peer: Peer) -> Response<Bytes> {
        let id = request.headers().get("x-request-id").cloned();
        let method = request.method().clone();
        let path = request.uri().path();
        let response = if self.door == Door::Api && routes::needs_token(path) {
            self.api(request, peer.address).await
        } else {
            self.open(request, peer.address).await
        };
        if response.status().is_server_error() {
            // Behind the line with the reason: by this id the client's report finds it.
            tracing::error!(request_id = ?id, %method, status = %response.status(), "answered");
        }
        response
    }

    fn failure(&self, failure: NetFailure, peer: &Peer) -> Response<Bytes> {
        let kind = match failure {
            NetFailure::Panicked => FailureKind::Server,
            _ => FailureKind::Malformed,
        };
        let failed = Failure::new(kind, Invalid::new("request", failure.message()).to_string());
        Reply::from(failed)
            .with_status(failure.status())
            .into_response(self.connect.anonymous_rate(peer.address))
    }
}
