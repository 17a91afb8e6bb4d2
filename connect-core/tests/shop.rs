//! An empty shop in memory, with a clock that stands still.

use std::sync::Arc;

use connect_core::{
    Access, Connect, NewAccount, NewLocation, RateLimits,
    environment::{Environment, ManualClock},
    storage::memory::MemoryStorage,
    wire::{Timestamp, VatRate},
};

pub(crate) async fn open() -> (Connect, Access) {
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let connect = Connect::new(
        Arc::new(MemoryStorage::new()),
        Environment::manual(clock),
        RateLimits::default(),
    );
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
    let at = connect
        .enter_as_owner(account, location, account)
        .await
        .unwrap();
    (connect, at)
}
