//! Limits that hold for several processes on one storage together.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Connect, Denied, Error, RateLimits, RateStatus,
    storage::{Range, Read, Storage as _},
};
use futures_util::future::join_all;
use proptest::{collection::vec, prelude::*};

use crate::shop::Shop;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

const LIMITS: RateLimits = RateLimits {
    token: 40,
    account: 100,
    address: 30,
    anonymous: 60,
};

/// The requests of a token, an account and an address that a process counts before it tells of them.
const STEPS: [usize; 3] = [4, 10, 10];

/// Processes on one storage.
struct Processes {
    all: Vec<Connect>,
    shop: Shop,
}

impl Processes {
    async fn open(count: usize) -> Self {
        Self::with(count, LIMITS).await
    }

    async fn with(count: usize, limits: RateLimits) -> Self {
        let shop = Shop::open().await;
        let process = |_| shop.process().limits(limits).share_limits().build();
        Self {
            all: (0..count).map(process).collect(),
            shop,
        }
    }

    async fn token(&self) -> String {
        let issued = self.all[0]
            .create_full_token(self.shop.account, "Sync")
            .await;
        issued.unwrap().secret.expose().to_owned()
    }

    /// Makes a request at one of the processes. Returns the figures if it was let in.
    async fn request(&self, process: usize, token: &str) -> Result<RateStatus, Denied> {
        let let_in = self.all[process].authenticate(HERE, Some(token)).await;
        let_in.map(|caller| caller.rate())
    }

    /// Makes requests at these processes, one after another. Returns how many were let in.
    async fn admitted(&self, processes: impl IntoIterator<Item = usize>, token: &str) -> usize {
        let mut admitted = 0;
        for process in processes {
            match self.request(process, token).await {
                Ok(_) => admitted += 1,
                Err(denied) => assert!(matches!(denied.error, Error::RateLimited(_))),
            }
        }
        admitted
    }

    async fn rows(&self) -> usize {
        let all = Read::Scan {
            range: Range {
                from: &[],
                to: None,
            },
            limit: 10_000,
            newest_first: false,
        };
        let mut state = self.shop.storage.read(&[all]).await.unwrap();
        state.entries().unwrap().len()
    }
}

#[tokio::test]
async fn a_limit_that_was_used_up_at_one_process_is_used_up_at_the_others() {
    let shop = Processes::open(3).await;
    let token = shop.token().await;
    assert_eq!(shop.admitted([0; 60], &token).await, 40);
    // Each other process finds out with the first step that it tells.
    assert_eq!(shop.admitted([1; 60], &token).await, STEPS[0]);
    assert_eq!(shop.admitted([2; 60], &token).await, STEPS[0]);
    let denied = shop.request(2, &token).await.unwrap_err();
    assert_eq!((denied.rate.limit, denied.rate.remaining), (40, 0));
    assert!(denied.retry_after.is_some());
    // Another token of the account is not at its end.
    assert!(shop.request(2, &shop.token().await).await.is_ok());
    shop.shop.clock.advance(60);
    assert_eq!(shop.admitted([1; 60], &token).await, 40);
}

#[tokio::test]
async fn three_processes_let_a_twentieth_more_through_than_a_large_limit() {
    let limits = RateLimits {
        token: 10_000,
        account: 600,
        ..LIMITS
    };
    for spread in [
        // One after another, each to its end: the most that can be had.
        [0, 1, 2].map(|process| [process; 700]).concat(),
        (0..2100).map(|number| number % 3).collect(),
        (0..2100)
            .map(|number| [0, 0, 0, 0, 1, 2][number % 6])
            .collect(),
        (0..2100).map(|number| number / 50 % 3).collect(),
    ] {
        let shop = Processes::with(3, limits).await;
        let token = shop.token().await;
        let trips = shop.shop.storage.trips();
        let admitted = shop.admitted(spread, &token).await;
        assert!((600..=630).contains(&admitted), "{admitted}");
        // A request reads its token; the exchanges are a commit and a read for each 15 requests.
        let exchanges = shop.shop.storage.trips() - trips - 2100;
        assert!(exchanges <= 2 * 630 / 15 + 2 * 3, "{exchanges}");
    }
}

#[tokio::test]
async fn what_is_left_is_told_of_all_processes() {
    let shop = Processes::open(2).await;
    let token = shop.token().await;
    assert_eq!(shop.admitted([0; 9], &token).await, 9);
    assert_eq!(shop.admitted([1; 4], &token).await, 4);
    // The fifth one there is counted after the others were asked, who had told of eight.
    let rate = shop.request(1, &token).await.unwrap();
    assert_eq!(rate.remaining, 40 - 8 - 5);
}

#[tokio::test]
async fn an_account_has_its_limit_whichever_of_its_tokens_is_used_where() {
    let shop = Processes::open(3).await;
    let mut admitted = 0;
    for _ in 0..5 {
        let token = shop.token().await;
        admitted += shop.admitted((0..60).map(|n| n % 3), &token).await;
    }
    assert!((100..=100 + 2 * STEPS[1]).contains(&admitted), "{admitted}");
}

#[tokio::test]
async fn an_address_cannot_guess_at_one_process_after_another() {
    let shop = Processes::open(3).await;
    let mut guesses = 0;
    for process in 0..3 {
        for _ in 0..60 {
            let denied = shop.request(process, "guess").await.unwrap_err();
            guesses += usize::from(matches!(denied.error, Error::Unauthorized(_)));
        }
    }
    assert_eq!(guesses, 30 + 2 * STEPS[2]);
    // A valid token is let in all the same.
    assert!(shop.request(2, &shop.token().await).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_at_once_do_not_pass_by_the_limit() {
    let shop = Arc::new(Processes::open(3).await);
    let token = shop.token().await;
    let requests = (0..300).map(|number| {
        let (shop, token) = (shop.clone(), token.clone());
        tokio::spawn(async move { shop.request(number % 3, &token).await.is_ok() })
    });
    let admitted = join_all(requests).await;
    let admitted = admitted.into_iter().filter(|one| *one.as_ref().unwrap());
    let admitted = admitted.count();
    assert!((40..=40 + 2 * STEPS[0]).contains(&admitted), "{admitted}");
}

#[tokio::test]
async fn a_slow_caller_costs_the_store_nothing() {
    let shop = Processes::with(2, LIMITS).await;
    let token = shop.token().await;
    let (rows, trips) = (shop.rows().await, shop.shop.storage.trips());
    assert_eq!(shop.admitted([0, 0, 0, 0, 1, 1, 1, 1], &token).await, 8);
    assert_eq!(shop.shop.storage.trips() - trips, 8);
    assert_eq!(shop.rows().await, rows);
}

#[tokio::test]
async fn the_counts_of_windows_that_are_over_are_removed() {
    let shop = Processes::open(2).await;
    let token = shop.token().await;
    // Tells when the token was last used, and that there was a round.
    shop.admitted([0], &token).await;
    for process in &shop.all {
        process.maintain().await.unwrap();
    }
    let before = shop.rows().await;
    assert_eq!(shop.admitted([0, 1].repeat(20), &token).await, 40);
    assert_eq!(shop.rows().await, before + 4);
    // The clock of another server may be in that window still.
    shop.shop.clock.advance(120);
    shop.all[0].maintain().await.unwrap();
    assert_eq!(shop.rows().await, before + 4);
    shop.shop.clock.advance(60);
    let done = shop.all[0].maintain().await.unwrap();
    assert_eq!((shop.rows().await, done.failed), (before, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However the requests are spread, neither is a caller cut short nor does it have much more.
    #[test]
    fn the_overshoot_is_a_step_of_each_process_but_one(
        processes in 1_usize..=4,
        order in vec(any::<prop::sample::Index>(), 0..400),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let shop = Processes::open(processes).await;
            let token = shop.token().await;
            let sent = order.len();
            let order = order.iter().map(|at| at.index(processes));
            let admitted = shop.admitted(order, &token).await;
            let most = 40 + (processes - 1) * STEPS[0];
            prop_assert!(admitted >= sent.min(40) && admitted <= most, "{admitted} of {sent}");
            Ok(())
        })?;
    }
}
