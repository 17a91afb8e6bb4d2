//! The purge of ended sessions and invitations.
//! Sessions have the browser and the network address of their user.

use serde::Deserialize;
use uuid::Uuid;

use super::{Expects, Purge};
use crate::{
    storage::Entry,
    transaction::{
        Fault,
        keys::{Family, after_prefix, key},
    },
    wire::Timestamp,
};

/// The end of a session or an invitation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expiring {
    expires_at: Timestamp,
}

impl Purge<'_> {
    /// Purges the ended sessions and invitations of an account.
    pub(super) async fn ended_sessions(&mut self, account: Uuid) -> Result<(), Fault> {
        let now = self.now;
        for family in [Family::Session, Family::Invitation] {
            let start = key(account, family, &[]);
            let end = after_prefix(&start);
            let is_ended = |row: &Entry| {
                let ends = serde_json::from_slice(&row.1);
                ends.is_ok_and(|of: Expiring| of.expires_at <= now)
            };
            let pick = |rows: &mut Vec<Entry>| {
                rows.retain(is_ended);
                true
            };
            // Another invitation may have come.
            self.done.sessions += self.walk(start, end, Expects::Unchanged, pick).await?;
        }
        Ok(())
    }
}
