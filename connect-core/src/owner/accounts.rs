//! Accounts and locations, managed by their owner in the dashboard.
//! A token gives no access to them.

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{
    emails::email,
    owned::{self, Owned},
};
use crate::{
    auth::Access,
    engine::Connect,
    rules::{
        role::{Reach, UserRight},
        text,
    },
    storage::{Key, Range, Read, Value},
    transaction::{
        Account, AccountLocation, Author, End, Error, Fault, Reads, Reason, Retention, UnitOfWork,
        User, Webhooks,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::{Id, Location, VatRate, read::Invalid},
};

/// The values for a new account.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The name of the business, 1 to 100 characters.
    pub name: String,
    /// The e-mail address of its owner.
    pub owner_email: String,
    /// Set for an account of the sandbox.
    pub sandbox: bool,
}

/// The values for a new location.
#[derive(Clone, Debug)]
pub struct NewLocation {
    /// Its name, 1 to 100 characters.
    pub name: String,
    /// The ISO code of its currency, such as `EUR`.
    pub currency: String,
    /// The VAT rate of new products without one of their own.
    pub default_vat_rate: VatRate,
}

impl Owned for AccountLocation {
    const NAME: &'static str = "location";
    const MOST: usize = usize::MAX;
    const REMOVE: &'static str = "remove";

    fn id(&self) -> Uuid {
        self.id.uuid()
    }

    fn location(&self) -> Option<Id<Location>> {
        Some(self.id)
    }
}

impl Connect {
    /// Makes an account without locations, with its owner as a user.
    ///
    /// # Errors
    /// A field is invalid, or the caller is a user.
    pub async fn create_account(&self, new: NewAccount) -> Result<Account, Error> {
        self.check_service()?;
        let name = text::owner_name(&new.name)?;
        let owner_email = email(&new.owner_email, "ownerEmail")?;
        let ids = &self.store().environment().ids;
        let account = &Account {
            id: ids.next().into(),
            name,
            sandbox: new.sandbox,
            locations: Vec::new(),
            screens: Vec::new(),
            users: vec![User::owner(ids.next().into(), owner_email)],
            requires_second_factor: false,
            erasures: Vec::new(),
            retention: Retention::default(),
        };
        self.store()
            .transact(account.id, |mut unit| async move {
                unit.load(Reads::of(account.id.uuid())).await?;
                unit.put_stored(key(account.id.uuid(), Family::Account, &[]), account);
                // It is there from the beginning, so that commits at the locations can expect it.
                let none = unit.json(&Webhooks::default());
                unit.put(Webhooks::key(account.id.uuid()), none);
                Ok(End::commit(unit, account.clone()))
            })
            .await
    }

    /// The account with this id.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for an account of other users.
    pub async fn account(&self, id: Id<Account>) -> Result<Account, Error> {
        let account = self.account_with_row(id).await?.0;
        self.user_in(&account)?;
        Ok(account)
    }

    /// The account with this id, and the caller's reach in it.
    ///
    /// # Errors
    /// [`Error::NotFound`], or the caller has not the right.
    pub(super) async fn account_with(
        &self,
        id: Id<Account>,
        right: UserRight,
    ) -> Result<(Account, Reach), Error> {
        let account = self.account_with_row(id).await?.0;
        let reach = self.reach_in(&account, right)?;
        Ok((account, reach))
    }

    /// The account of a unit of work, and the caller's reach in it.
    ///
    /// # Errors
    /// [`Error::NotFound`], or the caller has not the right.
    pub(super) async fn account_of(
        &self,
        unit: &mut UnitOfWork<'_>,
        right: UserRight,
    ) -> Result<(Account, Reach), Error> {
        let account = get_account(unit).await?;
        let reach = self.reach_in(&account, right)?;
        Ok((account, reach))
    }

    /// The account of a unit of work, for a caller with a right in the whole account.
    ///
    /// # Errors
    /// [`Error::NotFound`], or the caller has not the right, or only at some locations.
    pub(super) async fn whole_account_of(
        &self,
        unit: &mut UnitOfWork<'_>,
        right: UserRight,
    ) -> Result<Account, Error> {
        let (account, reach) = self.account_of(unit, right).await?;
        whole_account(&reach)?;
        Ok(account)
    }

    /// The user calling, if the caller is one.
    ///
    /// # Errors
    /// [`Error::NotFound`]: the account has no such user.
    pub(super) fn user_in<'a>(&self, account: &'a Account) -> Result<Option<&'a User>, Error> {
        let Author::User { id } = self.authorship().author else {
            return Ok(None);
        };
        let user = account.user(id);
        user.map(Some).ok_or_else(|| no_account(account.id))
    }

    /// Returns whether the caller is this user.
    pub(super) fn is_user(&self, user: Id<User>) -> bool {
        self.authorship().author == Author::User { id: user }
    }

    /// The caller's reach of a right in an account.
    ///
    /// # Errors
    /// [`Error::NotFound`], or the caller has not the right.
    pub(super) fn reach_in(&self, account: &Account, right: UserRight) -> Result<Reach, Error> {
        match self.user_in(account)? {
            None => Ok(Reach::Account),
            Some(user) => account.reach(user, right),
        }
    }

    /// Refuses users, for calls about the whole service.
    pub(super) fn check_service(&self) -> Result<(), Error> {
        match self.authorship().author {
            Author::User { .. } => Err(Error::lacks_right()),
            _ => Ok(()),
        }
    }

    async fn account_with_row(&self, id: Id<Account>) -> Result<(Account, Value), Error> {
        let account_key = key(id.uuid(), Family::Account, &[]);
        let row = self.store().get(&account_key).await?;
        let row = row.ok_or_else(|| no_account(id))?;
        Ok((parse(&account_key, &row)?, row))
    }

    /// The ids of all accounts, oldest first.
    ///
    /// # Errors
    /// The storage failed, or the caller is a user.
    pub async fn account_ids(&self) -> Result<Vec<Id<Account>>, Error> {
        self.check_service()?;
        let prefix = key(GLOBAL, Family::AccountList, &[]);
        let range = Range {
            from: &prefix,
            to: Some(&after_prefix(&prefix)),
        };
        let all = Read::Scan {
            range,
            limit: usize::MAX,
            newest_first: false,
        };
        let entries = self.store().read(&[all]).await?.entries();
        let entries = entries.map_err(Fault::from)?;
        let id = |key: &[u8]| {
            let id = Uuid::from_slice(&key[prefix.len()..]).map(Id::new);
            id.map_err(|e| Fault::corrupt(key, e).into())
        };
        entries.iter().map(|(key, _)| id(key)).collect()
    }

    /// Makes a location.
    ///
    /// # Errors
    /// A field is invalid, or there is no such account.
    pub async fn create_location(
        &self,
        account: Id<Account>,
        new: NewLocation,
    ) -> Result<AccountLocation, Error> {
        let name = text::owner_name(&new.name)?;
        if new.currency.len() != 3 || !new.currency.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err(Invalid::new("currency", "must be an ISO code such as EUR").into());
        }
        let location = &AccountLocation {
            id: self.store().environment().ids.next().into(),
            name,
            currency: new.currency,
            default_vat_rate: new.default_vat_rate,
        };
        self.store()
            .transact(account, |mut unit| async move {
                change_account(&mut unit, |account| {
                    whole_account(&self.reach_in(account, UserRight::ManageAccount)?)?;
                    owned::add(&mut account.locations, location.clone())
                })
                .await?;
                let link = Value::from(&*Webhooks::key(account.uuid()));
                unit.put(Webhooks::link_key(location.id.uuid()), link);
                Ok(End::commit(unit, location.clone()))
            })
            .await
    }

    /// Authorizes software with its own check of callers at a location, for everything.
    /// A signed-in user is authorized by [`UserSession::authorize`](crate::UserSession::authorize). `caller` keeps
    /// idempotency keys apart.
    ///
    /// # Errors
    /// There is no such account or location, or the caller is a user.
    pub async fn authorize_owner(
        &self,
        account: Id<Account>,
        location: Id<Location>,
        caller: impl Into<Uuid>,
    ) -> Result<Access, Error> {
        self.check_service()?;
        let (account, row) = self.account_with_row(account).await?;
        Access::of_owner(account, row, location, caller.into())
            .ok_or_else(|| Error::not_found("location", location))
    }
}

pub(super) async fn get_account(unit: &mut UnitOfWork<'_>) -> Result<Account, Error> {
    let id = unit.partition();
    let account_key = key(id, Family::Account, &[]);
    let mut reads = Reads::of(id);
    reads.row(account_key.clone());
    unit.load(reads).await?;
    let row = unit.get(&account_key).await?;
    let row = row.ok_or_else(|| no_account(id.into()))?;
    Ok(parse(&account_key, &row)?)
}

/// Reads a row.
pub(super) fn parse<T: DeserializeOwned>(key: &Key, row: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(row).map_err(|error| Fault::corrupt(key, error))
}

pub(super) fn no_account(id: Id<Account>) -> Error {
    Error::NotFound(Reason::new(format!("there is no account {id}")))
}

/// Changes the account of a unit of work. An unchanged row is not written.
pub(super) async fn change_account<T>(
    unit: &mut UnitOfWork<'_>,
    change: impl FnOnce(&mut Account) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut account = get_account(unit).await?;
    let changed = change(&mut account)?;
    put_account(unit, &account).await?;
    Ok(changed)
}

/// Writes the account of a unit of work, if it was changed.
pub(super) async fn put_account(unit: &mut UnitOfWork<'_>, account: &Account) -> Result<(), Fault> {
    let account_key = key(account.id.uuid(), Family::Account, &[]);
    let row = unit.json(account);
    if unit.get(&account_key).await?.as_ref() != Some(&row) {
        unit.put(account_key, row);
    }
    Ok(())
}

/// Requires a right for the whole account.
pub(super) fn whole_account(reach: &Reach) -> Result<(), Error> {
    match reach {
        Reach::Account => Ok(()),
        Reach::Locations(_) => Err(Error::ForbiddenScope(Reason::new(
            "you have this right only at some locations; ask an owner of the account",
        ))),
    }
}

/// Checks a location named in a field: one of the account, within reach.
pub(super) fn check_location(
    account: &Account,
    reach: &Reach,
    field: &str,
    location: Id<Location>,
) -> Result<(), Invalid> {
    if account.has_location(location) && reach.includes(location) {
        return Ok(());
    }
    Err(Invalid::new(field, "is no location of this account"))
}
