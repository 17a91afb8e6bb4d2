//! Lookups with shared answers and a limited number of places.
//!
//! ```text
//! host -> the lookup of this host that is under way, if there is one
//!      -> a place (one second at most) -> the resolver, until it has answered
//! ```
//!
//! A lookup keeps its place when its callers have stopped waiting, since it keeps its thread. So a
//! silent name server takes places until the resolver gives up, often after half a minute. Hosts with a
//! slow last lookup have places of their own. However many names they have, they cannot take the places
//! of other hosts again and again.

use std::{
    collections::{HashMap, HashSet},
    io,
    net::SocketAddr,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Shared},
};
use tokio::{sync::Semaphore, time::timeout};

use super::{LookupError, Names, SystemNames};

/// The most lookups at a time.
/// The server has three of these: for images, for webhooks being saved and for webhooks being sent.
/// Together they leave the stores most of the runtime's 512 threads for such work.
const PLACES: usize = 96;

/// The most lookups at a time after a slow lookup of their host.
const PLACES_OF_LASTING: usize = 32;

/// The time before a lookup counts as slow.
/// Working name servers answer within a fraction of it.
const LASTING: Duration = Duration::from_secs(1);

/// The time limit of a lookup's wait for a place.
const WAIT: Duration = Duration::from_secs(1);

/// The same for a host with a slow last lookup.
/// After it the host counts as not found. Other slow hosts hold the places, so `LookupError::Crowded`
/// might otherwise repeat for ever.
const WAIT_OF_LASTING: Duration = Duration::from_secs(10);

/// The most hosts remembered for a slow last lookup.
/// Beyond it all are forgotten, and each may take an ordinary place once more.
const MOST_REMEMBERED: usize = 10_000;

/// Looks hosts up by other [`Names`], with shared answers and a limit.
/// Each host is looked up once for all callers at the time. A request without a place gets
/// [`LookupError::Crowded`].
#[derive(Clone, Debug)]
pub struct Lookups(Arc<LookupState>);

#[derive(Debug)]
struct LookupState {
    names: Arc<dyn Names>,
    known: Mutex<Known>,
    places: Semaphore,
    places_of_lasting: Semaphore,
}

/// The memory of lookups, by host.
#[derive(Debug, Default)]
struct Known {
    under_way: HashMap<String, Lookup>,
    /// The hosts with a slow last lookup.
    lasting: HashSet<String>,
}

type Answer = Result<Vec<SocketAddr>, LookupError>;
type Lookup = Shared<BoxFuture<'static, Answer>>;

impl Default for Lookups {
    /// Looks hosts up by the system's resolver.
    fn default() -> Self {
        Self::by(Arc::new(SystemNames))
    }
}

impl Lookups {
    /// Looks hosts up by `names`.
    pub fn by(names: Arc<dyn Names>) -> Self {
        Self(Arc::new(LookupState {
            names,
            known: Mutex::default(),
            places: Semaphore::new(PLACES),
            places_of_lasting: Semaphore::new(PLACES_OF_LASTING),
        }))
    }

    /// Returns the lookup of a host under way, or begins it.
    /// It ends with or without a waiting caller.
    fn lookup(&self, host: &str) -> Lookup {
        let mut known = self.0.known();
        if let Some(lookup) = known.under_way.get(host) {
            return lookup.clone();
        }
        let (inner, owned) = (self.0.clone(), host.to_owned());
        let task = tokio::spawn(async move {
            // The answer of a panicked resolver must not be kept for later callers.
            let answer = AssertUnwindSafe(inner.ask(&owned)).catch_unwind().await;
            inner.known().under_way.remove(&owned);
            answer.unwrap_or_else(|_| Err(io::Error::other("the resolver panicked").into()))
        });
        let lookup = task.map(|ended| ended.unwrap_or_else(|e| Err(io::Error::other(e).into())));
        let lookup = lookup.boxed().shared();
        known.under_way.insert(host.to_owned(), lookup.clone());
        lookup
    }
}

impl LookupState {
    fn known(&self) -> MutexGuard<'_, Known> {
        // Each change is one step, so a panic leaves nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks a host up, once it has a place.
    async fn ask(&self, host: &str) -> Answer {
        let has_lasted = self.known().lasting.contains(host);
        let (places, wait) = match has_lasted {
            true => (&self.places_of_lasting, WAIT_OF_LASTING),
            false => (&self.places, WAIT),
        };
        let Ok(Ok(_place)) = timeout(wait, places.acquire()).await else {
            return Err(match has_lasted {
                true => io::Error::new(io::ErrorKind::TimedOut, "its name server is slow").into(),
                false => LookupError::Crowded,
            });
        };
        let mut lookup = pin!(self.names.look_up(host));
        if let Ok(answer) = timeout(LASTING, lookup.as_mut()).await {
            self.known().lasting.remove(host);
            return answer;
        }
        self.known().remember_lasting(host);
        lookup.await
    }
}

impl Known {
    fn remember_lasting(&mut self, host: &str) {
        if self.lasting.len() >= MOST_REMEMBERED {
            self.lasting.clear();
        }
        self.lasting.insert(host.to_owned());
    }
}

#[async_trait]
impl Names for Lookups {
    async fn look_up(&self, host: &str) -> Answer {
        let lookup = self.lookup(host);
        lookup.await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::time::{Instant, sleep};

    use super::*;

    /// The time before the resolver gives up on a silent name server.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Knows every host. Hosts below `silent` have a name server without answers.
    #[derive(Debug, Default)]
    struct Fake {
        under_way: Mutex<usize>,
        /// The most lookups at a time so far.
        most: Mutex<usize>,
        asked: Mutex<Vec<String>>,
    }

    impl Fake {
        fn asked(&self, host: &str) -> usize {
            let asked = self.asked.lock().unwrap();
            asked.iter().filter(|other| *other == host).count()
        }
    }

    #[async_trait]
    impl Names for Fake {
        async fn look_up(&self, host: &str) -> Answer {
            self.asked.lock().unwrap().push(host.to_owned());
            {
                let mut under_way = self.under_way.lock().unwrap();
                *under_way += 1;
                let mut most = self.most.lock().unwrap();
                *most = (*most).max(*under_way);
            }
            let is_silent = host.ends_with(".silent");
            sleep(if is_silent {
                PATIENCE
            } else {
                Duration::from_millis(20)
            })
            .await;
            *self.under_way.lock().unwrap() -= 1;
            if is_silent {
                return Err(io::Error::other("no answer").into());
            }
            Ok(vec!["192.0.2.1:0".parse().unwrap()])
        }
    }

    fn lookups() -> (Arc<Fake>, Lookups) {
        let fake = Arc::new(Fake::default());
        (fake.clone(), Lookups::by(fake))
    }

    fn is_crowded(answer: &Answer) -> bool {
        matches!(answer, Err(LookupError::Crowded))
    }

    /// Asks for so many hosts with a silent name server.
    /// Each caller waits ten seconds.
    async fn ask_for_silent(lookups: &Lookups, hosts: usize) {
        let asked = (0..hosts).map(|number| async move {
            let host = format!("{number}.silent");
            let _ = timeout(Duration::from_secs(10), lookups.look_up(&host)).await;
        });
        join_all(asked).await;
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_ask_for_a_host_meanwhile_share_its_lookup() {
        let (fake, lookups) = lookups();
        let found = join_all((0..1000).map(|_| lookups.look_up("hooks.example"))).await;
        assert!(
            found
                .iter()
                .all(|answer| answer.as_ref().unwrap().len() == 1)
        );
        assert_eq!(fake.asked("hooks.example"), 1);
        // The next caller asks anew: the host may have moved.
        lookups.look_up("hooks.example").await.unwrap();
        assert_eq!(fake.asked("hooks.example"), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lookup_goes_on_when_nobody_waits_and_the_next_one_joins_it() {
        let (fake, lookups) = lookups();
        for _ in 0..2 {
            ask_for_silent(&lookups, 1).await;
        }
        let answer = lookups.look_up("0.silent").await;
        assert!(matches!(answer, Err(LookupError::NotFound(_))));
        assert_eq!(fake.asked("0.silent"), 1);
        assert!(lookups.0.known().under_way.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn lookups_are_limited_and_who_finds_no_place_soon_knows_it() {
        let (fake, lookups) = lookups();
        ask_for_silent(&lookups, 1000).await;
        assert_eq!(*fake.most.lock().unwrap(), PLACES);
        let start = Instant::now();
        assert!(is_crowded(&lookups.look_up("hooks.example").await));
        assert_eq!(start.elapsed(), WAIT);
        sleep(PATIENCE).await;
        assert!(lookups.look_up("hooks.example").await.is_ok());
    }

    /// Silent hosts are asked for repeatedly, as deliveries are retried.
    #[tokio::test(start_paused = true)]
    async fn hosts_whose_lookup_lasts_leave_the_others_their_places() {
        let (fake, lookups) = lookups();
        ask_for_silent(&lookups, PLACES).await;
        sleep(PATIENCE).await;
        for _ in 0..3 {
            let silent = ask_for_silent(&lookups, PLACES);
            let others = async {
                sleep(Duration::from_secs(5)).await;
                let hosts: Vec<_> = (0..200).map(|number| format!("{number}.example")).collect();
                join_all(hosts.iter().map(|host| lookups.look_up(host))).await
            };
            let ((), others) = tokio::join!(silent, others);
            assert!(others.iter().all(Result::is_ok));
        }
        assert!(*fake.most.lock().unwrap() <= PLACES + PLACES_OF_LASTING);
    }

    /// The host counts as not found, so its delivery counts as failed.
    /// Otherwise the delivery would be put off again and again.
    #[tokio::test(start_paused = true)]
    async fn a_host_whose_lookup_lasted_is_not_found_when_there_is_no_place() {
        let (_, lookups) = lookups();
        ask_for_silent(&lookups, PLACES).await;
        sleep(PATIENCE).await;
        let hosts: Vec<_> = (0..PLACES)
            .map(|number| format!("{number}.silent"))
            .collect();
        let answers = join_all(hosts.iter().map(|host| lookups.look_up(host))).await;
        assert!(
            answers
                .iter()
                .all(|answer| matches!(answer, Err(LookupError::NotFound(_))))
        );
    }

    #[tokio::test]
    async fn a_resolver_that_panics_answers_the_next_time() {
        #[derive(Debug, Default)]
        struct PanicsOnce(std::sync::atomic::AtomicBool);

        #[async_trait]
        impl Names for PanicsOnce {
            async fn look_up(&self, _host: &str) -> Answer {
                let was_asked = self.0.swap(true, std::sync::atomic::Ordering::Relaxed);
                assert!(was_asked, "the first lookup");
                Ok(vec!["192.0.2.1:0".parse().unwrap()])
            }
        }

        let lookups = Lookups::by(Arc::new(PanicsOnce::default()));
        assert!(lookups.look_up("hooks.example").await.is_err());
        assert!(lookups.look_up("hooks.example").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn the_hosts_that_are_remembered_are_limited() {
        let mut known = Known::default();
        for number in 0..MOST_REMEMBERED * 2 + 1 {
            known.remember_lasting(&format!("{number}.silent"));
        }
        assert_eq!(known.lasting.len(), 1);
    }
}
