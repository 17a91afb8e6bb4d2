//! The SDK against the service. Everything between them is held against the document.
//!
//! The SDK's own tests hold what it does with any service. Here are its calls and its capabilities, one test
//! for each, against the real one.

mod calls;
mod following;
mod image_jobs;
mod retries;
mod testing;

use std::time::Duration;

use connect_client::{
    Client, RetryPolicy,
    wire::{Field, ProductInput},
};
use connect_tests::{shop::Shop, watch::Watch};

/// A client that sends again at once what may be sent again.
fn client(watch: &Watch, token: &str) -> Client {
    let at_once = RetryPolicy::default().backoff(Duration::ZERO, Duration::ZERO);
    let client = Client::builder(&watch.base_url, token).retry(at_once);
    client.build().unwrap()
}

async fn open() -> (Shop, Watch, Client) {
    over(Shop::open().await).await
}

/// A client of this shop, over a watch.
async fn over(shop: Shop) -> (Shop, Watch, Client) {
    let watch = Watch::over(&shop).await;
    let client = client(&watch, &shop.token);
    (shop, watch, client)
}

fn coded(code: &str, name: &str) -> ProductInput {
    ProductInput {
        external_id: Field::Value(code.to_owned()),
        ..ProductInput::named(name)
    }
}
