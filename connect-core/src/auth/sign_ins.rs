//! Attempts to sign in: the limits of failures, and the cost of hashing.
//!
//! Anyone with an owner's e-mail address can cause failed attempts for it. So no count filled from a few
//! networks may lock an owner out, and still password guessing must be limited:
//!
//! - **A network address and an e-mail address together** have 10 failures a minute. This stops a guesser,
//!   and no caller from another network.
//! - **A network address** has 30 attempts a minute over all e-mail addresses, including successful ones:
//!   each costs a hash. This stops a caller trying one password on many owners.
//! - **An e-mail address** has 100 failures a minute from all networks together. Beyond that, each network
//!   address has one failure a minute for it, in place of ten. Guessing from many networks becomes slow,
//!   and the first attempt of every network address is still made. This limit refuses no caller by itself:
//!   a refusing limit over all networks could be used up by anyone, in the name of any owner.
//! - **The slots for hashing passwords**, and for judging new ones, are few. A hundred callers wait for one;
//!   further ones are told to retry later. Owners with a session or an invitation have a slot of their own.
//! - **A signed-in owner** confirming the password has a count of the account's own. Only holders of a
//!   session or an invitation can fill it. So an owner with a session can change the password even during
//!   an attack. Each newly set password counts there as well, since judging one may take long.
//!
//! Network addresses are those of [`rate::counted_address`]: a whole /64 of IPv6 is one. After 100 000 of
//! them in a minute, new ones share the count of a wide network ([`rate::wide_network`]), used up by all
//! its addresses together. So an attack of this size can lock out an owner without a session, as can one
//! occupying all slots for hashing. Typed e-mail addresses are kept as digests, for a minute.

use std::{net::IpAddr, sync::Arc};

use parking_lot::Mutex;

use super::{concurrency_limit::ConcurrencyLimit, moment};
use crate::{
    rules::{
        password,
        rate::{self, RateStatus, RequestTime, Windows},
        secret,
    },
    transaction::{Account, Error, PasswordHash, Reason, Store, User},
    wire::Id,
};

/// The failures per minute for an e-mail address from one network address.
const OF_PAIR: u32 = 10;

/// The failures per minute of a pair with an attacked e-mail address.
const OF_PAIR_WHEN_SLOWED: u32 = 1;

/// The failures per minute for an e-mail address before further ones are slowed.
/// They count from all networks.
const OF_EMAIL: u32 = 100;

/// The attempts per minute from each network address.
const OF_ADDRESS: u32 = 30;

/// The passwords of a user per minute: wrong confirmations, or newly set.
const OF_USER: u32 = 10;

/// The most callers counted separately within a minute, to bound memory.
/// A network address beyond it counts as its wide network, and beyond twice as many all count as one. Pairs
/// and e-mail addresses beyond it are not counted; only the limit of the network address holds.
const MOST_CALLERS: usize = 100_000;

/// The concurrent password hashes of sign-ins.
/// Each takes 19 MiB of memory.
const STRANGERS: usize = 2;

/// The concurrent password hashes of owners with a session or an invitation.
/// So they do not wait for sign-ins.
const LET_IN: usize = 1;

/// The digest of an e-mail address.
type Email = [u8; 32];

/// The attempts of the current minute, and the slots for hashing passwords.
pub(crate) struct SignIns {
    store: Arc<Store>,
    counts: Mutex<SignInCounts>,
    strangers: ConcurrencyLimit,
    let_in: ConcurrencyLimit,
}

#[derive(Default)]
struct SignInCounts {
    pairs: Windows<(IpAddr, Email)>,
    addresses: Windows<IpAddr>,
    emails: Windows<Email>,
    users: Windows<Id<User>>,
}

/// An attempt, counted as a failure until it succeeds.
pub(crate) struct SignInAttempt {
    pair: (IpAddr, Email),
}

impl SignInCounts {
    /// Returns the address an attempt counts for.
    fn counted_address(&mut self, from: IpAddr, at: RequestTime) -> IpAddr {
        let narrow = rate::counted_address(from);
        let wide = rate::wide_network(from);
        if !self.addresses.is_beyond(&narrow, MOST_CALLERS, at) {
            narrow
        } else if !self.addresses.is_beyond(&wide, 2 * MOST_CALLERS, at) {
            wide
        } else {
            IpAddr::from([0, 0, 0, 0])
        }
    }

    fn attempt(
        &mut self,
        from: IpAddr,
        email: &str,
        at: RequestTime,
    ) -> Result<SignInAttempt, Error> {
        let email = secret::digest(email);
        let address = self.counted_address(from, at);
        check(self.addresses.status(&address, OF_ADDRESS, at), at)?;
        let pair = (address, email);
        let is_slowed = self.emails.status(&email, OF_EMAIL, at).remaining == 0;
        let of_pair = if is_slowed {
            OF_PAIR_WHEN_SLOWED
        } else {
            OF_PAIR
        };
        check(self.pairs.status(&pair, of_pair, at), at)?;
        self.addresses.count(address, at);
        if !self.pairs.is_beyond(&pair, MOST_CALLERS, at) {
            self.pairs.count(pair, at);
        }
        if !self.emails.is_beyond(&email, MOST_CALLERS, at) {
            self.emails.count(email, at);
        }
        Ok(SignInAttempt { pair })
    }

    fn confirm(&mut self, user: Id<User>, at: RequestTime) -> Result<(), Error> {
        check(self.users.status(&user, OF_USER, at), at)?;
        self.users.count(user, at);
        Ok(())
    }
}

impl SignIns {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            counts: Mutex::default(),
            strangers: ConcurrencyLimit::new(STRANGERS),
            let_in: ConcurrencyLimit::new(LET_IN),
        }
    }

    /// Counts an attempt to sign in with a folded e-mail address.
    /// This happens before any hashing, so concurrent attempts are counted as well.
    ///
    /// # Errors
    /// [`Error::RateLimited`]; the attempt then counts against nothing.
    pub(crate) fn attempt(&self, from: IpAddr, email: &str) -> Result<SignInAttempt, Error> {
        let attempt = self.counts.lock().attempt(from, email, moment(&self.store));
        attempt.inspect_err(|_| self.store.metrics().limited.sign_in.increase())
    }

    /// Removes an attempt from the failures of its pair and its e-mail address.
    pub(crate) fn take_back(&self, attempt: &SignInAttempt) {
        let at = moment(&self.store);
        let mut counts = self.counts.lock();
        counts.pairs.take_back(&attempt.pair, at);
        counts.emails.take_back(&attempt.pair.1, at);
    }

    /// Counts an admitted owner's repeated or new password, before it is hashed.
    ///
    /// # Errors
    /// [`Error::RateLimited`]; it then counts against nothing.
    pub(crate) fn confirm(&self, user: Id<User>) -> Result<(), Error> {
        let confirmed = self.counts.lock().confirm(user, moment(&self.store));
        confirmed.inspect_err(|_| self.store.metrics().limited.sign_in.increase())
    }

    /// Removes a successful confirmation from the count.
    pub(crate) fn confirmed(&self, user: Id<User>) {
        let at = moment(&self.store);
        self.counts.lock().users.take_back(&user, at);
    }

    /// Judges and hashes the new password of an admitted owner.
    ///
    /// # Errors
    /// It is too short, too long or easy to guess; [`Error::RateLimited`] when too many set one.
    pub(crate) async fn hash(
        &self,
        account: &Account,
        password: &str,
    ) -> Result<PasswordHash, Error> {
        let randomness = self.store.environment().randomness.clone();
        let (account, password) = (account.clone(), password.to_owned());
        let job = move || {
            password::check(&password, &account)?;
            Ok(password::hash(&password, &*randomness)?)
        };
        self.let_in.run(job).await?
    }

    /// Returns true if the confirmed password of a signed-in owner matches the hash.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when too many are hashed.
    pub(crate) async fn is_owners(
        &self,
        hash: PasswordHash,
        password: String,
    ) -> Result<bool, Error> {
        let job = move || password::is_hash_of(&hash, &password);
        self.let_in.run(job).await
    }

    /// Returns the hash to be stored of the right password of a sign-in; `None` if it does not match `hash`.
    /// It is another one if the parameters have risen. No `hash` stands for the one of an unknown password, which
    /// takes as long.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when too many are hashed; the attempt then counts as no failure of its pair
    /// and its e-mail address.
    pub(crate) async fn is_hash_of(
        &self,
        attempt: &SignInAttempt,
        hash: Option<PasswordHash>,
        password: String,
    ) -> Result<Option<PasswordHash>, Error> {
        let randomness = self.store.environment().randomness.clone();
        let job = move || {
            let hash = hash.unwrap_or_else(password::of_nobody);
            let is_right = password::is_hash_of(&hash, &password);
            let again = is_right.then(|| password::rehashed(&hash, &password, &*randomness));
            again.map(|again| again.unwrap_or(hash))
        };
        let done = self.strangers.run(job).await;
        if let Err(Error::RateLimited(_)) = &done {
            self.take_back(attempt);
            self.store.metrics().limited.sign_in.increase();
        }
        done
    }
}

fn check(status: RateStatus, at: RequestTime) -> Result<(), Error> {
    if status.remaining > 0 {
        return Ok(());
    }
    let wait = rate::retry_after(status.reset, at.now);
    let problem = format!("too many attempts; wait {wait} seconds");
    let reason = Reason::new(problem).with_retry_after(wait);
    Err(Error::RateLimited(reason))
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use tokio::time::timeout;
    use uuid::Uuid;

    use super::*;
    use crate::{
        storage::memory::MemoryStorage,
        transaction::environment::{Environment, ManualClock},
        wire::Timestamp,
    };

    fn is_refused<T>(counted: Result<T, Error>) -> bool {
        matches!(counted, Err(Error::RateLimited(_)))
    }

    fn shop() -> Account {
        Account {
            id: Id::new(Uuid::nil()),
            name: "Shop".into(),
            sandbox: false,
            locations: Vec::new(),
            screens: Vec::new(),
            users: Vec::new(),
            requires_second_factor: false,
            erasures: Vec::new(),
            retention: crate::transaction::Retention::default(),
        }
    }

    const AT: RequestTime = RequestTime {
        now: Timestamp::EPOCH,
        elapsed: Duration::ZERO,
    };

    #[test]
    fn attempts_are_counted_by_address_and_e_mail_together() {
        let mut counts = SignInCounts::default();
        let from = |last| IpAddr::from([192, 0, 2, last]);
        for _ in 0..OF_PAIR {
            counts.attempt(from(1), "a", AT).unwrap();
        }
        // Refused attempts count for nothing.
        for _ in 0..OF_ADDRESS {
            assert!(is_refused(counts.attempt(from(1), "a", AT)));
        }
        counts.attempt(from(2), "a", AT).unwrap();
        for number in OF_PAIR..OF_ADDRESS {
            counts.attempt(from(1), &number.to_string(), AT).unwrap();
        }
        assert!(is_refused(counts.attempt(from(1), "b", AT)));
        counts.attempt(from(2), "b", AT).unwrap();
        assert!(!is_refused(counts.confirm(Id::new(Uuid::nil()), AT)));
    }

    #[test]
    fn an_address_guessed_from_many_places_is_slowed_down_everywhere() {
        let mut counts = SignInCounts::default();
        let from = |number: u32| IpAddr::from(number.to_be_bytes());
        for number in 0..OF_EMAIL {
            counts.attempt(from(number << 8), "a", AT).unwrap();
        }
        for attempt in 0..OF_PAIR {
            let counted = counts.attempt(from(1 << 31), "a", AT);
            assert_eq!(is_refused(counted), attempt >= OF_PAIR_WHEN_SLOWED);
        }
    }

    #[test]
    fn attempts_that_succeed_do_not_count() {
        let store = Store::new(Arc::new(MemoryStorage::new()), Environment::default());
        let sign_ins = SignIns::new(Arc::new(store));
        for _ in 0..=OF_PAIR {
            let attempt = sign_ins.attempt([192, 0, 2, 1].into(), "a").unwrap();
            sign_ins.take_back(&attempt);
        }
    }

    /// Once, sign-ins in all slots made owners with a session wait.
    #[tokio::test]
    async fn who_was_let_in_waits_for_no_stranger() {
        let store = Store::new(Arc::new(MemoryStorage::new()), Environment::default());
        let sign_ins = SignIns::new(Arc::new(store));
        let (done, is_done) = mpsc::channel::<()>();
        let is_done = Arc::new(Mutex::new(is_done));
        for _ in 0..STRANGERS {
            let is_done = is_done.clone();
            let job = sign_ins.strangers.run(move || is_done.lock().recv());
            timeout(Duration::from_millis(20), job).await.unwrap_err();
        }
        let hash = sign_ins.hash(&shop(), "rye and spelt").await.unwrap();
        assert!(
            sign_ins
                .is_owners(hash, "rye and spelt".into())
                .await
                .unwrap()
        );
        drop(done);
    }

    /// Passwords were once judged on the threads for requests.
    #[tokio::test]
    async fn a_password_is_judged_at_a_place() {
        let store = Store::new(Arc::new(MemoryStorage::new()), Environment::default());
        let sign_ins = SignIns::new(Arc::new(store));
        let (done, is_done) = mpsc::channel::<()>();
        let job = sign_ins.let_in.run(move || is_done.recv());
        timeout(Duration::from_millis(20), job).await.unwrap_err();
        let shop = shop();
        let mut judged = Box::pin(sign_ins.hash(&shop, "1234567890"));
        timeout(Duration::from_millis(20), &mut judged)
            .await
            .unwrap_err();
        drop(done);
        assert!(matches!(judged.await, Err(Error::Invalid(_))));
    }

    #[test]
    fn refusals_are_in_the_figures() {
        let storage = Arc::new(MemoryStorage::new());
        let environment = Environment {
            clock: ManualClock::at(Timestamp::EPOCH),
            ..Environment::default()
        };
        let store = Arc::new(Store::new(storage, environment));
        let sign_ins = SignIns::new(store.clone());
        let (here, account) = (IpAddr::from([192, 0, 2, 1]), Id::new(Uuid::nil()));
        for _ in 0..OF_PAIR {
            sign_ins.attempt(here, "a").unwrap();
            sign_ins.confirm(account).unwrap();
        }
        assert_eq!(store.metrics().limited.sign_in.get(), 0);
        assert!(is_refused(sign_ins.attempt(here, "a")));
        assert!(is_refused(sign_ins.confirm(account)));
        assert_eq!(store.metrics().limited.sign_in.get(), 2);
    }

    #[test]
    fn callers_beyond_those_that_are_told_apart_share_the_count_of_a_wide_network() {
        let mut counts = SignInCounts::default();
        let most = u32::try_from(MOST_CALLERS).unwrap();
        for number in 0..most {
            let from = IpAddr::from(number.to_be_bytes());
            counts.attempt(from, &number.to_string(), AT).unwrap();
        }
        // Unrelated networks.
        let crowd: [fn(u8) -> IpAddr; 4] = [
            |last| [198, 51, 100, last].into(),
            |last| [192, 0, 2, last].into(),
            |last| [100, 64, 0, last].into(),
            |last| [0x2001, 0xdb8, 1, u16::from(last), 0, 0, 0, 1].into(),
        ];
        for of_crowd in crowd {
            for last in 0..100 {
                let attempt = counts.attempt(of_crowd(last), &last.to_string(), AT);
                assert_eq!(is_refused(attempt), u32::from(last) >= OF_ADDRESS, "{last}");
            }
        }
        for owner in ["203.0.113.9", "2001:db8:2::1"] {
            counts.attempt(owner.parse().unwrap(), owner, AT).unwrap();
        }
        // A caller counted before goes on.
        counts.attempt(IpAddr::from([0, 0, 0, 9]), "9", AT).unwrap();

        // Beyond as many wide networks, all count as one.
        for number in 0..most + 100 {
            let number = u128::from(number) << 80;
            let from = IpAddr::from((number | 0x2002 << 112).to_be_bytes());
            let _ = counts.attempt(from, "a", AT);
        }
        let callers = [
            counts.addresses.callers(),
            counts.pairs.callers(),
            counts.emails.callers(),
        ];
        assert!(
            callers
                .iter()
                .zip([2, 1, 1])
                .all(|(callers, times)| *callers <= times * MOST_CALLERS + 1),
            "{callers:?}"
        );
        assert!(is_refused(counts.attempt(
            IpAddr::from([255, 0, 0, 1]),
            "a",
            AT
        )));
        counts.attempt(IpAddr::from([0, 0, 0, 9]), "9", AT).unwrap();
    }
}
