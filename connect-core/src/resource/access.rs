//! A caller who has been let in to a location.

use std::sync::Arc;

use uuid::Uuid;

use crate::record::{Account, AccountLocation};

/// The right to act at one location, as the one who asked. It is checked when it is made, so an
/// operation that takes one need not ask again.
#[derive(Clone, Debug)]
pub struct Access {
    account: Arc<Account>,
    /// The location's place among those of the account.
    place: usize,
    caller: Uuid,
}

impl Access {
    /// Access to `location` of `account`; `caller` keeps the idempotency keys of one caller apart
    /// from those of others. `None` when the account has no such location.
    pub(crate) fn to(account: Arc<Account>, location: Uuid, caller: Uuid) -> Option<Self> {
        let place = account
            .locations
            .iter()
            .position(|place| place.id == location)?;
        Some(Self {
            account,
            place,
            caller,
        })
    }

    /// The account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The location.
    pub fn location(&self) -> &AccountLocation {
        &self.account.locations[self.place]
    }

    /// Who asks: the id of a token or of an owner's session.
    pub fn caller(&self) -> Uuid {
        self.caller
    }
}
