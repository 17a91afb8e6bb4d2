//! The API beside routes of your own, in one warp server.
//!
//! `cargo run --example own_routes`

use std::{net::SocketAddr, sync::Arc};

use connect_core::{Connect, storage::memory::MemoryStorage};
use warp::{Filter, Rejection, Reply};

/// The API below `/v1`, and a page for people.
pub(crate) fn site(
    connect: Connect,
) -> impl Filter<Extract = (impl Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let hours = warp::path!("hours").map(|| "Open every day from 8 to 18.");
    connect_server::api(connect).or(hours)
}

#[tokio::main]
async fn main() {
    let storage = Arc::new(MemoryStorage::new());
    let connect = Connect::builder(storage).build();
    let address = SocketAddr::from(([127, 0, 0, 1], 8090));
    tracing_subscriber::fmt().init();
    tracing::info!("http://{address}/hours and http://{address}/v1/openapi.json");
    warp::serve(site(connect)).run(address).await;
}
