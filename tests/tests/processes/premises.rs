//! The business whose servers they are, set up in the database beside them.

use std::{sync::Arc, time::Duration};

use connect_core::{
    Account, Connect, NewWebhook, ScreenType,
    environment::{Clock as _, KeyRing, ManualClock, SystemClock},
    storage::postgres::{PostgresOptions, PostgresStorage},
    wire::{EventType, Id, Location},
};
use connect_server::{networks::Networks, outbound::AddressGuard, webhooks::PublicWebhooks};
use connect_tests::{process::SECRETS_KEY, shop::setup};

use super::fleet::SERVERS;

/// An account with a location, where there is a register for each server.
pub(super) struct Premises {
    connect: Connect,
    account: Id<Account>,
    pub(super) here: Id<Location>,
    /// A token that may do everything.
    pub(super) token: String,
    /// The keys of the registers.
    pub(super) registers: Vec<String>,
}

impl Premises {
    /// Sets the business up.
    pub(super) async fn set_up(storage: &str) -> Self {
        let guard = AddressGuard::allowing(Networks::loopback());
        let connect = Connect::builder(open(storage).await)
            .webhook_links(Arc::new(PublicWebhooks::new(guard)))
            .build();
        let account = setup::account(&connect).await;
        let here = setup::location(&connect, account, "Harbour").await;
        let mut registers = Vec::new();
        for number in 0..SERVERS {
            let name = format!("Till {number}");
            let till = setup::screen(&connect, account, here, ScreenType::Pos, &name).await;
            registers.push(till.1);
        }
        let token = setup::full_token(&connect, account, "Everything").await;
        Self {
            connect,
            account,
            here,
            token,
            registers,
        }
    }

    /// Makes a webhook to this address.
    pub(super) async fn add_webhook(&self, url: String) {
        let webhook = NewWebhook {
            url,
            events: vec![
                EventType::ProductChanged,
                EventType::ProductsChanged,
                EventType::TransactionCreated,
            ],
            location_ids: Vec::new(),
        };
        let made = self.connect.create_webhook(self.account, webhook).await;
        made.unwrap();
    }

    /// A path at the location.
    pub(super) fn at(&self, path: &str) -> String {
        format!("/v1/locations/{}/{path}", self.here)
    }
}

async fn open(storage: &str) -> Arc<PostgresStorage> {
    let options = PostgresOptions {
        readers: 4,
        writers: 4,
        ..PostgresOptions::default()
    };
    Arc::new(PostgresStorage::open(storage, options).await.unwrap())
}

/// One more server, whose clock is ahead by so much: to it, leases of the others have run out.
pub(super) async fn ahead(storage: &str, by: Duration) -> Connect {
    let seconds = i64::try_from(by.as_secs()).unwrap();
    let clock = ManualClock::at(SystemClock.now().plus_seconds(seconds));
    let keys = KeyRing::new(vec![SECRETS_KEY.1.parse().unwrap()]);
    let builder = Connect::builder(open(storage).await).clock(clock);
    builder.secret_keys(Arc::new(keys)).build()
}
