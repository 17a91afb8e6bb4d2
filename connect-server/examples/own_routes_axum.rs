//! The API beside routes of your own, in an axum server.
//!
//! `cargo run --example own_routes_axum`

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{ConnectInfo, Request},
    middleware::{Next, from_fn},
    response::Response,
    routing::get,
};
use connect_core::{Connect, storage::memory::MemoryStorage};
use connect_server::{ApiService, net::Peer};
use tokio::net::TcpListener;

/// The API below `/v1`, and a page for people.
pub(crate) fn site(connect: Connect) -> Router {
    Router::new()
        .route("/hours", get(|| async { "Open every day from 8 to 18." }))
        .route_service("/v1/{*path}", ApiService::new(connect))
        .layer(from_fn(name_peer))
}

/// Passes the address of each caller to the API.
/// Callers with a wrong token are then limited one by one.
async fn name_peer(
    ConnectInfo(remote): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = remote.ip().to_canonical();
    let peer = Peer {
        address,
        tls: false,
    };
    request.extensions_mut().insert(peer);
    next.run(request).await
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let storage = Arc::new(MemoryStorage::new());
    let connect = Connect::builder(storage).build();
    let listener = TcpListener::bind("127.0.0.1:8090").await?;
    tracing_subscriber::fmt().init();
    tracing::info!("http://127.0.0.1:8090/hours and http://127.0.0.1:8090/v1/docs");
    let site = site(connect).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, site).await
}
