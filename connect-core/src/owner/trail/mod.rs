//! The audit trail as its reader sees it: lists, exports, and actions without changed rows.

mod authors;
mod chains;
mod export;
mod filter;
mod list;

pub use export::{TrailPiece, TrailPlace};
pub use filter::{TrailFilter, TrailScope};
pub use list::TrailPage;

use uuid::Uuid;

use crate::{
    engine::Connect,
    transaction::{Account, End, Error, Reads, keys::GLOBAL},
    wire::Id,
};

impl Connect {
    /// Notes an action in the trail of an account, or of the store.
    /// For actions without a changed row of an account, such as a backup.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn note_action(
        &self,
        account: Option<Id<Account>>,
        object: &str,
        action: &str,
    ) -> Result<(), Error> {
        let partition = account.map_or(GLOBAL, Id::uuid);
        self.store()
            .transact(partition, |mut unit| async move {
                unit.load(Reads::of(partition)).await?;
                unit.note_action(object, partition, action);
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// The days to keep an entry of the trail.
    pub fn trail_days(&self) -> u32 {
        self.store().trail_days()
    }
}

/// The name of the chain of a partition: an account or a location; nil is the store.
pub(super) type Chain = Uuid;
