//! Invitations: the way for a user to set a first or new password.

use super::{
    account_of,
    passwords::check_way,
    rows::get_sign_in,
    sessions::{IssuedSession, SignInWay, end_sessions},
};
use crate::{
    engine::Connect,
    owner::accounts::{get_account, parse},
    rules::{
        secret::{self, Secret},
        text,
    },
    transaction::{
        Account, End, Error, Fault, Invitation, ReadKey, Reason, SignIn, UnitOfWork, User,
        UserMessage,
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
    /// The address of the mail with the link; `None` if this service sends no mail.
    pub mailed_to: Option<String>,
}

/// A user with an open invitation.
#[derive(Clone, Debug)]
pub struct Invited {
    /// The account.
    pub account: Account,
    /// The user.
    pub user: User,
}

impl Connect {
    /// Invites a user to set a first or new password.
    /// An earlier open invitation is refused from now on. The value is in this answer and in the mail to the user, if this
    /// service sends mail.
    ///
    /// # Errors
    /// There is no such account or user; [`Error::Conflict`]: the user needs the account's provider.
    pub async fn invite_user(
        &self,
        account: Id<Account>,
        user: Id<User>,
    ) -> Result<IssuedInvitation, Error> {
        self.store()
            .transact(account, |mut unit| async move {
                let (found, to) = self.managed_user(&mut unit, user).await?;
                if to.needs_provider() {
                    let problem = "signs in through the account's provider, and needs no password";
                    return Err(Error::conflict("user", problem));
                }
                let secret = self.secret_of(account);
                let expires_at = unit.now().plus_seconds(INVITATION_SECONDS);
                let message = UserMessage::Invitation { until: expires_at };
                let is_mailed =
                    self.queue_mail(&mut unit, (&found, &to), message, Some(&secret))?;
                let row = unit.json(&Invitation {
                    digest: hex::encode(secret.digest()),
                    expires_at,
                });
                unit.put(Invitation::key(account.uuid(), user), row);
                let issued = IssuedInvitation {
                    secret,
                    expires_at,
                    mailed_to: is_mailed.then_some(to.email),
                };
                Ok(End::commit(unit, issued))
            })
            .await
    }

    /// Invites the first owner of an account, as [`invite_user`](Self::invite_user) does.
    ///
    /// # Errors
    /// There is no such account.
    pub async fn invite_owner(&self, account: Id<Account>) -> Result<IssuedInvitation, Error> {
        let found = self.account(account).await?;
        let missing = || Error::NotFound(Reason::new("this account has no owner"));
        let owner = found.first_owner().ok_or_else(missing)?.id;
        self.invite_user(account, owner).await
    }

    /// Returns the user of an open invitation.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when it was replaced, used or has expired.
    pub async fn invited_user(&self, invitation: &str) -> Result<Invited, Error> {
        let account = account_of(invitation).ok_or_else(bad_invitation)?;
        self.store()
            .transact(account, |mut unit| async move {
                let invited = find_invitation(&mut unit, invitation).await?;
                Ok(End::rollback(invited))
            })
            .await
    }

    /// Sets the password of the invited user, and signs the user in.
    /// The invitation is used up, and the user's open sessions end. A user with a former password gets mail. A second
    /// factor stays: the session then [awaits a code](IssuedSession::awaits_code).
    ///
    /// # Errors
    /// The password is too short, too long or easy to guess; [`Error::Unauthorized`] when the
    /// invitation was replaced, used or has expired; [`Error::Conflict`] when a user of another
    /// account signs in with this e-mail address; [`Error::RateLimited`] when too many
    /// users set a password at this moment, or one was set 10 times for this user within a
    /// minute.
    pub async fn accept_invitation(
        &self,
        invitation: &str,
        password: &str,
    ) -> Result<IssuedSession, Error> {
        let Invited { account, user } = self.invited_user(invitation).await?;
        check_way(&user)?;
        self.core.sign_ins.confirm(user.id)?;
        let hash = &self.core.sign_ins.hash(&account, password).await?;
        self.store()
            .transact(account.id, |mut unit| async move {
                let Invited { account, user } = find_invitation(&mut unit, invitation).await?;
                check_way(&user)?;
                let before = get_sign_in(&mut unit, user.id).await?;
                if before.is_some() {
                    let message = UserMessage::PasswordChanged;
                    self.queue_mail(&mut unit, (&account, &user), message, None)?;
                }
                let email = text::folded(&user.email);
                let password = (hash.clone(), unit.now());
                let mut sign_in = SignIn::with_password(before, email, password);
                unit.delete(Invitation::key(account.id.uuid(), user.id));
                end_sessions(&mut unit, user.id).await?;
                let session = self
                    .open_session(
                        &mut unit,
                        (&account, &user),
                        Some(&mut sign_in),
                        SignInWay::Password,
                    )
                    .await?;
                Ok(End::commit(unit, session))
            })
            .await
    }
}

/// The account and the user of an open invitation with this value.
async fn find_invitation(unit: &mut UnitOfWork<'_>, value: &str) -> Result<Invited, Error> {
    let account = get_account(unit).await.map_err(|error| match error {
        Error::NotFound(_) => bad_invitation(),
        other => other,
    })?;
    let digest = hex::encode(secret::digest(value));
    // An account has few users.
    let all = key(account.id.uuid(), Family::Invitation, &[]);
    for (row_key, row) in unit.scan(&all, usize::MAX).await? {
        let invitation: Invitation = parse(&row_key, &row)?;
        if invitation.digest != digest || unit.now() >= invitation.expires_at {
            continue;
        }
        let id = ReadKey::of(&row_key).and_then(|at| at.id());
        let id = id.ok_or_else(|| Fault::corrupt(&row_key, "it has no user"))?;
        let user = account.user(id.into());
        let user = user.cloned().ok_or_else(bad_invitation)?;
        return Ok(Invited { account, user });
    }
    Err(bad_invitation())
}

fn bad_invitation() -> Error {
    let problem = "was replaced, used or has expired; ask for another one, or sign in";
    Error::Unauthorized(Reason::of("invitation", problem))
}
