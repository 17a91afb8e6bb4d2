//! The way of an owner into the account: an invitation sets a password, a password opens a session,
//! and a session lets the owner in (contract: Owners and devices).

mod invitations;
mod passwords;
mod sessions;

use uuid::Uuid;

pub use invitations::IssuedInvitation;
pub(super) use passwords::move_sign_in;
pub use sessions::{IssuedSession, Owner, SESSION_SECONDS};

use crate::{
    engine::Connect,
    rules::secret::Secret,
    storage::Key,
    transaction::{Account, Fault},
    wire::Id,
};

impl Connect {
    /// A new secret that tells of which account it is.
    fn secret_of(&self, account: Id<Account>) -> Secret {
        let prefix = format!("{account}.");
        Secret::new(&prefix, &*self.store().environment().randomness)
    }
}

/// The account of which an invitation or a session tells that it is.
fn account_of(value: &str) -> Option<Id<Account>> {
    let (account, _) = value.split_once('.')?;
    let id = Uuid::try_parse(account).ok()?;
    // There is one way to write it, so that one value has one digest.
    (id.to_string() == account).then(|| id.into())
}

fn parse<T: serde::de::DeserializeOwned>(key: &Key, row: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|error| Fault::corrupt(key, error))
}
