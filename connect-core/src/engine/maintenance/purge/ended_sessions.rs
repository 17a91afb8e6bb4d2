//! The purge of ended sessions and invitations.
//! Sessions have the browser and the network address of their user.

use serde::Deserialize;
use uuid::Uuid;

use super::Purge;
use crate::{
    storage::{Commit, Expectation, Write},
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
        for family in [Family::Session, Family::Invitation] {
            let start = key(account, family, &[]);
            let end = after_prefix(&start);
            let mut from = Some(start);
            while let Some(at) = from {
                let piece = self.piece(&at, &end).await?;
                from = piece.next;
                let mut commit = Commit::default();
                for (key, row) in piece.entries {
                    let ends = serde_json::from_slice(&row);
                    if ends.is_ok_and(|of: Expiring| of.expires_at <= self.now) {
                        commit.writes.push((key.clone(), Write::Remove));
                        // Another invitation may have come.
                        commit.expects.push((key, Expectation::Is(row)));
                    }
                }
                let purged = commit.expects.len();
                if purged > 0 && self.connect.store().commit(commit).await? {
                    self.done.sessions += purged;
                }
            }
        }
        Ok(())
    }
}
