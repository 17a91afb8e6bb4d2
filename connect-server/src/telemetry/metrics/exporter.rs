//! Exports all metrics, read on request.

use std::{path::PathBuf, sync::Arc, time::Duration};

use connect_core::{
    Backlog, Connect,
    storage::disk::{Health, ScrubCounts},
    wire::Timestamp,
};
use prometheus::TextEncoder;
use tokio::{sync::Mutex, task::spawn_blocking, time::timeout};

use super::{Requests, core_metrics, process, queues, service};
use crate::net::{Certificate, Load};

/// The time limit for counting the queues, with waits for earlier readers.
/// All other metrics are there at once. Prometheus waits for ten seconds.
const COUNTING: Duration = Duration::from_secs(5);

/// The sources of the metrics.
pub(crate) struct Sources {
    /// The core.
    pub(crate) connect: Connect,
    /// The condition of the store.
    pub(crate) health: Box<dyn Fn() -> Health + Send + Sync>,
    /// The checks of the store's pages.
    pub(crate) scrub: Box<dyn Fn() -> ScrubCounts + Send + Sync>,
    /// The listeners, with their names in the metrics.
    pub(crate) loads: [(&'static str, Load); 2],
    /// The certificate of the listeners with TLS.
    pub(crate) certificate: Option<Certificate>,
    /// The folder of the store, if it has one.
    pub(crate) folder: Option<PathBuf>,
    /// The start of the process.
    pub(crate) started: Timestamp,
}

/// Writes all metrics as text. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Exporter(Arc<ExporterState>);

struct ExporterState {
    requests: Arc<Requests>,
    sources: Sources,
    /// Queues are counted for one reader at a time.
    turn: Mutex<()>,
}

impl Exporter {
    pub(crate) fn new(requests: Arc<Requests>, sources: Sources) -> Self {
        Self(Arc::new(ExporterState {
            requests,
            sources,
            turn: Mutex::default(),
        }))
    }

    /// Returns the current metrics as text.
    ///
    /// # Errors
    /// The text could not be written.
    pub(crate) async fn text(&self) -> Result<String, prometheus::Error> {
        let ExporterState {
            requests,
            sources,
            turn,
        } = &*self.0;
        let backlog = backlog(&sources.connect, turn).await;
        let mut families = requests.families();
        families.extend(core_metrics::families(sources.connect.metrics()));
        families.extend(queues::families(backlog.as_ref()));
        families.extend(service::of_listeners(&sources.loads));
        let ends = sources.certificate.as_ref().and_then(Certificate::ends);
        families.push(service::of_certificate(ends));
        let skew = sources.connect.clock_skew();
        families.extend(service::of_store(&(sources.health)(), skew));
        families.extend(service::of_pages((sources.scrub)()));
        if let Some(folder) = sources.folder.clone() {
            // A task that ended early leaves this one metric out.
            families.extend(spawn_blocking(move || service::of_disk(&folder)).await.ok());
        }
        families.extend(process::families(sources.started));
        TextEncoder::new().encode_to_string(&families)
    }
}

/// Counts the queues. `None` on a failure or a timeout.
async fn backlog(connect: &Connect, turn: &Mutex<()>) -> Option<Backlog> {
    let count = async {
        let _turn = turn.lock().await;
        connect.backlog().await
    };
    let cause = match timeout(COUNTING, count).await {
        Ok(Ok(backlog)) => return Some(backlog),
        Ok(Err(error)) => error.cause(),
        Err(_) => format!("the store was not read within {COUNTING:?}"),
    };
    tracing::warn!(cause, "the queues could not be counted");
    None
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use async_trait::async_trait;
    use connect_core::storage::{
        Commit, CommitError, Locked, Read, State, Storage, StorageError, memory::MemoryStorage,
    };
    use tokio::time::Instant;

    use super::*;

    /// A store without any answer.
    struct Silent;

    #[async_trait]
    impl Storage for Silent {
        async fn read(&self, _: &[Read<'_>]) -> Result<State, StorageError> {
            pending().await
        }

        async fn commit(&self, _: Commit) -> Result<(), CommitError> {
            pending().await
        }

        async fn lock(&self, _: &[u8]) -> Result<Box<dyn Locked>, StorageError> {
            pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_is_silent_takes_the_queues_alone() {
        let connect = Connect::builder(Arc::new(Silent)).build();
        let turn = Mutex::default();
        let began = Instant::now();
        // A second reader waits no longer for its turn.
        let both = tokio::join!(backlog(&connect, &turn), backlog(&connect, &turn));
        assert_eq!(both, (None, None));
        assert_eq!(began.elapsed().as_secs(), COUNTING.as_secs());

        let connect = Connect::builder(Arc::new(MemoryStorage::new())).build();
        assert_eq!(backlog(&connect, &turn).await, Some(Backlog::default()));
    }
}
