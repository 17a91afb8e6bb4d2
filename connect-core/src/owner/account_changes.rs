//! Changes of accounts and locations by their owner.
//! Records written earlier keep the former name.

use super::{
    accounts::{change_account, whole_account},
    owned,
};
use crate::{
    engine::Connect,
    rules::{
        role::{Reach, UserRight},
        text,
    },
    transaction::{Account, AccountLocation, End, Error},
    wire::{Id, Location, VatRate},
};

/// A change of an account. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct AccountChange {
    /// The name of the business, 1 to 100 characters.
    pub name: Option<String>,
    /// Set to demand a second factor of all users: without one they have no rights.
    pub requires_second_factor: Option<bool>,
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
    ///
    /// # Errors
    /// A field is invalid, or there is no such account; [`Error::Conflict`]: the caller would have no rights without a
    /// second factor.
    pub async fn change_account(
        &self,
        account: Id<Account>,
        change: AccountChange,
    ) -> Result<Account, Error> {
        let name = owner_name(change.name)?;
        self.change_row(account, UserRight::ManageAccount, |account, reach| {
            whole_account(reach)?;
            replace(&mut account.name, &name);
            if change.requires_second_factor == Some(true) {
                self.check_own_factor(account)?;
            }
            replace(
                &mut account.requires_second_factor,
                &change.requires_second_factor,
            );
            Ok(account.clone())
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
        self.change_row(account, UserRight::ManageLocations, |account, reach| {
            let found = owned::find_in(&mut account.locations, reach, location)?;
            replace(&mut found.name, &name);
            replace(&mut found.default_vat_rate, &change.default_vat_rate);
            Ok(found.clone())
        })
        .await
    }

    /// Changes the row of an account by a caller with this right.
    /// The change gets the reach of the right. An unchanged row is not written.
    pub(super) async fn change_row<T>(
        &self,
        account: Id<Account>,
        right: UserRight,
        change: impl Fn(&mut Account, &Reach) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let change = &change;
        self.store()
            .transact(account, |mut unit| async move {
                let changed = change_account(&mut unit, |account| {
                    let reach = self.reach_in(account, right)?;
                    change(account, &reach)
                })
                .await?;
                Ok(End::commit(unit, changed))
            })
            .await
    }
}

pub(super) fn owner_name(name: Option<String>) -> Result<Option<String>, Error> {
    let checked = name.map(|name| text::owner_name(&name));
    Ok(checked.transpose()?)
}

pub(super) fn replace<T: Clone>(field: &mut T, change: &Option<T>) {
    if let Some(change) = change {
        field.clone_from(change);
    }
}
