//! The HTTP client for requests to outside links.
//! It connects only to addresses admitted by the guard.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use reqwest::{
    Certificate, Client, Method, RequestBuilder,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use url::Url;

use super::{AddressGuard, LinkRefusal, Lookups, Names, Reach};

/// The time for keeping a connection for the next request.
/// Many servers close a connection after five idle seconds, and a request crossing this is lost.
const KEPT_FOR: Duration = Duration::from_secs(3);

/// Settings of [`Outbound`].
#[derive(Clone, Debug)]
pub struct OutboundSettings {
    /// The guard.
    pub guard: AddressGuard,
    /// The default `User-Agent` of requests.
    pub user_agent: &'static str,
    /// The connections per host kept open for the next request.
    /// With 0 each request has a connection of its own.
    pub kept_connections: usize,
    /// The lookup of names.
    pub names: Arc<dyn Names>,
    /// Trusted certificates of authorities, besides the system's.
    pub authorities: Vec<Certificate>,
}

impl OutboundSettings {
    /// Gives each request its own connection.
    /// Hosts are looked up and trusted by the system.
    pub fn new(guard: AddressGuard, user_agent: &'static str) -> Self {
        Self {
            guard,
            user_agent,
            kept_connections: 0,
            names: Arc::new(Lookups::default()),
            authorities: Vec::new(),
        }
    }
}

/// Makes requests to links from outside.
#[derive(Clone, Debug)]
pub struct Outbound {
    guard: AddressGuard,
    /// For HTTPS on its standard port.
    public: Client,
    /// For plain HTTP and other ports.
    allowed: Client,
}

/// The client could not be made: the system has no certificates to trust.
#[derive(Debug, thiserror::Error)]
#[error("requests to other servers cannot be made: {0:?}; is the package ca-certificates there?")]
pub struct OutboundError(reqwest::Error);

impl Outbound {
    /// Makes the client.
    ///
    /// # Errors
    /// The system's certificates could not be read.
    pub fn new(settings: OutboundSettings) -> Result<Self, OutboundError> {
        // A provider chosen earlier by the program is as good.
        install_provider();
        let client = |reach| client(&settings, reach).map_err(OutboundError);
        Ok(Self {
            public: client(Reach::Public)?,
            allowed: client(Reach::Allowed)?,
            guard: settings.guard,
        })
    }

    /// Begins a request.
    /// Neither time nor the size of the response are limited yet, and a redirect is a response like any
    /// other. [`NoResponse::of`](super::NoResponse::of) tells why sending it failed.
    ///
    /// # Errors
    /// The link is refused.
    pub fn request(&self, method: Method, link: Url) -> Result<RequestBuilder, LinkRefusal> {
        let client = match self.guard.check(&link)? {
            Reach::Public => &self.public,
            Reach::Allowed => &self.allowed,
        };
        Ok(client.request(method, link))
    }
}

fn client(settings: &OutboundSettings, reach: Reach) -> Result<Client, reqwest::Error> {
    let resolver = Resolver {
        guard: settings.guard.clone(),
        names: settings.names.clone(),
        reach,
    };
    Client::builder()
        .user_agent(settings.user_agent)
        // A connection of HTTP/2 would be kept although a request on it has run out of time.
        .http1_only()
        .dns_resolver(Arc::new(resolver))
        // A proxy would look the name up again, and connect to any address.
        .no_proxy()
        .pool_max_idle_per_host(settings.kept_connections)
        .pool_idle_timeout(KEPT_FOR)
        .tls_certs_merge(settings.authorities.iter().cloned())
        .redirect(Policy::none())
        .referer(false)
        .https_only(reach == Reach::Public)
        .build()
}

/// Looks names up, and returns only addresses admitted by the guard.
#[derive(Debug)]
struct Resolver {
    guard: AddressGuard,
    names: Arc<dyn Names>,
    reach: Reach,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, names, reach) = (self.guard.clone(), self.names.clone(), self.reach);
        Box::pin(async move {
            let found = names.look_up(name.as_str()).await?;
            // The port of the link is used in any case.
            let found = found.iter().map(|address| SocketAddr::new(address.ip(), 0));
            let addresses = guard.admit(found.collect(), reach)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Installs the process's provider of cryptography, needed for any client.
/// The first one installed stays.
pub(crate) fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
