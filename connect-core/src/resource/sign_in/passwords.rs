//! Passwords: signing in with one, and changing it.

use std::net::IpAddr;

use uuid::Uuid;

use super::{
    parse,
    sessions::{IssuedSession, Owner, end_sessions, session_key},
};
use crate::{
    engine::Connect,
    error::{Error, Reason},
    record::{
        Account, Attempt, Fault, SignIn, Unit,
        keys::{Family, NOBODY, Part, key},
    },
    resource::accounts::{MAX_OWNER_EMAIL, get_account},
    rules::{password, text},
    storage::Key,
    wire::{Id, read::Invalid},
};

/// The sessions of an account at one time. Another one ends the oldest.
const MOST_SESSIONS: usize = 20;

impl Connect {
    /// Signs an owner in from the network address `from`. A minute has 10 attempts for each e-mail
    /// address and 30 from each network address.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] when the address or the password is wrong, [`Error::RateLimited`].
    pub async fn sign_in(
        &self,
        from: IpAddr,
        email: &str,
        password: &str,
    ) -> Result<IssuedSession, Error> {
        // No owner has a longer one, and it is kept for a minute to count it.
        let email = match email.chars().nth(MAX_OWNER_EMAIL) {
            None => text::folded(email),
            Some(_) => String::new(),
        };
        self.core.sign_ins.count(from, &email)?;
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
            sign_ins.is_hash_of(hash.clone(), password).await?
        };
        let (Some(account), Some(hash), true) = (account, hash, is_right) else {
            return Err(wrong_password());
        };
        let mut attempts = self.attempts(account.uuid());
        loop {
            let mut unit = attempts.begin();
            get_account(&mut unit).await?;
            let row = get_sign_in(&mut unit).await?;
            if row.is_none_or(|row| row.password != hash || row.email != email) {
                return Err(wrong_password());
            }
            end_sessions(&mut unit, MOST_SESSIONS - 1).await?;
            let session = self.open_session(&mut unit);
            if attempts.commit(unit).await? == Attempt::Done {
                return Ok(session);
            }
        }
    }

    /// Gives an owner another password. All sessions end but the owner's own. Counts as an attempt to
    /// [sign in](Self::sign_in).
    ///
    /// # Errors
    /// `currentPassword` is wrong, `password` is too short or too long, [`Error::RateLimited`].
    pub async fn change_password(
        &self,
        owner: &Owner,
        from: IpAddr,
        current: &str,
        password: &str,
    ) -> Result<(), Error> {
        let account = owner.account().id;
        password::check(password, &owner.account().owner_email)?;
        self.core
            .sign_ins
            .count(from, &text::folded(&owner.account().owner_email))?;
        let wrong = || Error::from(Invalid::new("currentPassword", "is wrong"));
        let before = self.sign_in_row(account).await?.ok_or_else(wrong)?;
        let sign_ins = &self.core.sign_ins;
        let hash = Some(before.password.clone());
        let may_be = current.chars().count() <= password::MAX_PASSWORD;
        if !may_be || !sign_ins.is_hash_of(hash, current.to_owned()).await? {
            return Err(wrong());
        }
        let hash = sign_ins.hash(password.to_owned()).await?;
        let mut attempts = self.attempts(account.uuid());
        loop {
            let mut unit = attempts.begin();
            get_account(&mut unit).await?;
            let mut row = get_sign_in(&mut unit).await?.ok_or_else(wrong)?;
            if row.password != before.password {
                return Err(wrong());
            }
            row.password = hash.clone();
            row.password_set_at = unit.now();
            put_sign_in(&mut unit, &row).await?;
            let own_key = session_key(account, &owner.session);
            let own = unit.get(&own_key).await?;
            end_sessions(&mut unit, 0).await?;
            if let Some(own) = own {
                unit.put(own_key, own);
            }
            if attempts.commit(unit).await? == Attempt::Done {
                return Ok(());
            }
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

/// Has an owner who has a password sign in with the address of the account as it is now.
pub(in crate::resource) async fn move_sign_in(
    unit: &mut Unit<'_>,
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

/// Writes how an owner signs in. Nobody else may sign in with the same address.
pub(super) async fn put_sign_in(unit: &mut Unit<'_>, sign_in: &SignIn) -> Result<(), Error> {
    let account = unit.partition();
    let entry = email_key(&sign_in.email);
    match unit.get(&entry).await? {
        Some(held) if *held != *account.as_bytes() => {
            return Err(Error::conflict(
                "ownerEmail",
                "is the address with which the owner of another account signs in; give one of the \
                 accounts another address",
            ));
        }
        Some(_) => {}
        None => unit.put_aside(entry, account.as_bytes().as_slice().into()),
    }
    let row = unit.json(sign_in);
    unit.put(key(account, Family::SignIn, &[]), row);
    Ok(())
}

async fn get_sign_in(unit: &mut Unit<'_>) -> Result<Option<SignIn>, Error> {
    let row_key = key(unit.partition(), Family::SignIn, &[]);
    let row = unit.get(&row_key).await?;
    Ok(row.map(|row| parse(&row_key, &row)).transpose()?)
}

fn email_key(email: &str) -> Key {
    key(NOBODY, Family::AccountOfEmail, &[Part::Text(email)])
}

fn wrong_password() -> Error {
    let problem = "is wrong, or the e-mail address is; ask for another invitation if it is lost";
    Error::Unauthorized(Reason::of("password", problem))
}
