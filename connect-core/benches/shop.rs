//! A shop of any size to measure with.

use std::sync::Arc;

use connect_core::{
    Access, Connect, NewAccount, NewLocation, NewScreen, RateLimits, Request, ScreenType,
    environment::Environment, storage::Storage, wire::VatRate,
};
use uuid::Uuid;

/// A core with one account and so many locations.
pub struct Shop {
    pub connect: Connect,
    #[allow(dead_code, reason = "not every benchmark needs it")]
    pub account: Uuid,
    pub locations: Vec<Access>,
}

/// Sets up a shop on `storage`.
pub async fn open(storage: Arc<dyn Storage>, locations: usize) -> Shop {
    let limits = RateLimits {
        token: u32::MAX,
        account: u32::MAX,
        address: u32::MAX,
    };
    let connect = Connect::new(storage, Environment::system(), limits);
    let account = connect
        .create_account(NewAccount {
            name: "Bench".into(),
            owner_email: "bench@example.com".into(),
            sandbox: true,
        })
        .await
        .unwrap()
        .id;
    let mut access = Vec::new();
    for index in 0..locations {
        let location = connect
            .create_location(
                account,
                NewLocation {
                    name: format!("Location {index}"),
                    currency: "EUR".into(),
                    default_vat_rate: VatRate::percent(21),
                },
            )
            .await
            .unwrap();
        let screen = NewScreen {
            location_id: location.id,
            kind: ScreenType::Pos,
            name: "Till".into(),
        };
        connect.create_screen(account, screen).await.unwrap();
        access.push(
            connect
                .enter_as_owner(account, location.id, account)
                .await
                .unwrap(),
        );
    }
    // An access shows the account as it was; all of them are to see all locations.
    let mut all = Vec::new();
    for at in &access {
        all.push(
            connect
                .enter_as_owner(account, at.location().id, account)
                .await
                .unwrap(),
        );
    }
    Shop {
        connect,
        account,
        locations: all,
    }
}

/// The JSON of a product to write; stored it has about 475 bytes.
pub fn product(number: usize, price: usize) -> String {
    format!(
        r#"{{"externalId":"ART-{number:08}","name":"Product number {number}","description":"Baked fresh","priceCents":{},"vatRate":9,"barcode":"29{number:011}","categoryName":"Category {}","isActive":true}}"#,
        price % 100_000,
        number % 50,
    )
}

/// The body of a batch of the products `numbers`.
pub fn batch(numbers: impl Iterator<Item = usize>, price: usize) -> Vec<u8> {
    let items: Vec<String> = numbers.map(|number| product(number, price)).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(",")).into_bytes()
}

/// Fills a location with `count` products, in batches of 500.
pub async fn fill(connect: &Connect, at: &Access, count: usize) {
    for start in (0..count).step_by(500) {
        let body = batch(start..(start + 500).min(count), 100);
        connect
            .write_products(at, Request::json(body))
            .await
            .unwrap();
    }
}
