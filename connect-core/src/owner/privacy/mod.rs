//! The privacy of an account: planned erasures, and how long personal data is kept.

mod export;
mod persons;

pub use export::AccountPiece;
pub use persons::{Blanked, Person};

use super::{
    accounts::{put_account, whole_account},
    owned::{self, missing},
};
use crate::{
    engine::Connect,
    rules::role::UserRight,
    transaction::{
        Account, AccountLocation, End, Error, PlannedErasure, Reason, Retention, UserMessage,
    },
    wire::{
        Id, Location,
        limits::{ERASURE_DAYS, EVENT_DAYS, MAX_RETENTION_DAYS, MIN_RETENTION_DAYS},
        read::Invalid,
    },
};

impl Connect {
    /// Plans the erasure of an account or of one of its locations.
    /// It comes at the end of the grace time. Until then everything goes on, and [`cancel_erasure`](Self::cancel_erasure) takes it back. One planned already stays as it is.
    /// The owners get mail about it. [`maintain`](Self::maintain) erases.
    ///
    /// # Errors
    /// There is no such account or location, or the caller is no owner.
    pub async fn plan_erasure(
        &self,
        account: Id<Account>,
        location: Option<Id<Location>>,
    ) -> Result<PlannedErasure, Error> {
        let erase_at = self.now().plus_days(ERASURE_DAYS);
        self.store()
            .transact(account, |mut unit| async move {
                let right = UserRight::ManagePrivacy;
                let mut account = self.whole_account_of(&mut unit, right).await?;
                check_location(&account, location)?;
                if let Some(planned) = account.planned_erasure(location) {
                    return Ok(End::rollback(planned));
                }
                let planned = PlannedErasure {
                    location_id: location,
                    erase_at,
                };
                account.erasures.push(planned);
                let mut locations = account.locations.iter();
                let found = locations.find(|of| Some(of.id) == location);
                let message = UserMessage::ErasurePlanned {
                    location: found.map(|location| location.name.clone()),
                    erase_at,
                };
                self.mail_owners(&mut unit, &account, &message)?;
                put_account(&mut unit, &account).await?;
                Ok(End::commit(unit, planned))
            })
            .await
    }

    /// Takes back the planned erasure of an account or a location.
    ///
    /// # Errors
    /// There is no such account, location or planned erasure, or its grace time is over.
    pub async fn cancel_erasure(
        &self,
        account: Id<Account>,
        location: Option<Id<Location>>,
    ) -> Result<(), Error> {
        let now = self.now();
        self.change_row(account, UserRight::ManagePrivacy, |account, reach| {
            whole_account(reach)?;
            check_location(account, location)?;
            let none = || Error::Conflict(Reason::new("no erasure of it is planned"));
            let planned = account.planned_erasure(location).ok_or_else(none)?;
            if planned.erase_at <= now {
                return Err(Error::Conflict(Reason::new(
                    "its grace time is over, and it is being erased",
                )));
            }
            account.erasures.retain(|of| *of != planned);
            Ok(())
        })
        .await
    }

    /// Sets the days to keep personal data of an account, and returns them.
    /// [`maintain`](Self::maintain) removes what is older.
    ///
    /// # Errors
    /// A number of days is not allowed, there is no such account, or the caller is no owner.
    pub async fn set_retention(
        &self,
        account: Id<Account>,
        retention: Retention,
    ) -> Result<Retention, Error> {
        check(&retention)?;
        self.change_row(account, UserRight::ManagePrivacy, |account, reach| {
            whole_account(reach)?;
            account.retention = retention;
            Ok(retention)
        })
        .await
    }
}

fn check_location(account: &Account, location: Option<Id<Location>>) -> Result<(), Error> {
    match location {
        Some(location) if !account.has_location(location) => {
            Err(missing(<AccountLocation as owned::Owned>::NAME, location))
        }
        _ => Ok(()),
    }
}

fn check(retention: &Retention) -> Result<(), Invalid> {
    let few = EVENT_DAYS as u32;
    for (field, days, most) in [
        ("orderDays", retention.order_days, MAX_RETENTION_DAYS),
        ("personDays", retention.person_days, MAX_RETENTION_DAYS),
        ("eventDays", retention.event_days, few),
        ("deliveryDays", retention.delivery_days, few),
        ("requestDays", retention.request_days, few),
        ("journalDays", retention.journal_days, MAX_RETENTION_DAYS),
    ] {
        if days.is_some_and(|days| !(MIN_RETENTION_DAYS..=most).contains(&days)) {
            let problem = format!("must be {MIN_RETENTION_DAYS} to {most} days");
            return Err(Invalid::new(field, problem));
        }
    }
    Ok(())
}
