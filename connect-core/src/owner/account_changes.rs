//! Changes of accounts and locations by their owner.
//! Records written earlier keep the former name.

use super::{
    accounts::{change_account, owner_email},
    owned,
    sign_in::move_sign_in,
};
use crate::{
    engine::Connect,
    rules::text,
    transaction::{Account, AccountLocation, End, Error},
    wire::{Id, Location, VatRate},
};

/// A change of an account. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct AccountChange {
    /// The name of the business, 1 to 100 characters.
    pub name: Option<String>,
    /// The e-mail address of its owner.
    pub owner_email: Option<String>,
}

/// A change of a location.
/// `None` leaves a field unchanged. The currency cannot change, because stored amounts are in it.
#[derive(Clone, Debug, Default)]
pub struct LocationChange {
    /// Its name, 1 to 100 characters.
    pub name: Option<String>,
    /// The VAT rate of future products without one of their own.
    pub default_vat_rate: Option<VatRate>,
}

impl Connect {
    /// Changes an account and returns it.
    /// An owner with a password then signs in with the new address.
    ///
    /// # Errors
    /// A field is invalid, there is no such account, or the owner of another account signs in with
    /// this address.
    pub async fn change_account(
        &self,
        account: Id<Account>,
        change: AccountChange,
    ) -> Result<Account, Error> {
        let name = &owner_name(change.name)?;
        let owner_email = &change.owner_email.as_deref().map(owner_email).transpose()?;
        self.store()
            .transact(account, |mut unit| async move {
                let account = change_account(&mut unit, |account| {
                    replace(&mut account.name, name);
                    replace(&mut account.owner_email, owner_email);
                    Ok(account.clone())
                })
                .await?;
                move_sign_in(&mut unit, &account).await?;
                Ok(End::commit(unit, account))
            })
            .await
    }

    /// Changes a location and returns it.
    ///
    /// # Errors
    /// A field is invalid, or there is no such account or location.
    pub async fn change_location(
        &self,
        account: Id<Account>,
        location: Id<Location>,
        change: LocationChange,
    ) -> Result<AccountLocation, Error> {
        let name = owner_name(change.name)?;
        self.change_row(account, |account| {
            let found = owned::find(&mut account.locations, location)?;
            replace(&mut found.name, &name);
            replace(&mut found.default_vat_rate, &change.default_vat_rate);
            Ok(found.clone())
        })
        .await
    }

    /// Changes the row of an account. An unchanged row is not written.
    pub(super) async fn change_row<T>(
        &self,
        account: Id<Account>,
        change: impl Fn(&mut Account) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let change = &change;
        self.store()
            .transact(account, |mut unit| async move {
                let changed = change_account(&mut unit, change).await?;
                Ok(End::commit(unit, changed))
            })
            .await
    }
}

fn owner_name(name: Option<String>) -> Result<Option<String>, Error> {
    let checked = name.map(|name| text::owner_name(&name));
    Ok(checked.transpose()?)
}

fn replace<T: Clone>(field: &mut T, change: &Option<T>) {
    if let Some(change) = change {
        field.clone_from(change);
    }
}
