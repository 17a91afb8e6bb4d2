//! Attempts to sign in: how many there may be, and the hashing that they cost.

use std::{hash::Hash, net::IpAddr, sync::Arc};

use parking_lot::Mutex;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{
    error::{Error, Reason},
    record::{Fault, PasswordHash, Store},
    rules::{
        password,
        rate::{self, Moment, Windows},
    },
};

/// The attempts in a minute for each e-mail address.
const OF_EMAIL: u32 = 10;

/// The attempts in a minute from each address of the network.
const FROM_ADDRESS: u32 = 30;

/// The passwords that are hashed at once. Each takes 19 MiB of memory.
const AT_ONCE: usize = 2;

/// The attempts of the minute under way, and the places where passwords are hashed.
pub(crate) struct SignIns {
    store: Arc<Store>,
    emails: Mutex<Windows<String>>,
    addresses: Mutex<Windows<IpAddr>>,
    places: Arc<Semaphore>,
}

impl SignIns {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            emails: Mutex::default(),
            addresses: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Counts an attempt to sign in with an e-mail address, which is folded, before anything is
    /// hashed for it. One that succeeds counts too.
    ///
    /// # Errors
    /// [`Error::RateLimited`].
    pub(crate) fn count(&self, from: IpAddr, email: &str) -> Result<(), Error> {
        let at = Moment {
            now: self.store.now(),
            elapsed: self.store.elapsed(),
        };
        let address = rate::counted_address(from);
        let counted = count(&self.addresses, address, FROM_ADDRESS, at)
            .and_then(|()| count(&self.emails, email.to_owned(), OF_EMAIL, at));
        counted.inspect_err(|_| self.store.figures().limited.sign_in.increase())
    }

    /// Hashes a password.
    pub(crate) async fn hash(&self, password: String) -> Result<PasswordHash, Fault> {
        let randomness = self.store.environment().randomness.clone();
        self.run(move || password::hash(&password, &*randomness))
            .await?
    }

    /// Returns whether a password is the one that was hashed. `None` stands for a hash that nobody
    /// has, which takes as long.
    pub(crate) async fn is_hash_of(
        &self,
        hash: Option<PasswordHash>,
        password: String,
    ) -> Result<bool, Fault> {
        self.run(move || {
            let hash = hash.unwrap_or_else(password::of_nobody);
            password::is_hash_of(&hash, &password)
        })
        .await
    }

    /// Runs one of few jobs off the threads that answer requests.
    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        // Nobody closes it.
        let place = self.places.clone().acquire_owned().await;
        // The place goes with the job, which runs on when the caller has gone.
        let job = move || {
            let _place = place;
            job()
        };
        spawn_blocking(job).await.map_err(|_| Fault::Panicked)
    }
}

fn count<K: Eq + Hash>(
    windows: &Mutex<Windows<K>>,
    caller: K,
    limit: u32,
    at: Moment,
) -> Result<(), Error> {
    let mut windows = windows.lock();
    let status = windows.status(&caller, limit, at);
    if status.remaining == 0 {
        let wait = rate::retry_after(status.reset, at.now);
        let problem = format!("too many attempts to sign in; wait {wait} seconds");
        return Err(Error::RateLimited(Reason::new(problem)));
    }
    windows.count(caller, at);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use tokio::time::timeout;

    use super::*;
    use crate::{
        environment::{Environment, ManualClock},
        storage::memory::MemoryStorage,
        wire::Timestamp,
    };

    /// A caller who hung up once gave the place free, while the hash went on.
    #[tokio::test]
    async fn a_place_is_taken_until_its_job_is_done() {
        let storage = Arc::new(MemoryStorage::new());
        let store = Arc::new(Store::new(storage, Environment::default()));
        let sign_ins = SignIns::new(store);
        let (done, is_done) = mpsc::channel::<()>();
        let job = sign_ins.run(move || is_done.recv().is_ok());
        timeout(Duration::from_millis(50), job).await.unwrap_err();
        assert_eq!(sign_ins.places.available_permits(), AT_ONCE - 1);
        done.send(()).unwrap();
        let all = u32::try_from(AT_ONCE).unwrap();
        let _all = sign_ins.places.acquire_many(all).await.unwrap();
    }

    #[tokio::test]
    async fn attempts_are_counted_by_address_and_by_e_mail() {
        let storage = Arc::new(MemoryStorage::new());
        let environment = Environment {
            clock: ManualClock::at(Timestamp::EPOCH),
            ..Environment::default()
        };
        let sign_ins = SignIns::new(Arc::new(Store::new(storage, environment)));
        let from = |last| IpAddr::from([192, 0, 2, last]);
        let is_refused = |from, email: &str| {
            let counted = sign_ins.count(from, email);
            matches!(counted, Err(Error::RateLimited(_)))
        };
        for _ in 0..OF_EMAIL {
            assert!(!is_refused(from(1), "a"));
        }
        assert!(is_refused(from(1), "a") && is_refused(from(2), "a"));
        // Those that were refused count for the address too.
        for number in OF_EMAIL + 1..FROM_ADDRESS {
            assert!(!is_refused(from(1), &number.to_string()), "{number}");
        }
        assert!(is_refused(from(1), "b") && !is_refused(from(2), "b"));
    }
}
