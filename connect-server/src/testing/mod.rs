//! A real shop in a test.
//! The whole service runs in this process, in memory, on a port of its own, with faults to order. It
//! needs the feature `testing`, for the dev-dependencies of an integration.
//!
//! ```sh
//! cargo add --dev connect-server --path ../connect/connect-server --features testing
//! cargo add --dev tokio --features macros,rt
//! ```
//!
//! `docs/testing.md` is the guide.

mod connections;
mod faults;
mod serve;

use std::sync::Arc;

pub use connect_core::ScreenType;
use connect_core::{
    Account, Connect, NewAccount, NewLocation, NewScreen, RateLimits,
    storage::memory::MemoryStorage,
    wire::{Id, Location, VatRate},
};
use futures_util::FutureExt as _;
use tokio::{net::TcpListener, task::JoinHandle};

use self::faults::Faults;

/// Rate limits out of reach of any test.
const PLENTY: u32 = 1_000_000;

/// A shop with one empty location, and its service.
/// Both end when it is dropped.
///
/// Each method panics when the shop cannot do as told: the test has failed then.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use connect_server::testing::TestShop;
///
/// let shop = TestShop::start().await;
/// shop.fail_next(429);
/// // A client of shop.url() with shop.token() is refused once, and comes through then.
/// assert!(shop.requests().is_empty());
/// # }
/// ```
pub struct TestShop {
    base: String,
    token: String,
    account: Id<Account>,
    location: Id<Location>,
    connect: Connect,
    faults: Arc<Faults>,
    accepting: JoinHandle<()>,
}

impl TestShop {
    /// Starts a shop. It runs on the tokio runtime of the test.
    ///
    /// # Panics
    /// No port is free.
    pub async fn start() -> Self {
        let limits = RateLimits {
            token: PLENTY,
            account: PLENTY,
            address: PLENTY,
            anonymous: PLENTY,
        };
        let storage = Arc::new(MemoryStorage::new());
        let connect = Connect::builder(storage).limits(limits).build();
        let account = NewAccount {
            name: "Test".to_owned(),
            owner_email: "owner@test.example".to_owned(),
            sandbox: true,
        };
        let account = connect
            .create_account(account)
            .await
            .expect("an account")
            .id;
        let location = NewLocation {
            name: "Test shop".to_owned(),
            currency: "EUR".to_owned(),
            default_vat_rate: VatRate::percent(9),
        };
        let location = connect.create_location(account, location).await;
        let location = location.expect("a location").id;
        // The API requires an account with a screen.
        screen_key(&connect, account, location, ScreenType::Pos).await;
        let token = connect.create_full_token(account, "Test").await;
        let token = token.expect("a token").secret.expose().to_owned();

        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("the address of a listener");
        let faults = Arc::new(Faults::default());
        let accepting = serve::accept(listener, connect.clone(), faults.clone());
        Self {
            base: format!("http://{address}"),
            token,
            account,
            location,
            connect,
            faults,
            accepting: tokio::spawn(accepting),
        }
    }

    /// The base address of the API, for `Client::builder`.
    pub fn url(&self) -> String {
        format!("{}/v1", self.base)
    }

    /// A token with all permissions.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The location.
    pub fn location(&self) -> Id<Location> {
        self.location
    }

    /// The base address for registers, kiosks and Scan & Order, for `DeviceClient::builder`.
    pub fn device_url(&self) -> &str {
        &self.base
    }

    /// The key of a new screen of this kind.
    ///
    /// # Panics
    /// Never.
    pub async fn screen_key(&self, kind: ScreenType) -> String {
        screen_key(&self.connect, self.account, self.location, kind).await
    }

    /// The core behind the API, for the work of an owner.
    pub fn connect(&self) -> &Connect {
        &self.connect
    }

    /// Refuses the next request with this status, without looking at it.
    /// 429 asks to wait for 0 seconds. Ordered faults happen in their order, one for each request.
    ///
    /// # Panics
    /// The status is not one of an error: 400 to 599.
    pub fn fail_next(&self, status: u16) {
        self.faults.fail(status);
    }

    /// Delays the next request by `wait` before the service looks at it.
    pub fn delay_next(&self, wait: std::time::Duration) {
        self.faults.delay(wait);
    }

    /// Cuts the next request's connection before the service looks at it.
    /// Nothing is written.
    pub fn cut_next(&self) {
        self.faults.cut();
    }

    /// Cuts the next request's connection in place of the answer.
    /// Its writes are kept.
    pub fn lose_next_answer(&self) {
        self.faults.lose_answer();
    }

    /// Returns the requests so far, as `POST /v1/locations/...`. Refused requests are included.
    pub fn requests(&self) -> Vec<String> {
        self.faults.requests()
    }
}

impl Drop for TestShop {
    /// # Panics
    /// The service has panicked. The test could pass all the same, and must not.
    fn drop(&mut self) {
        self.accepting.abort();
        let ended = (&mut self.accepting).now_or_never();
        let has_panicked = matches!(ended, Some(Err(error)) if error.is_panic());
        assert!(
            !has_panicked || std::thread::panicking(),
            "the service of the test's shop has panicked"
        );
    }
}

async fn screen_key(
    connect: &Connect,
    account: Id<Account>,
    location_id: Id<Location>,
    kind: ScreenType,
) -> String {
    let new = NewScreen {
        location_id,
        kind,
        name: "Test".to_owned(),
    };
    let screen = connect.create_screen(account, new).await.expect("a screen");
    let key = connect.roll_screen_key(account, screen.id).await;
    key.expect("a key").expose().to_owned()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[tokio::test]
    async fn a_shop_whose_service_panicked_fails_the_test() {
        drop(TestShop::start().await);

        let mut shop = TestShop::start().await;
        shop.accepting.abort();
        shop.accepting = tokio::spawn(async { panic!("as the test ordered") });
        while !shop.accepting.is_finished() {
            tokio::task::yield_now().await;
        }
        assert!(catch_unwind(AssertUnwindSafe(|| drop(shop))).is_err());
    }
}
