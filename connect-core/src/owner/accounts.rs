//! Accounts and locations, managed by their owner in the dashboard.
//! A token gives no access to them.

use uuid::Uuid;

use super::owned::{self, Owned};
use crate::{
    auth::Access,
    engine::Connect,
    rules::text,
    storage::{Range, Read, Value},
    transaction::{
        Account, AccountLocation, End, Error, Fault, Reads, Reason, UnitOfWork, Webhooks,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::{
        Id, Location, VatRate,
        form::{Email, Form as _},
        limits::MAX_OWNER_EMAIL,
        read::Invalid,
    },
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
}

impl Connect {
    /// Makes an account without locations.
    ///
    /// # Errors
    /// A field is invalid.
    pub async fn create_account(&self, new: NewAccount) -> Result<Account, Error> {
        let name = text::owner_name(&new.name)?;
        let account = &Account {
            id: self.store().environment().ids.next().into(),
            name,
            owner_email: owner_email(&new.owner_email)?,
            sandbox: new.sandbox,
            locations: Vec::new(),
            screens: Vec::new(),
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
    /// [`Error::NotFound`].
    pub async fn account(&self, id: Id<Account>) -> Result<Account, Error> {
        Ok(self.account_with_row(id).await?.0)
    }

    async fn account_with_row(&self, id: Id<Account>) -> Result<(Account, Value), Error> {
        let account_key = key(id.uuid(), Family::Account, &[]);
        let row = self.store().get(&account_key).await?;
        let row = row.ok_or_else(|| no_account(id))?;
        let account = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&account_key, e))?;
        Ok((account, row))
    }

    /// The ids of all accounts, oldest first.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn account_ids(&self) -> Result<Vec<Id<Account>>, Error> {
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
                    owned::add(&mut account.locations, location.clone())
                })
                .await?;
                let link = Value::from(&*Webhooks::key(account.uuid()));
                unit.put(Webhooks::link_key(location.id.uuid()), link);
                Ok(End::commit(unit, location.clone()))
            })
            .await
    }

    /// Authorizes the owner at a location.
    /// Also serves software embedding the core, after its own check of the caller. `caller` keeps
    /// idempotency keys apart.
    ///
    /// # Errors
    /// There is no such account or location.
    pub async fn authorize_owner(
        &self,
        account: Id<Account>,
        location: Id<Location>,
        caller: impl Into<Uuid>,
    ) -> Result<Access, Error> {
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
    Ok(serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&account_key, e))?)
}

fn no_account(id: Id<Account>) -> Error {
    Error::NotFound(Reason::new(format!("there is no account {id}")))
}

/// Changes the account of a unit of work. An unchanged row is not written.
pub(super) async fn change_account<T>(
    unit: &mut UnitOfWork<'_>,
    change: impl FnOnce(&mut Account) -> Result<T, Error>,
) -> Result<T, Error> {
    let before = get_account(unit).await?;
    let mut account = before.clone();
    let changed = change(&mut account)?;
    if account != before {
        put_account(unit, &account);
    }
    Ok(changed)
}

fn put_account(unit: &mut UnitOfWork<'_>, account: &Account) {
    let row = unit.json(account);
    unit.put(key(account.id.uuid(), Family::Account, &[]), row);
}

/// Reads the e-mail address of an owner.
pub(super) fn owner_email(text: &str) -> Result<String, Invalid> {
    let mut address = text.to_owned();
    Email::<MAX_OWNER_EMAIL>::check(&mut address, "ownerEmail")?;
    Ok(address)
}

pub(super) fn check_location(
    account: &Account,
    field: &str,
    location: Id<Location>,
) -> Result<(), Invalid> {
    if account.has_location(location) {
        return Ok(());
    }
    Err(Invalid::new(field, "is no location of this account"))
}
