//! Invitations: the way for an owner to set a first or new password.

use super::{
    account_of, parse,
    passwords::put_sign_in,
    sessions::{IssuedSession, end_sessions},
};
use crate::{
    engine::Connect,
    owner::accounts::get_account,
    rules::{
        secret::{self, Secret},
        text,
    },
    storage::Key,
    transaction::{
        Account, End, Error, Invitation, Reason, SignIn, UnitOfWork,
        keys::{Family, key},
    },
    wire::{Id, Timestamp},
};

/// The validity of an invitation: three days.
const INVITATION_SECONDS: i64 = 3 * 24 * 3600;

/// A new invitation with its value, shown only once.
#[derive(Clone, Debug)]
pub struct IssuedInvitation {
    /// Its value, for [`accept_invitation`](Connect::accept_invitation).
    pub secret: Secret,
    /// The time of its expiry, three days from now.
    pub expires_at: Timestamp,
}

impl Connect {
    /// Invites an owner to set a first or new password.
    /// An earlier open invitation is refused from now on. Only this answer has the value.
    ///
    /// # Errors
    /// There is no such account.
    pub async fn invite_owner(&self, account: Id<Account>) -> Result<IssuedInvitation, Error> {
        self.store()
            .transact(account, |mut unit| async move {
                get_account(&mut unit).await?;
                let secret = self.secret_of(account);
                let expires_at = unit.now().plus_seconds(INVITATION_SECONDS);
                let row = unit.json(&Invitation {
                    digest: hex::encode(secret.digest()),
                    expires_at,
                });
                unit.put(invitation_key(account), row);
                Ok(End::commit(unit, IssuedInvitation { secret, expires_at }))
            })
            .await
    }

    /// Returns the account of an open invitation.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when it was replaced, used or has expired.
    pub async fn invited_account(&self, invitation: &str) -> Result<Account, Error> {
        let account = account_of(invitation).ok_or_else(bad_invitation)?;
        self.store()
            .transact(account, |mut unit| async move {
                let account = find_invitation(&mut unit, invitation).await?;
                Ok(End::rollback(account))
            })
            .await
    }

    /// Sets the password of the invited owner, and signs the owner in.
    /// The invitation is used up, and open sessions end.
    ///
    /// # Errors
    /// The password is too short, too long or easy to guess; [`Error::Unauthorized`] when the
    /// invitation was replaced, used or has expired; [`Error::Conflict`] when the owner of another
    /// account signs in with the e-mail address of this one; [`Error::RateLimited`] when too many
    /// owners set a password at this moment, or one was set 10 times for this account within a
    /// minute.
    pub async fn accept_invitation(
        &self,
        invitation: &str,
        password: &str,
    ) -> Result<IssuedSession, Error> {
        let invited = self.invited_account(invitation).await?;
        self.core.sign_ins.confirm(invited.id)?;
        let hash = &self.core.sign_ins.hash(&invited, password).await?;
        self.store()
            .transact(invited.id, |mut unit| async move {
                let account = find_invitation(&mut unit, invitation).await?;
                let sign_in = SignIn {
                    email: text::folded(&account.owner_email),
                    password: hash.clone(),
                    password_set_at: unit.now(),
                };
                put_sign_in(&mut unit, &sign_in).await?;
                unit.delete(invitation_key(account.id));
                end_sessions(&mut unit, 0).await?;
                let session = self.open_session(&mut unit);
                Ok(End::commit(unit, session))
            })
            .await
    }
}

/// The account of an invitation.
/// The invitation must be open, and `value` must be its value.
async fn find_invitation(unit: &mut UnitOfWork<'_>, value: &str) -> Result<Account, Error> {
    let account = get_account(unit).await.map_err(|error| match error {
        Error::NotFound(_) => bad_invitation(),
        other => other,
    })?;
    let row_key = invitation_key(account.id);
    let row = unit.get(&row_key).await?.ok_or_else(bad_invitation)?;
    let invitation: Invitation = parse(&row_key, &row)?;
    let is_it = invitation.digest == hex::encode(secret::digest(value));
    if is_it && unit.now() < invitation.expires_at {
        Ok(account)
    } else {
        Err(bad_invitation())
    }
}

fn invitation_key(account: Id<Account>) -> Key {
    key(account.uuid(), Family::Invitation, &[])
}

fn bad_invitation() -> Error {
    let problem = "was replaced, used or has expired; ask for another one, or sign in";
    Error::Unauthorized(Reason::of("invitation", problem))
}
