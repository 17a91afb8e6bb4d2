//! The probes. `/healthz` fails when a restart may help, `/readyz` whenever requests would fail.
//! A failing probe says why in one word, `reason`.

use std::sync::Arc;

use connect_core::{Connect, storage::disk::Health};
use http::StatusCode;

use crate::endpoint::Reply;

/// Tells the condition of the store.
pub(crate) type Probe = Arc<dyn Fn() -> Health + Send + Sync>;

/// The answer to `/healthz`.
pub(super) fn alive(health: &Health) -> Reply {
    match health {
        Health::Failed { .. } => failing("failed", "store"),
        // A restart makes no room.
        Health::Working | Health::Full => passing("ok"),
    }
}

/// The answer to `/readyz`.
pub(super) async fn ready(connect: &Connect, health: &Health) -> Reply {
    const UNREADY: &str = "unready";
    match health {
        Health::Failed { .. } => return failing(UNREADY, "store"),
        Health::Full => return failing(UNREADY, "full"),
        Health::Working => {}
    }
    if connect.clock_drift().is_some() {
        return failing(UNREADY, "clock");
    }
    match connect.check_ready().await {
        Ok(()) => passing("ready"),
        Err(error) => {
            tracing::warn!(cause = error.cause(), "not ready");
            failing(UNREADY, "store")
        }
    }
}

fn passing(status: &str) -> Reply {
    Reply::json(StatusCode::OK, format!("{{\"status\":\"{status}\"}}"))
}

fn failing(status: &str, reason: &str) -> Reply {
    Reply::json(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("{{\"status\":\"{status}\",\"reason\":\"{reason}\"}}"),
    )
}
