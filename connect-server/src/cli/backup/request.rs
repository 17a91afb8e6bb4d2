//! Requests of the command to a running server.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The server's path for these requests.
pub(crate) const PATH: &str = "/admin/v1/backup";

/// A request of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum BackupRequest {
    /// Take a snapshot of all rows.
    Begin,
    /// Answer with the next bytes of the file; none at its end.
    Next {
        /// The backup.
        backup: Uuid,
    },
}

/// The answer to the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BackupBegun {
    /// The backup.
    pub(crate) backup: Uuid,
}
