//! Sign-in of users (contract: Owners and devices).
//! An invitation sets a password. A password, with the second factor if there is one, or a passkey opens a session, and a
//! session gives access to the account.

mod forgotten;
mod invitations;
mod passkeys;
mod passwords;
mod rows;
mod second_factor;
mod sessions;
mod single_sign_on;

use uuid::Uuid;

pub use invitations::{Invited, IssuedInvitation};
pub use passkeys::{NewPasskey, Passkey, PasskeyClaim};
pub(super) use passwords::remove_sign_in;
pub use second_factor::{AwaitingSignIn, NewSecondFactor, SecondFactor};
pub(super) use sessions::end_sessions;
pub use sessions::{
    AWAITING_SECONDS, IssuedSession, OpenSession, SESSION_IDLE_SECONDS, SESSION_SECONDS,
    UserSession,
};
pub(super) use single_sign_on::unlink;
pub use single_sign_on::{NewProvider, Provider, ProviderUser};

use crate::{
    engine::Connect,
    rules::secret::Secret,
    storage::{Key, Value},
    transaction::{Account, Invitation, SignIn, User},
    wire::{Id, Timestamp},
};

/// The state of a user's sign-in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignInStatus {
    /// Set once the user has a password.
    pub has_password: bool,
    /// The end of an open invitation, if there is one.
    pub invited_until: Option<Timestamp>,
}

impl SignInStatus {
    /// Reads it from the [rows](keys) of a user.
    pub(super) fn of(sign_in: Option<Value>, invitation: Option<Value>, now: Timestamp) -> Self {
        let invitation = invitation.and_then(|row| serde_json::from_slice(&row).ok());
        let open = invitation.filter(|invitation: &Invitation| now < invitation.expires_at);
        Self {
            has_password: sign_in.is_some(),
            invited_until: open.map(|invitation| invitation.expires_at),
        }
    }
}

/// The keys of a user's password and invitation.
pub(super) fn keys(account: Id<Account>, user: Id<User>) -> [Key; 2] {
    [
        SignIn::key(account.uuid(), user),
        Invitation::key(account.uuid(), user),
    ]
}

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
