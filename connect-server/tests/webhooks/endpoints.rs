//! The zoo: one of each kind of bad endpoint, and names and certificates to go with them.

use std::{
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use connect_server::{
    networks::Networks,
    outbound::{AddressGuard, LookupError, Names, OutboundSettings},
    webhooks::{PublicWebhooks, WebhookClient},
};
use tokio::net::{TcpListener, TcpSocket};

use super::{
    Told, Trap,
    authority::Authority,
    bad::{PATHS, bad_host},
    settings,
};
use crate::host::Host;

/// The address of every endpoint, and the only one that clients may connect to.
const HERE: &str = "127.0.0.1";

/// An address that they may not connect to.
const FORBIDDEN: &str = "127.0.0.2";

/// The name that leads to [`HERE`] when a webhook is saved, and to [`FORBIDDEN`] from then on.
const MOVES: &str = "moves.example";

/// Endpoints that behave badly, one of each kind. They end when this is dropped.
pub(super) struct Zoo {
    host: Host,
    deaf: Deaf,
    expired: Host,
    other_name: Host,
    /// Listens at the forbidden address.
    trap: Trap,
    authority: Authority,
}

impl Zoo {
    pub(super) async fn open() -> Self {
        let trap = Trap::set(FORBIDDEN).await;
        let authority = Authority::new();
        Self {
            host: bad_host(&format!("http://{FORBIDDEN}:{}/", trap.port)).await,
            deaf: Deaf::open(),
            expired: authority.endpoint("expired.example", 2021).await,
            other_name: authority.endpoint("own.example", 4000).await,
            trap,
            authority,
        }
    }

    /// The addresses of all endpoints, each with a part of the reason that its owner is told. Those
    /// without a reason answer 200.
    pub(super) fn endpoints(&self) -> Vec<(String, &'static str)> {
        let answering = PATHS.map(|(path, reason)| (self.host.link(path), reason));
        let port = |host: &Host| host.address.port();
        let others = [
            (
                format!("http://{}/", self.deaf.address),
                "did not answer within",
            ),
            (
                format!("https://expired.example:{}/", port(&self.expired)),
                "has expired",
            ),
            (
                format!("https://another.example:{}/", port(&self.other_name)),
                "another host name",
            ),
            (
                format!("http://{MOVES}:{}/", self.trap.port),
                "public address",
            ),
        ];
        answering.into_iter().chain(others).collect()
    }

    /// The addresses alone.
    pub(super) fn urls(&self) -> Vec<String> {
        self.endpoints().into_iter().map(|(url, _)| url).collect()
    }

    /// Judges addresses when they are saved. Every host is here then.
    pub(super) fn links(&self) -> PublicWebhooks {
        PublicWebhooks::with(AddressGuard::allowing(allowed()), Told::new(&[&[HERE]]))
    }

    /// A client that trusts the authority. One host has moved since its address was saved.
    pub(super) fn client(&self, deadline: Duration) -> WebhookClient {
        let settings = OutboundSettings {
            names: Arc::new(Moved),
            authorities: vec![self.authority.certificate()],
            ..settings(allowed())
        };
        WebhookClient::with(settings, deadline).unwrap()
    }

    /// The requests that have arrived at the endpoints that read them.
    pub(super) fn requests(&self) -> usize {
        self.host.requests()
    }

    /// The connections to the forbidden address.
    pub(super) fn forbidden_connections(&self) -> usize {
        self.trap.connections()
    }
}

fn allowed() -> Networks {
    HERE.parse().unwrap()
}

/// Every host is here, but for the one that has moved.
#[derive(Debug)]
struct Moved;

#[async_trait]
impl Names for Moved {
    async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, LookupError> {
        let address = if host == MOVES { FORBIDDEN } else { HERE };
        Ok(vec![SocketAddr::new(address.parse().unwrap(), 0)])
    }
}

/// Listens, but accepts nothing, and its queue is full: who connects gets no answer at all.
pub(super) struct Deaf {
    pub(super) address: SocketAddr,
    _listener: TcpListener,
    /// Those that wait to be accepted.
    _queue: Vec<TcpStream>,
}

impl Deaf {
    pub(super) fn open() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::new(HERE.parse().unwrap(), 0))
            .unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut queue = Vec::new();
        // The system says how many may wait. The clock of a test may stand still, this one does not.
        while let Ok(connected) = TcpStream::connect_timeout(&address, FULL) {
            queue.push(connected);
        }
        Self {
            address,
            _listener: listener,
            _queue: queue,
        }
    }
}

/// The time after which a connection that is not there yet waits in vain.
const FULL: Duration = Duration::from_millis(300);
