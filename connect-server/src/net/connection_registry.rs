//! The open connections, by network of origin.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    activity::{Activity, Leave},
    budget::Budget,
};

/// The open connections of a server.
/// It chooses the connection to close when another needs room.
#[derive(Debug)]
pub(super) struct ConnectionRegistry {
    per_address: usize,
    budget: Arc<Budget>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    connections: HashMap<u64, RegisteredConnection>,
}

#[derive(Debug)]
struct RegisteredConnection {
    /// `None` for one without a limit per address.
    network: Option<IpAddr>,
    activity: Arc<Activity>,
}

impl Open {
    /// Asks the longest idle of some connections to leave.
    /// Returns whether there was one.
    fn close_idle(&self, which: impl Fn(&RegisteredConnection) -> bool) -> bool {
        let those = self.connections.values().filter(|open| which(open));
        let idle = those.filter_map(|open| Some((open.activity.idle_since()?, &open.activity)));
        let longest = idle.min_by_key(|(since, _)| *since);
        if let Some((_, activity)) = longest {
            activity.ask(Leave::WhenDone);
        }
        longest.is_some()
    }
}

impl ConnectionRegistry {
    /// A registry with this limit on connections per address.
    /// Their held bytes count in `budget`.
    pub(super) fn new(per_address: usize, budget: Arc<Budget>) -> Arc<Self> {
        let open = Mutex::default();
        Arc::new(Self {
            per_address,
            budget,
            open,
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of open connections.
    pub(super) fn connections(&self) -> usize {
        self.open().connections.len()
    }

    /// Registers a connection from an address.
    /// Without an address, only the total limit applies. An address with too many connections gives up its
    /// longest idle one; `None` when none of them is idle.
    pub(super) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Registration> {
        let network = address.map(network);
        let mut open = self.open();
        if network.is_some() {
            let of_network = |open: &RegisteredConnection| open.network == network;
            let staying = open.connections.values().filter(|open| of_network(open));
            let staying = staying.filter(|open| !open.activity.is_leaving()).count();
            if staying >= self.per_address && !open.close_idle(of_network) {
                return None;
            }
        }
        let activity = Arc::new(Activity::new(self.budget.clone()));
        let id = open.next;
        open.next += 1;
        let connection = RegisteredConnection {
            network,
            activity: activity.clone(),
        };
        open.connections.insert(id, connection);
        drop(open);
        Some(Registration {
            registry: self.clone(),
            id,
            activity,
        })
    }

    fn make_room(&self, newcomer: &Arc<Activity>) {
        let open = self.open();
        let mut all = open.connections.values().map(|open| &open.activity);
        if !all.any(|activity| activity.is_leaving() && activity.is_idle()) {
            open.close_idle(|open| !Arc::ptr_eq(&open.activity, newcomer));
        }
    }

    /// Cuts the largest connections, until the cut ones hold `excess`.
    pub(super) fn cut_largest(&self, excess: usize) {
        let open = self.open();
        let all = open.connections.values().map(|open| &open.activity);
        let (cut, staying): (Vec<_>, Vec<_>) = all.partition(|activity| activity.is_cut());
        let mut freed: usize = cut.iter().map(|activity| activity.held()).sum();
        while freed < excess
            && let Some(largest) = staying
                .iter()
                .filter(|a| !a.is_cut())
                .max_by_key(|a| a.held())
        {
            largest.ask(Leave::AtOnce);
            freed += largest.held();
        }
    }
}

/// A connection in the registry, until it is dropped.
#[derive(Debug)]
pub(super) struct Registration {
    registry: Arc<ConnectionRegistry>,
    id: u64,
    activity: Arc<Activity>,
}

impl Registration {
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Asks the longest idle other connection to leave, unless one is leaving.
    pub(super) fn make_room(&self) {
        self.registry.make_room(&self.activity);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.registry.open().connections.remove(&self.id);
    }
}

/// The address range of one caller: an IPv4 address, or an IPv6 /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn an_address_has_its_share_and_a_64_is_one_address() {
        let registry = ConnectionRegistry::new(2, Budget::new(0));
        let enter = |text| registry.enter(address(text));
        let busy: Vec<_> = ["2001:db8:0:1::7", "2001:db8:0:1:ffff::9", "192.0.2.1"]
            .map(|text| enter(text).unwrap())
            .into();
        let requests: Vec<_> = busy.iter().map(|c| c.activity().begin(false)).collect();
        assert!(enter("2001:db8:0:1::8").is_none());
        assert!(enter("2001:db8:0:2::8").is_some());
        assert!(enter("::ffff:192.0.2.1").is_some());
        assert!(registry.enter(None).is_some());
        drop(requests);
        let last = enter("2001:db8:0:1::8").unwrap();
        let left: Vec<_> = busy.iter().map(|c| c.activity().is_leaving()).collect();
        assert_eq!(
            left,
            [true, false, false],
            "the longest idle one makes room"
        );
        drop((busy, last));
        assert_eq!(registry.connections(), 0);
    }

    #[test]
    fn one_connection_at_a_time_makes_room() {
        let registry = ConnectionRegistry::new(9, Budget::new(0));
        let open: Vec<_> = (0..3).map(|_| registry.enter(None).unwrap()).collect();
        let leaving = || open.iter().filter(|c| c.activity().is_leaving()).count();
        let request = open[0].activity().begin(false);
        open[2].make_room();
        open[2].make_room();
        assert_eq!(leaving(), 1);
        assert!(
            open[1].activity().is_leaving(),
            "the other two are busy, and new"
        );
        // The leaving connection got a request after all: another one has to leave.
        let last = open[1].activity().begin(false);
        drop(request);
        open[2].make_room();
        assert_eq!(leaving(), 2);
        assert!(!open[2].activity().is_leaving());
        drop(last);
    }

    #[test]
    fn the_connections_that_hold_most_are_cut() {
        let registry = ConnectionRegistry::new(9, Budget::new(0));
        let open: Vec<_> = (0..3).map(|_| registry.enter(None).unwrap()).collect();
        let mut requests = Vec::new();
        for (registration, bytes) in open.iter().zip([10, 30, 20]) {
            let mut request = registration.activity().begin(true);
            request.hold(bytes);
            requests.push(request);
        }
        let largest = open[1].activity().held();
        for (excess, expected) in [
            (5, [false, true, false]),
            (largest, [false, true, false]),
            (largest + 1, [false, true, true]),
        ] {
            registry.cut_largest(excess);
            let left: Vec<_> = open.iter().map(|c| c.activity().is_leaving()).collect();
            assert_eq!(left, expected, "{excess}");
        }
    }
}
