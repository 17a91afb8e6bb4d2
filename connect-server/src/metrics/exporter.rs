//! All figures, read when somebody asks.

use std::{path::PathBuf, sync::Arc};

use connect_core::{Connect, storage::disk::Health, wire::Timestamp};
use prometheus::TextEncoder;
use tokio::{sync::Mutex, task::spawn_blocking};

use super::{Requests, core_figures, process, queues, service};
use crate::net::Load;

/// The things that are asked for their figures.
pub(crate) struct Sources {
    /// The core.
    pub(crate) connect: Connect,
    /// The condition of the store.
    pub(crate) health: Box<dyn Fn() -> Health + Send + Sync>,
    /// The listeners, with the names that they have here.
    pub(crate) loads: [(&'static str, Load); 2],
    /// The folder of the store, if it has one.
    pub(crate) folder: Option<PathBuf>,
    /// The start of the process.
    pub(crate) started: Timestamp,
}

/// Writes all figures down. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Exporter(Arc<Inner>);

struct Inner {
    requests: Arc<Requests>,
    sources: Sources,
    /// Queues are counted for one reader at a time.
    turn: Mutex<()>,
}

impl Exporter {
    pub(crate) fn new(requests: Arc<Requests>, sources: Sources) -> Self {
        Self(Arc::new(Inner {
            requests,
            sources,
            turn: Mutex::default(),
        }))
    }

    /// Returns the figures as they are now, as text.
    ///
    /// # Errors
    /// The text could not be written.
    pub(crate) async fn text(&self) -> Result<String, prometheus::Error> {
        let Inner {
            requests,
            sources,
            turn,
        } = &*self.0;
        let _turn = turn.lock().await;
        let backlog = sources.connect.backlog().await;
        let backlog = backlog.inspect_err(|error| {
            tracing::warn!(cause = error.cause(), "the queues could not be counted");
        });
        let mut families = requests.families();
        families.extend(core_figures::families(sources.connect.figures()));
        families.extend(queues::families(backlog.as_ref().ok()));
        families.extend(service::of_listeners(&sources.loads));
        let drift = sources.connect.clock_drift();
        families.extend(service::of_store(&(sources.health)(), drift));
        if let Some(folder) = sources.folder.clone() {
            // A task that ended early leaves this one figure out.
            families.extend(spawn_blocking(move || service::of_disk(&folder)).await.ok());
        }
        families.extend(process::families(sources.started));
        TextEncoder::new().encode_to_string(&families)
    }
}
