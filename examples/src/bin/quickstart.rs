//! The SDK in a few lines, as shown in docs/getting-started.md.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use connect_client::{
    Client,
    wire::{ProductInput, query::ProductQuery},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?; // CONNECT_URL and CONNECT_TOKEN
    let locations = client.locations().await?;
    let products = client
        .location(locations.first().ok_or("no location")?.id)
        .products();
    let soup = ProductInput::named("Tomato soup")
        .external_id("SOUP-1")
        .price_cents(345);
    let done = products.upsert_all([soup]).run().await?;
    println!("{} created, {} unchanged", done.created, done.unchanged);
    let mut list = products.stream(&ProductQuery::default());
    while let Some(product) = list.next().await.transpose()? {
        println!("{:>8} {}", product.price_cents, product.name);
    }
    Ok(())
}
