//! Sign-in of owners (contract: Owners and devices).
//! An invitation sets a password, a password opens a session, and a session gives access to the account.

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
    /// A new secret with the id of its account in front.
    fn secret_of(&self, account: Id<Account>) -> Secret {
        let prefix = format!("{account}.");
        Secret::new(&prefix, &*self.store().environment().randomness)
    }
}

/// The account id in front of an invitation or session value.
fn account_of(value: &str) -> Option<Id<Account>> {
    let (account, _) = value.split_once('.')?;
    let id = Uuid::try_parse(account).ok()?;
    // There is one way to write it, so that one value has one digest.
    (id.to_string() == account).then(|| id.into())
}

fn parse<T: serde::de::DeserializeOwned>(key: &Key, row: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|error| Fault::corrupt(key, error))
}
