//! A location to work at.

use std::sync::Arc;

use connect_core::{
    Access, Connect, NewAccount, NewLocation, RateLimits,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
    wire::{Id, Location, Timestamp, VatRate},
};
use connect_server::demo;

/// The demo's shop, a location of it, and its token. The clock stands still, so a window never ends.
pub(crate) async fn shop(rates: RateLimits) -> (Connect, Id<Location>, String) {
    let connect = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(ManualClock::at(
            Timestamp::EPOCH.plus_seconds(1_800_000_000),
        ))
        .ids(Arc::new(SequentialIds::default()))
        .limits(rates)
        .build();
    let shop = demo::open(&connect).await.unwrap();
    let token = shop.token.unwrap().expose().to_owned();
    (connect, shop.account.locations[0].id, token)
}

/// Makes a location, in an account of its own.
pub(crate) async fn make(connect: &Connect) -> Access {
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Here".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    at.unwrap()
}
