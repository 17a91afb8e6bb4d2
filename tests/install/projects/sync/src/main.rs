//! Writes a price list to a shop, and reads what changed there since the last run.

use std::{error::Error, fs};

use connect_client::{
    Client,
    wire::{Entry, ProductInput},
};

/// The file with the start time of the next read.
const SINCE: &str = "since";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?; // CONNECT_URL and CONNECT_TOKEN
    let locations = client.locations().await?;
    let first = locations.first().ok_or("there is no location")?;
    let products = client.location(first.id).products();

    let prices = [("TEA-1", "Tea", 250), ("CAKE-1", "Cake", 375)];
    let prices = prices
        .map(|(id, name, cents)| ProductInput::named(name).external_id(id).price_cents(cents));
    let done = products.upsert_all(prices).run().await?;
    println!("{} created, {} unchanged", done.created, done.unchanged);

    let since = fs::read_to_string(SINCE).ok();
    let since = since.map(|time| time.parse()).transpose()?;
    let (changes, next) = products.changes_since(since).all().await?;
    for change in changes {
        match change {
            Entry::Live(product) => {
                println!("{} costs {} cents", product.name, product.price_cents)
            }
            Entry::Deleted(tombstone) => println!("{} is deleted", tombstone.id),
        }
    }
    if let Some(next) = next {
        fs::write(SINCE, next.to_string())?;
    }
    Ok(())
}
