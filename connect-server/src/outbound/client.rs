//! The HTTP client for such requests. It connects to addresses that the guard let pass, and to no
//! others.

use std::{error::Error, io, sync::Arc};

use reqwest::{
    Client, Method, RequestBuilder,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use url::Url;

use super::{AddressGuard, LinkRefusal, Reach};

/// Makes requests to links that others give, each over a connection of its own.
#[derive(Clone, Debug)]
pub struct Outbound {
    guard: AddressGuard,
    /// For HTTPS on its own port.
    public: Client,
    /// For plain HTTP and other ports.
    allowed: Client,
}

/// The client could not be made: the system has no certificates to trust.
#[derive(Debug, thiserror::Error)]
#[error("requests to other servers cannot be made: {0:?}; is the package ca-certificates there?")]
pub struct OutboundError(reqwest::Error);

impl Outbound {
    /// Makes the client. It names itself `user_agent`.
    ///
    /// # Errors
    /// The system's certificates could not be read.
    pub fn new(guard: AddressGuard, user_agent: &str) -> Result<Self, OutboundError> {
        // Another provider that the program chose is as good.
        install_provider();
        let client = |reach| {
            let guard = guard.clone();
            Client::builder()
                .user_agent(user_agent)
                .dns_resolver(Arc::new(Resolver { guard, reach }))
                // A proxy would look the name up once more, and connect to what it likes.
                .no_proxy()
                // Links lead to any number of hosts, each of which would keep one open.
                .pool_max_idle_per_host(0)
                .redirect(Policy::none())
                .referer(false)
                .https_only(reach == Reach::Public)
                .build()
                .map_err(OutboundError)
        };
        Ok(Self {
            public: client(Reach::Public)?,
            allowed: client(Reach::Allowed)?,
            guard,
        })
    }

    /// Begins a request. Neither time nor the size of the response are limited yet, and a redirect
    /// is a response like any other. [`NoResponse::of`] tells
    /// why sending it failed.
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

/// The reason for which a request got no response, or only a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResponse {
    /// The guard refused the address.
    Refused(LinkRefusal),
    /// There was no secure connection: the certificate is not trusted, or TLS failed otherwise.
    Insecure,
    /// The host was not found, or took no connection.
    NotConnected,
    /// The connection broke off, or did not speak HTTP.
    BrokenOff,
}

impl NoResponse {
    /// Tells the reason from the client's error.
    pub fn of(error: &reqwest::Error) -> Self {
        let mut tls = false;
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(error) = cause {
            if let Some(refusal) = error.downcast_ref() {
                return Self::Refused(*refusal);
            }
            tls |= error.is::<rustls::Error>();
            // An I/O error names as its source what is behind the error that it holds.
            let held = error
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref);
            cause = match held {
                Some(held) => Some(held),
                None => error.source(),
            };
        }
        match () {
            () if tls => Self::Insecure,
            () if error.is_connect() => Self::NotConnected,
            () => Self::BrokenOff,
        }
    }
}

/// Looks names up with the system's resolver, and hands on only what the guard admits.
#[derive(Debug)]
struct Resolver {
    guard: AddressGuard,
    reach: Reach,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, reach) = (self.guard.clone(), self.reach);
        Box::pin(async move {
            // The port is that of the link in any case.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let addresses = guard.admit(found.collect(), reach)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Installs the process's provider of cryptography, without which no client can be made. The first
/// one that is installed stays.
pub(crate) fn install_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
