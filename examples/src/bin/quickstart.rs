//! The SDK in a few lines, as the README shows them.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;

use connect_client::{
    Client,
    wire::{Field, ProductInput, query::ProductQuery},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder(env::var("CONNECT_URL")?, env::var("CONNECT_TOKEN")?).build()?;
    let locations = client.locations().await?;
    let products = client
        .location(locations.first().ok_or("no location")?.id)
        .products();
    let mut soup = ProductInput::named("Tomato soup");
    soup.external_id = Field::Value("SOUP-1".into());
    let done = products.upsert_all([soup]).run().await?;
    println!("{} created, {} unchanged", done.created, done.unchanged);
    let mut list = products.stream(&ProductQuery::default());
    while let Some(product) = list.next().await.transpose()? {
        println!("{:>8} {}", product.price_cents, product.name);
    }
    Ok(())
}
