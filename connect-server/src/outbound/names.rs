//! Looking up the addresses of a host.

use std::{fmt::Debug, io, net::SocketAddr};

use async_trait::async_trait;

/// Looks up the addresses of hosts. Tests answer as they like.
#[async_trait]
pub trait Names: Debug + Send + Sync + 'static {
    /// Returns the addresses of a host. Their port means nothing.
    ///
    /// # Errors
    /// The host is unknown, or nobody could be asked.
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}
