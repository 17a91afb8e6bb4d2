//! The demo's shop.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Connect, NewAccount, Secret,
    environment::{ManualClock, SequentialIds},
    storage::memory::MemoryStorage,
    wire::{Product, Timestamp, query::ProductQuery},
};
use connect_server::demo;

fn connect() -> (Connect, Arc<ManualClock>) {
    let clock = ManualClock::at(Timestamp::EPOCH.plus_seconds(1_800_000_000));
    let connect = Connect::builder(Arc::new(MemoryStorage::new()))
        .clock(clock.clone())
        .ids(Arc::new(SequentialIds::default()))
        .build();
    (connect, clock)
}

async fn on_sale(connect: &Connect, shop: &demo::Shop) -> Vec<usize> {
    let mut counts = Vec::new();
    for location in &shop.account.locations {
        let id = shop.account.id;
        let at = connect.authorize_owner(id, location.id, id).await.unwrap();
        let page = connect
            .location(&at)
            .json::<Product>()
            .list(&ProductQuery::default())
            .await;
        counts.push(page.unwrap().decode().unwrap().data.len());
    }
    counts
}

/// A first start that was killed after any of its commits is completed by the next: it once left
/// a directory with which no start succeeded any more.
#[tokio::test]
async fn a_start_that_was_cut_short_is_completed() {
    let (connect, _) = connect();
    let account = NewAccount {
        name: "De Korenbloem".into(),
        owner_email: "owner@korenbloem.example".into(),
        sandbox: true,
    };
    let id = connect.create_account(account).await.unwrap().id;
    let shop = demo::open(&connect).await.unwrap();
    assert_eq!(shop.account.id, id);
    assert_eq!(shop.account.screens.len(), 4);
    assert_eq!(shop.screens.len(), 4);
    let on_sale = on_sale(&connect, &shop).await;
    assert!(on_sale.len() == 2 && on_sale[0] > 30 && on_sale[0] == on_sale[1]);
}

#[tokio::test]
async fn started_again_it_finds_everything_and_leaves_its_tokens() {
    let (connect, clock) = connect();
    let first = demo::open(&connect).await.unwrap();
    let before = on_sale(&connect, &first).await;
    let own = connect.create_full_token(first.account.id, "Mine").await;
    let own = own.unwrap().secret;
    let second = demo::open(&connect).await.unwrap();
    assert_eq!(second.account, first.account);
    assert_eq!(on_sale(&connect, &second).await, before);
    let is_let_in = async |token: &Secret| {
        let address = IpAddr::from([127, 0, 0, 1]);
        let caller = connect.authenticate(address, Some(token.expose())).await;
        caller.is_ok()
    };
    let [first, second] = [first, second].map(|shop| shop.token.unwrap());
    assert!(is_let_in(&second).await && is_let_in(&first).await);
    // An account has room for so many. The first that nobody has ever used makes place: once it was one that had
    // been used before the others were made.
    let mut others = Vec::new();
    for _ in 2..=100 {
        clock.advance(60);
        others.push(demo::open(&connect).await.unwrap());
    }
    let good = connect.tokens(others[0].account.id).await.unwrap();
    let good = good.iter().filter(|(token, _)| !connect.has_ended(token));
    assert_eq!(good.count(), 100 + 1);
    assert!(is_let_in(&first).await && is_let_in(&own).await && is_let_in(&second).await);
    let mut others = others.into_iter().map(|shop| shop.token.unwrap());
    assert!(!is_let_in(&others.next().unwrap()).await);
    // Of those in use it is the one that was used longest ago.
    for token in others {
        clock.advance(60);
        assert!(is_let_in(&token).await);
    }
    assert!(is_let_in(&first).await);
    demo::open(&connect).await.unwrap();
    assert!(is_let_in(&first).await && !is_let_in(&second).await);
}
