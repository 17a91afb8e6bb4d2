//! The connections and bytes held by a server, and the choice of connections to close.

use std::{
    cmp::Reverse,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use ipnet::Ipv6Net;
use tokio::{sync::Semaphore, time::timeout};

use super::{
    Limits,
    activity::{Activity, Stage},
    budget::Budget,
};

/// The time between two searches for an idle connection to close.
const LOOK: Duration = Duration::from_millis(50);

/// The connections and bytes held by a server at the moment.
#[derive(Clone, Debug)]
pub struct Load {
    /// Free places for connections, and the number of all.
    places: Arc<Semaphore>,
    most: u32,
    open: Arc<Mutex<Vec<Weak<Activity>>>>,
    pub(super) bodies: Arc<Budget>,
    pub(super) answers: Arc<Budget>,
}

impl Load {
    pub(crate) fn new(limits: &Limits) -> Self {
        let most = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        Self {
            places: Arc::new(Semaphore::new(most as usize)),
            most,
            open: Arc::default(),
            bodies: Budget::new(limits.body_bytes, None),
            answers: Budget::new(limits.answer_bytes, None),
        }
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        self.all().len()
    }

    /// Returns the bytes of the bodies of unanswered requests.
    pub fn body_bytes(&self) -> usize {
        self.bodies.used()
    }

    /// Returns the bytes of untaken answers, plus 6 KiB per request under way.
    pub fn answer_bytes(&self) -> usize {
        self.answers.used()
    }

    fn open(&self) -> MutexGuard<'_, Vec<Weak<Activity>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<Arc<Activity>> {
        let mut open = self.open();
        let all: Vec<_> = open.iter().filter_map(Weak::upgrade).collect();
        *open = all.iter().map(Arc::downgrade).collect();
        all
    }

    /// Registers a connection from an address, once there is a place for it.
    /// Without an address, only the total limit applies. An address with too many connections gives up
    /// its longest idle one; `None` when none of them is idle.
    pub(super) async fn enter(
        &self,
        address: Option<IpAddr>,
        limits: &Limits,
    ) -> Option<Arc<Activity>> {
        let network = address.map(network);
        if network.is_some() {
            let mut alike = self.all();
            alike.retain(|one| one.network == network && one.stage() == Stage::Serving);
            if alike.len() >= limits.connections_per_address && !close_idle(&alike) {
                return None;
            }
        }
        let mut place = self.places.clone().try_acquire_owned().ok();
        while place.is_none() {
            self.make_room();
            let free = timeout(LOOK, self.places.clone().acquire_owned()).await;
            place = free.ok().and_then(Result::ok);
        }
        let held = Budget::new(limits.h2_answer_bytes, Some(self.answers.clone()));
        let activity = Arc::new(Activity::new(network, held, place?));
        self.open().push(Arc::downgrade(&activity));
        Some(activity)
    }

    /// Asks the longest idle connection to leave, unless one is leaving.
    fn make_room(&self) {
        let all = self.all();
        let leaves = |one: &Arc<Activity>| one.stage() > Stage::Serving && one.state().is_idle();
        if !all.iter().any(leaves) {
            close_idle(&all);
        }
    }

    /// Cuts the largest connections while all together hold more than they may.
    pub(super) fn relieve(&self) {
        let excess = self.answers.excess();
        if excess == 0 {
            return;
        }
        let mut all = self.all();
        // First those cut before: their bytes are about to be free.
        all.sort_by_cached_key(|one| Reverse((one.stage() >= Stage::Cut, one.held.used())));
        let mut freed = 0;
        for one in all {
            if freed >= excess {
                break;
            }
            one.enter(Stage::Cut);
            freed += one.held.used();
        }
    }

    /// Moves all connections on to a stage.
    pub(super) fn enter_all(&self, stage: Stage) {
        for one in self.all() {
            one.enter(stage);
        }
    }

    /// Waits until all connections have ended.
    pub(super) async fn all_ended(&self) {
        // Never an error: the semaphore is never closed.
        let _ = self.places.acquire_many(self.most).await;
    }
}

/// Asks the longest idle of some connections to leave.
/// Returns whether there was one.
fn close_idle(some: &[Arc<Activity>]) -> bool {
    let idle = some.iter().filter_map(|one| Some((one.idle_since()?, one)));
    let longest = idle.min_by_key(|(since, _)| *since);
    longest.map(|(_, one)| one.enter(Stage::Leaving)).is_some()
}

/// The address range of one caller: an IPv4 address, or an IPv6 /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Net::new_assert(address, 64).network().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::budget::Held, *};

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    fn limits(connections: usize, connections_per_address: usize) -> Limits {
        Limits {
            connections,
            connections_per_address,
            answer_bytes: 0,
            ..Limits::default()
        }
    }

    #[tokio::test]
    async fn an_address_has_its_share_and_a_64_is_one_address() {
        let limits = limits(9, 2);
        let load = Load::new(&limits);
        let enter = async |text| load.enter(address(text), &limits).await;
        let mut busy = Vec::new();
        for text in ["2001:db8:0:1::7", "2001:db8:0:1:ffff::9", "192.0.2.1"] {
            busy.push(enter(text).await.unwrap());
        }
        let requests: Vec<_> = busy.iter().map(|one| one.begin(false)).collect();
        assert!(enter("2001:db8:0:1::8").await.is_none());
        assert!(enter("2001:db8:0:2::8").await.is_some());
        assert!(enter("::ffff:192.0.2.1").await.is_some());
        assert!(load.enter(None, &limits).await.is_some());
        drop(requests);
        let last = enter("2001:db8:0:1::8").await.unwrap();
        let left: Vec<_> = busy.iter().map(|one| one.stage()).collect();
        let expected = [Stage::Leaving, Stage::Serving, Stage::Serving];
        assert_eq!(left, expected, "the longest idle one makes room");
        drop((busy, last));
        assert_eq!(load.connections(), 0);
    }

    #[tokio::test]
    async fn one_connection_at_a_time_makes_room() {
        let limits = limits(3, 9);
        let load = Load::new(&limits);
        let mut open = Vec::new();
        for _ in 0..3 {
            open.push(load.enter(None, &limits).await.unwrap());
        }
        let leaving = || open.iter().map(|one| one.stage() == Stage::Leaving);
        let request = open[0].begin(false);
        load.make_room();
        load.make_room();
        assert!(leaving().eq([false, true, false]), "the first is busy");
        // The leaving connection got a request after all: another one has to leave.
        let last = open[1].begin(false);
        load.make_room();
        assert!(leaving().eq([false, true, true]));
        drop((request, last));
    }

    #[tokio::test]
    async fn the_connections_that_hold_most_are_cut() {
        let limits = limits(9, 9);
        for (excess, expected) in [
            (5, [false, true, false]),
            (30, [false, true, false]),
            (31, [false, true, true]),
        ] {
            let load = Load::new(&Limits {
                answer_bytes: 60 - excess,
                ..limits.clone()
            });
            let mut open = Vec::new();
            for bytes in [10, 30, 20] {
                let one = load.enter(None, &limits).await.unwrap();
                let held = Held::none_of(&one.held);
                held.add(bytes);
                open.push((one, held));
            }
            // Those cut count as good as gone, so a second time cuts no more.
            load.relieve();
            load.relieve();
            let cut: Vec<_> = open
                .iter()
                .map(|(one, _)| one.stage() == Stage::Cut)
                .collect();
            assert_eq!(cut, expected, "{excess}");
        }
    }
}
