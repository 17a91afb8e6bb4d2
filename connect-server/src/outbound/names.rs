//! Looking up the addresses of a host.

use std::{
    fmt::Debug,
    io,
    net::{SocketAddr, ToSocketAddrs as _},
    sync::Arc,
};

use async_trait::async_trait;
use tokio::{sync::Semaphore, task::spawn_blocking};

/// The lookups at a time. Each takes a thread until the name server has answered or was given up,
/// even when nobody waits any more, and others need threads too.
const LOOKUPS: usize = 256;

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
#[derive(Clone, Debug)]
pub struct SystemNames {
    places: Arc<Semaphore>,
}

impl Default for SystemNames {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(LOOKUPS)),
        }
    }
}

#[async_trait]
impl Names for SystemNames {
    async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        let host = host.to_owned();
        // The semaphore is never closed. The thread keeps the place until it has an answer.
        let place = self.places.clone().acquire_owned().await;
        let lookup = spawn_blocking(move || {
            let _place = place;
            (host.as_str(), 0).to_socket_addrs()
        });
        Ok(lookup.await??.collect())
    }
}
