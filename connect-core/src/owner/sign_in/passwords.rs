//! Passwords: sign-in, and changes of password and address.

use std::net::IpAddr;

use uuid::Uuid;

use super::{
    rows::{get_sign_in, put_sign_in},
    sessions::{IssuedSession, SignInWay, UserSession, end_others, end_sessions},
};
use crate::{
    engine::Connect,
    owner::{
        accounts::{get_account, parse, put_account},
        emails::{check_email, email},
        owned,
    },
    rules::{password, text},
    transaction::{
        Account, End, Error, Fault, Invitation, PasswordHash, Reason, SignIn, UnitOfWork, User,
        UserMessage,
    },
    wire::{Id, limits::MAX_OWNER_EMAIL, read::Invalid},
};

impl Connect {
    /// Signs a user in from the network address `from`.
    /// The session of a user with a second factor [awaits a code](IssuedSession::awaits_code). A user gets mail about a
    /// browser not seen before. A password hashed with lower parameters than today's is hashed again.
    ///
    /// Limits per minute: 30 attempts per network, and 10 failures per e-mail address and network.
    /// After 100 failures for an e-mail address from all networks, each network may fail once more.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the address or the password is wrong, or the user
    /// [needs the provider](User::needs_provider) of the account; [`Error::RateLimited`].
    pub async fn sign_in(
        &self,
        from: IpAddr,
        email: &str,
        password: &str,
    ) -> Result<IssuedSession, Error> {
        let email = folded_email(email);
        let attempt = self.core.sign_ins.attempt(from, &email)?;
        let found = self.user_with_email(&email).await?;
        let hash = match found {
            Some((account, user)) => self.sign_in_row(account, user).await?,
            None => None,
        };
        let hash = hash.map(|row| row.password);
        // A password that is too long has no hash; it is not hashed to find that out.
        let may_be = password.chars().count() <= password::MAX_PASSWORD;
        let current = if may_be {
            let password = password.to_owned();
            let sign_ins = &self.core.sign_ins;
            sign_ins
                .is_hash_of(&attempt, hash.clone(), password)
                .await?
        } else {
            None
        };
        let (Some((account, user)), Some(hash), Some(current)) = (found, hash, current) else {
            return Err(wrong_password());
        };
        let (email, hash, current) = (&email, &hash, &current);
        let signed_in = self.store().transact(account, |mut unit| async move {
            let account = get_account(&mut unit).await?;
            let own = account.user(user);
            let row = get_sign_in(&mut unit, user).await?;
            let row = row.filter(|row| row.password == *hash && row.email == *email);
            let (Some(own), Some(mut row)) = (own, row) else {
                return Err(wrong_password());
            };
            check_way(own)?;
            row.password.clone_from(current);
            let session = self
                .open_session(
                    &mut unit,
                    (&account, own),
                    Some(&mut row),
                    SignInWay::Password,
                )
                .await?;
            Ok(End::commit(unit, session))
        });
        let session = signed_in.await?;
        self.core.sign_ins.take_back(&attempt);
        Ok(session)
    }

    /// Gives a user another password.
    /// All other sessions of the user end, and so does an open invitation; the user gets mail. A user may have 10 calls a
    /// minute, including successful ones.
    ///
    /// # Errors
    /// `currentPassword` is wrong, `password` is too short, too long or easy to guess,
    /// [`Error::RateLimited`].
    pub async fn change_password(
        &self,
        session: &UserSession,
        current: &str,
        password: &str,
    ) -> Result<(), Error> {
        let (account, user) = (session.account().id, session.user().id);
        let confirmed = &self.confirmed_password(session, current).await?;
        let hash = &self.core.sign_ins.hash(session.account(), password).await?;
        self.store()
            .transact(account, |mut unit| async move {
                let account = get_account(&mut unit).await?;
                let mut row = get_confirmed(&mut unit, user, confirmed).await?;
                row.password = hash.clone();
                row.password_set_at = unit.now();
                row.drop_begun();
                put_sign_in(&mut unit, user, &row).await?;
                remove_invitation(&mut unit, user).await?;
                if let Some(own) = account.user(user) {
                    self.queue_mail(
                        &mut unit,
                        (&account, own),
                        UserMessage::PasswordChanged,
                        None,
                    )?;
                }
                end_others(&mut unit, session).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Changes the e-mail address of a signed-in user and returns the user.
    /// The user gets mail and signs in at the new address, and the former one gets mail about it. All other sessions of
    /// the user end. Shares the limit of
    /// [`change_password`](Self::change_password), and a refused address counts too: so repeated
    /// tries do not reveal the addresses of other users.
    ///
    /// # Errors
    /// `currentPassword` is wrong, `email` is invalid, [`Error::RateLimited`]; [`Error::Conflict`] when
    /// another user signs in with this address.
    pub async fn change_email(
        &self,
        session: &UserSession,
        current: &str,
        address: &str,
    ) -> Result<User, Error> {
        let address = &email(address, "email")?;
        let (account, user) = (session.account().id, session.user().id);
        let confirmed = &self.confirmed_password(session, current).await?;
        let changed = self.store().transact(account, |mut unit| async move {
            let mut account = get_account(&mut unit).await?;
            let found = owned::find(&mut account.users, user)?;
            let before = found.clone();
            found.email.clone_from(address);
            let found = found.clone();
            check_email(&account, &found)?;
            put_account(&mut unit, &account).await?;
            get_confirmed(&mut unit, user, confirmed).await?;
            self.move_sign_in(&mut unit, &account, (&before, &found))
                .await?;
            end_others(&mut unit, session).await?;
            Ok::<_, Error>(End::commit(unit, found))
        });
        let changed = changed.await?;
        self.core.sign_ins.confirmed(user);
        Ok(changed)
    }

    /// Finds the account and the user of an e-mail address, in any case.
    ///
    /// For the operator alone: the answer reveals which addresses have accounts.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn user_of_email(
        &self,
        email: &str,
    ) -> Result<Option<(Id<Account>, Id<User>)>, Error> {
        match email.chars().nth(MAX_OWNER_EMAIL) {
            None => self.user_with_email(&text::folded(email)).await,
            Some(_) => Ok(None),
        }
    }

    /// Checks the current password of a signed-in user. Returns its hash.
    pub(super) async fn confirmed_password(
        &self,
        session: &UserSession,
        password: &str,
    ) -> Result<PasswordHash, Error> {
        let (account, user) = (session.account().id, session.user().id);
        let sign_ins = &self.core.sign_ins;
        sign_ins.confirm(user)?;
        let row = self.sign_in_row(account, user).await?;
        let hash = row.ok_or_else(wrong_current_password)?.password;
        let may_be = password.chars().count() <= password::MAX_PASSWORD;
        let is_right = may_be && {
            let password = password.to_owned();
            sign_ins.is_owners(hash.clone(), password).await?
        };
        if is_right {
            Ok(hash)
        } else {
            Err(wrong_current_password())
        }
    }

    pub(super) async fn user_with_email(
        &self,
        email: &str,
    ) -> Result<Option<(Id<Account>, Id<User>)>, Error> {
        let entry = SignIn::email_key(email);
        let found = self.store().get(&entry).await?;
        let Some(row) = found else { return Ok(None) };
        let ids = row.split_first_chunk::<16>().and_then(|(account, user)| {
            let user = Uuid::from_slice(user).ok()?;
            Some((Uuid::from_bytes(*account).into(), user.into()))
        });
        let ids = ids.ok_or_else(|| Fault::corrupt(&entry, "it leads to no user"))?;
        Ok(Some(ids))
    }

    pub(super) async fn sign_in_row(
        &self,
        account: Id<Account>,
        user: Id<User>,
    ) -> Result<Option<SignIn>, Error> {
        let row_key = SignIn::key(account.uuid(), user);
        let row = self.store().get(&row_key).await?;
        Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
    }

    /// Moves the sign-in of a user to another address, and tells the former one.
    /// An open invitation ends. A user without a password has no sign-in.
    pub(in crate::owner) async fn move_sign_in(
        &self,
        unit: &mut UnitOfWork<'_>,
        account: &Account,
        (before, user): (&User, &User),
    ) -> Result<(), Error> {
        if before.email == user.email {
            return Ok(());
        }
        remove_invitation(unit, user.id).await?;
        let Some(mut row) = get_sign_in(unit, user.id).await? else {
            return Ok(());
        };
        let email = text::folded(&user.email);
        if row.email != email {
            unit.delete(SignIn::email_key(&row.email));
            row.email = email;
            put_sign_in(unit, user.id, &row).await?;
        }
        let message = UserMessage::EmailChanged {
            email: user.email.clone(),
        };
        self.queue_mail(unit, (account, before), message, None)?;
        Ok(())
    }
}

/// Removes the password, the invitation and the sessions of a user.
pub(in crate::owner) async fn remove_sign_in(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<(), Error> {
    let account = unit.partition();
    if let Some(row) = get_sign_in(unit, user).await? {
        unit.delete(SignIn::email_key(&row.email));
        unit.delete(SignIn::key(account, user));
    }
    remove_invitation(unit, user).await?;
    end_sessions(unit, user).await
}

/// Removes the open invitation of a user, if there is one.
pub(in crate::owner) async fn remove_invitation(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
) -> Result<(), Error> {
    let invitation = Invitation::key(unit.partition(), user);
    if unit.get(&invitation).await?.is_some() {
        unit.delete(invitation);
    }
    Ok(())
}

/// An e-mail address as it is looked for. It is empty for a text of no user: a longer one.
pub(super) fn folded_email(email: &str) -> String {
    match email.chars().nth(MAX_OWNER_EMAIL) {
        None => text::folded(email),
        Some(_) => String::new(),
    }
}

/// The sign-in of the user, if the confirmed password is still current.
pub(super) async fn get_confirmed(
    unit: &mut UnitOfWork<'_>,
    user: Id<User>,
    confirmed: &PasswordHash,
) -> Result<SignIn, Error> {
    let row = get_sign_in(unit, user).await?;
    row.filter(|row| row.password == *confirmed)
        .ok_or_else(wrong_current_password)
}

/// Refuses a user who signs in through the account's provider alone.
pub(super) fn check_way(user: &User) -> Result<(), Error> {
    if user.needs_provider() {
        return Err(Error::Unauthorized(Reason::of(
            "provider",
            "is the way to sign in: use the address of your company's sign-in",
        )));
    }
    Ok(())
}

fn wrong_current_password() -> Error {
    Invalid::new("currentPassword", "is wrong").into()
}

fn wrong_password() -> Error {
    let problem = "is wrong, or the e-mail address is; ask for another invitation if it is lost";
    Error::Unauthorized(Reason::of("password", problem))
}
