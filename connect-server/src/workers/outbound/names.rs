//! Looking up the addresses of a host.

use std::{
    fmt::Debug,
    io,
    net::{SocketAddr, ToSocketAddrs as _},
    sync::Arc,
};

use async_trait::async_trait;
use tokio::task::spawn_blocking;

/// Looks up the addresses of hosts. Tests have their own answers.
#[async_trait]
pub trait Names: Debug + Send + Sync + 'static {
    /// Returns the addresses of a host. Their port means nothing.
    ///
    /// # Errors
    /// The host is unknown, or the resolver could not be asked.
    async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, LookupError>;
}

/// The reason why a host has no addresses.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LookupError {
    /// The host is unknown, or the name server did not answer.
    #[error("the host was not found")]
    NotFound(#[source] Arc<io::Error>),
    /// Too many other lookups are under way. The resolver was not asked.
    #[error("too many other hosts are being looked up")]
    Crowded,
}

impl From<io::Error> for LookupError {
    fn from(error: io::Error) -> Self {
        Self::NotFound(Arc::new(error))
    }
}

/// The system's resolver.
/// Each lookup takes a thread until the name server has answered or was given up, even without a waiting
/// caller. [`Lookups`](super::Lookups) limits the threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, LookupError> {
        let host = host.to_owned();
        let lookup = spawn_blocking(move || (host.as_str(), 0).to_socket_addrs());
        let found = lookup.await.map_err(io::Error::other)??;
        Ok(found.collect())
    }
}
