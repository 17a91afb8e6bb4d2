//! Passwords: sign-in, and changes of the password.

use std::net::IpAddr;

use uuid::Uuid;

use super::{
    parse,
    sessions::{IssuedSession, Owner, end_sessions, session_key},
};
use crate::{
    engine::Connect,
    owner::accounts::{change_account, get_account, owner_email},
    rules::{password, text},
    storage::Key,
    transaction::{
        Account, End, Error, Fault, PasswordHash, Reason, SignIn, UnitOfWork,
        keys::{Family, GLOBAL, KeyPart, key},
    },
    wire::{Id, limits::MAX_OWNER_EMAIL, read::Invalid},
};

/// The limit of sessions per account. Another one ends the oldest.
const MOST_SESSIONS: usize = 20;

impl Connect {
    /// Signs an owner in from the network address `from`.
    /// Limits per minute: 30 attempts per network, and 10 failures per e-mail address and network.
    /// After 100 failures for an e-mail address from all networks, each network may fail once more.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the address or the password is wrong, [`Error::RateLimited`].
    pub async fn sign_in(
        &self,
        from: IpAddr,
        email: &str,
        password: &str,
    ) -> Result<IssuedSession, Error> {
        // No owner has a longer one.
        let email = match email.chars().nth(MAX_OWNER_EMAIL) {
            None => text::folded(email),
            Some(_) => String::new(),
        };
        let attempt = self.core.sign_ins.attempt(from, &email)?;
        let account = self.account_of_email(&email).await?;
        let hash = match account {
            Some(account) => self.sign_in_row(account).await?.map(|row| row.password),
            None => None,
        };
        // A password that is too long has no hash; it is not hashed to find that out.
        let may_be = password.chars().count() <= password::MAX_PASSWORD;
        let is_right = may_be && {
            let password = password.to_owned();
            let sign_ins = &self.core.sign_ins;
            sign_ins
                .is_hash_of(&attempt, hash.clone(), password)
                .await?
        };
        let (Some(account), Some(hash), true) = (account, hash, is_right) else {
            return Err(wrong_password());
        };
        let (email, hash) = (&email, &hash);
        let signed_in = self.store().transact(account, |mut unit| async move {
            get_account(&mut unit).await?;
            let row = get_sign_in(&mut unit).await?;
            if row.is_none_or(|row| row.password != *hash || row.email != *email) {
                return Err(wrong_password());
            }
            end_sessions(&mut unit, MOST_SESSIONS - 1).await?;
            let session = self.open_session(&mut unit);
            Ok(End::commit(unit, session))
        });
        let session = signed_in.await?;
        self.core.sign_ins.take_back(&attempt);
        Ok(session)
    }

    /// Gives an owner another password.
    /// All other sessions end. An account may have 10 calls a minute, including successful ones.
    ///
    /// # Errors
    /// `currentPassword` is wrong, `password` is too short, too long or easy to guess,
    /// [`Error::RateLimited`].
    pub async fn change_password(
        &self,
        owner: &Owner,
        current: &str,
        password: &str,
    ) -> Result<(), Error> {
        let account = owner.account().id;
        let confirmed = &self.confirmed_password(account, current).await?;
        let hash = &self.core.sign_ins.hash(owner.account(), password).await?;
        self.store()
            .transact(account, |mut unit| async move {
                get_account(&mut unit).await?;
                let mut row = get_confirmed(&mut unit, confirmed).await?;
                row.password = hash.clone();
                row.password_set_at = unit.now();
                put_sign_in(&mut unit, &row).await?;
                let own_key = session_key(account, &owner.session);
                let own = unit.get(&own_key).await?;
                end_sessions(&mut unit, 0).await?;
                if let Some(own) = own {
                    unit.put(own_key, own);
                }
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Changes the e-mail address of an owner and returns the account.
    /// The owner gets mail and signs in at the new address. Shares the limit of
    /// [`change_password`](Self::change_password), and a refused address counts too: so repeated
    /// tries do not reveal the addresses of other owners.
    ///
    /// # Errors
    /// `currentPassword` is wrong, `ownerEmail` is invalid, [`Error::RateLimited`]; [`Error::Conflict`] when
    /// the owner of another account signs in with this address.
    pub async fn change_owner_email(
        &self,
        owner: &Owner,
        current: &str,
        email: &str,
    ) -> Result<Account, Error> {
        let email = &owner_email(email)?;
        let account = owner.account().id;
        let confirmed = &self.confirmed_password(account, current).await?;
        let changed = self.store().transact(account, |mut unit| async move {
            let account = change_account(&mut unit, |account| {
                account.owner_email.clone_from(email);
                Ok(account.clone())
            })
            .await?;
            get_confirmed(&mut unit, confirmed).await?;
            move_sign_in(&mut unit, &account).await?;
            Ok::<_, Error>(End::commit(unit, account))
        });
        let changed = changed.await?;
        self.core.sign_ins.confirmed(account);
        Ok(changed)
    }

    /// Finds the account of an owner's e-mail address, in any case.
    ///
    /// For the operator alone: the answer reveals which addresses have accounts.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn account_of_owner(&self, email: &str) -> Result<Option<Id<Account>>, Error> {
        match email.chars().nth(MAX_OWNER_EMAIL) {
            None => self.account_of_email(&text::folded(email)).await,
            Some(_) => Ok(None),
        }
    }

    /// Checks the current password of a signed-in owner. Returns its hash.
    async fn confirmed_password(
        &self,
        account: Id<Account>,
        password: &str,
    ) -> Result<PasswordHash, Error> {
        let sign_ins = &self.core.sign_ins;
        sign_ins.confirm(account)?;
        let row = self.sign_in_row(account).await?;
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

    async fn account_of_email(&self, email: &str) -> Result<Option<Id<Account>>, Error> {
        let entry = email_key(email);
        let found = self.store().get(&entry).await?;
        let Some(row) = found else { return Ok(None) };
        let id = Uuid::from_slice(&row).map_err(|e| Fault::corrupt(&entry, e))?;
        Ok(Some(id.into()))
    }

    async fn sign_in_row(&self, account: Id<Account>) -> Result<Option<SignIn>, Error> {
        let row_key = key(account.uuid(), Family::SignIn, &[]);
        let row = self.store().get(&row_key).await?;
        Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
    }
}

/// Moves the sign-in of an owner to the account's current address.
/// An owner without a password has none.
pub(in crate::owner) async fn move_sign_in(
    unit: &mut UnitOfWork<'_>,
    account: &Account,
) -> Result<(), Error> {
    let Some(mut row) = get_sign_in(unit).await? else {
        return Ok(());
    };
    let email = text::folded(&account.owner_email);
    if row.email != email {
        unit.delete(email_key(&row.email));
        row.email = email;
        put_sign_in(unit, &row).await?;
    }
    Ok(())
}

/// Writes the sign-in of an owner.
/// Refuses an address in use by another account.
pub(super) async fn put_sign_in(unit: &mut UnitOfWork<'_>, sign_in: &SignIn) -> Result<(), Error> {
    let account = unit.partition();
    let entry = email_key(&sign_in.email);
    match unit.get(&entry).await? {
        Some(held) if *held != *account.as_bytes() => {
            return Err(Error::conflict(
                "ownerEmail",
                "is not available; choose another address",
            ));
        }
        Some(_) => {}
        None => unit.put_unversioned(entry, account.as_bytes().as_slice().into()),
    }
    let row = unit.json(sign_in);
    unit.put(key(account, Family::SignIn, &[]), row);
    Ok(())
}

/// The sign-in of the owner, if the confirmed password is still current.
async fn get_confirmed(
    unit: &mut UnitOfWork<'_>,
    confirmed: &PasswordHash,
) -> Result<SignIn, Error> {
    let row = get_sign_in(unit).await?;
    row.filter(|row| row.password == *confirmed)
        .ok_or_else(wrong_current_password)
}

async fn get_sign_in(unit: &mut UnitOfWork<'_>) -> Result<Option<SignIn>, Error> {
    let row_key = key(unit.partition(), Family::SignIn, &[]);
    let row = unit.get(&row_key).await?;
    Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
}

fn email_key(email: &str) -> Key {
    key(GLOBAL, Family::AccountOfEmail, &[KeyPart::Text(email)])
}

fn wrong_current_password() -> Error {
    Invalid::new("currentPassword", "is wrong").into()
}

fn wrong_password() -> Error {
    let problem = "is wrong, or the e-mail address is; ask for another invitation if it is lost";
    Error::Unauthorized(Reason::of("password", problem))
}
