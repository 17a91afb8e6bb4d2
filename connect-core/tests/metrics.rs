//! The counts of what a core does.

use std::net::IpAddr;

use connect_core::{
    RateLimits,
    environment::Metrics,
    wire::{ProductInput, query::ProductQuery},
};

use crate::{faulty::Fate, shop::Shop};

/// Commits that were done, met a conflict, and failed.
fn commits(metrics: &Metrics) -> [u64; 3] {
    let Metrics {
        commits,
        conflicts,
        failed_commits,
        ..
    } = metrics;
    [commits.get(), conflicts.get(), failed_commits.get()]
}

#[tokio::test]
async fn commits_are_counted_by_how_they_end() {
    let shop = Shop::open().await;
    let metrics = shop.connect.metrics();
    let make = async |name: &str| shop.products().create(ProductInput::named(name)).await;
    let since = |before: [u64; 3]| {
        let now = commits(metrics);
        [0, 1, 2].map(|at| now[at] - before[at])
    };
    for (fates, ends) in [
        (&[Fate::Acknowledged][..], [1, 0, 0]),
        // It is looked up how a commit ended whose answer was lost.
        (&[Fate::AppliedWithoutAnswer], [1, 0, 0]),
        (&[Fate::Lost], [0, 0, 1]),
        (&[Fate::Refused], [0, 0, 1]),
    ] {
        let before = commits(metrics);
        shop.storage.decide(fates.iter().copied());
        let made = make(&format!("{fates:?}")).await;
        assert_eq!(made.is_ok(), ends[0] == 1, "{fates:?}");
        assert_eq!(since(before), ends, "{fates:?}");
    }
    let before = commits(metrics);
    shop.products()
        .list(&ProductQuery::default())
        .await
        .unwrap();
    shop.connect.check_ready().await.unwrap();
    assert_eq!(since(before), [0, 0, 0], "reads and probes commit nothing");
    shop.connect.maintain().await.unwrap();
    assert!(since(before)[0] >= 1, "maintenance does");
}

#[tokio::test]
async fn another_process_makes_conflicts() {
    let shop = Shop::open().await;
    let other = shop.beside();
    let before = commits(shop.connect.metrics());
    let (reached, release) = shop.storage.hold_next_read();
    let here = shop.products().create(ProductInput::named("Rye"));
    let there = async {
        reached.await.unwrap();
        let products = other.location(&shop.at).products();
        products.create(ProductInput::named("Spelt")).await.unwrap();
        release.send(()).unwrap();
    };
    let (made, ()) = tokio::join!(here, there);
    made.unwrap();
    let after = commits(shop.connect.metrics());
    let rise = [0, 1, 2].map(|at| after[at] - before[at]);
    assert_eq!(rise, [1, 1, 0]);
    assert_eq!(commits(other.metrics()), [1, 0, 0]);
}

#[tokio::test]
async fn reads_that_fail_are_counted() {
    let shop = Shop::open().await;
    let failed = || shop.connect.metrics().failed_reads.get();
    assert_eq!(failed(), 0);
    shop.storage.fail_reads(1);
    shop.products()
        .list(&ProductQuery::default())
        .await
        .unwrap_err();
    assert_eq!(failed(), 1);
}

#[tokio::test]
async fn refused_requests_are_counted_by_their_limit() {
    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    for (token, account) in [(1, 9), (9, 1)] {
        let shop = Shop::open().await;
        let issued = shop.connect.create_full_token(shop.account, "Sync").await;
        let secret = issued.unwrap().secret;
        let limits = RateLimits {
            token,
            account,
            address: 1,
            anonymous: 1,
        };
        let builder = shop.process();
        let connect = builder.limits(limits).build();
        for _ in 0..3 {
            // Only what is beyond a limit counts.
            let _ = connect.authenticate(HERE, Some(secret.expose())).await;
            let _ = connect.authenticate(HERE, Some("guess")).await;
            let _ = connect.count_anonymous(HERE);
        }
        for attempt in 0..12 {
            let signed_in = connect.sign_in(HERE, "owner@shop.example", "guess").await;
            assert!(signed_in.is_err(), "{attempt}");
        }
        let limited = &connect.metrics().limited;
        let of = |limit: u32| if limit == 1 { 2 } else { 0 };
        assert_eq!(limited.token.get(), of(token));
        assert_eq!(limited.account.get(), of(account));
        assert_eq!((limited.address.get(), limited.anonymous.get()), (2, 2));
        assert_eq!(limited.sign_in.get(), 2);
    }
}
