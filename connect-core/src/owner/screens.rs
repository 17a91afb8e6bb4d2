//! Screens and their keys: tills, kiosks and Scan & Order pages.
//! A screen with a key writes at its location. A token gives no access to screens.

use uuid::Uuid;

use super::{
    accounts::{change_account, check_location},
    owned::{self, Owned},
    secret_rows,
};
use crate::{
    engine::Connect,
    rules::{
        role::UserRight,
        secret::{SCREEN_KEY, Secret},
        text,
    },
    storage::{Key, Read},
    transaction::{
        Account, End, Error, Fault, Screen, ScreenKey, ScreenType, UnitOfWork,
        keys::{Family, GLOBAL, key},
    },
    wire::{Id, Location, limits::MAX_SCREENS},
};

/// The values for a new screen.
#[derive(Clone, Debug)]
pub struct NewScreen {
    /// Its location.
    pub location_id: Id<Location>,
    /// The type.
    pub kind: ScreenType,
    /// Its name, 1 to 100 characters.
    pub name: String,
}

impl Owned for Screen {
    const NAME: &'static str = "screen";
    const MOST: usize = MAX_SCREENS;
    const REMOVE: &'static str = "remove";

    fn id(&self) -> Uuid {
        self.id.uuid()
    }

    fn location(&self) -> Option<Id<Location>> {
        Some(self.location_id)
    }
}

impl Connect {
    /// Makes a screen, and so opens the API to its account.
    /// It cannot write before it has a key ([`roll_screen_key`](Self::roll_screen_key)).
    ///
    /// # Errors
    /// A field is invalid, there is no such account or location, or the account has 100 screens.
    pub async fn create_screen(
        &self,
        account: Id<Account>,
        new: NewScreen,
    ) -> Result<Screen, Error> {
        let screen = Screen {
            id: self.store().environment().ids.next().into(),
            location_id: new.location_id,
            kind: new.kind,
            name: text::owner_name(&new.name)?,
        };
        self.change_row(account, UserRight::ManageScreens, |account, reach| {
            check_location(account, reach, "locationId", screen.location_id)?;
            owned::add(&mut account.screens, screen.clone())?;
            Ok(screen.clone())
        })
        .await
    }

    /// Renames a screen and returns it.
    /// The name has 1 to 100 characters.
    ///
    /// # Errors
    /// The name is invalid, or there is no such account or screen.
    pub async fn rename_screen(
        &self,
        account: Id<Account>,
        screen: Id<Screen>,
        name: &str,
    ) -> Result<Screen, Error> {
        let name = text::owner_name(name)?;
        self.change_row(account, UserRight::ManageScreens, |account, reach| {
            let found = owned::find_in(&mut account.screens, reach, screen)?;
            found.name.clone_from(&name);
            Ok(found.clone())
        })
        .await
    }

    /// Removes a screen with its key; its records stay.
    /// Without any screen, every call of the account's tokens is refused until there is one again.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete_screen(
        &self,
        account: Id<Account>,
        screen: Id<Screen>,
    ) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                change_account(&mut unit, |account| {
                    let reach = self.reach_in(account, UserRight::ManageScreens)?;
                    owned::find_in(&mut account.screens, &reach, screen)?;
                    owned::remove(&mut account.screens, screen)
                })
                .await?;
                secret_rows::remove::<ScreenKey>(&mut unit, screen.uuid()).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Gives a screen a new key.
    /// A former key is refused from now on. Only this answer has the value.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn roll_screen_key(
        &self,
        account: Id<Account>,
        screen: Id<Screen>,
    ) -> Result<Secret, Error> {
        self.store()
            .transact(account, |mut unit| async move {
                self.find_screen(&mut unit, screen).await?;
                secret_rows::remove::<ScreenKey>(&mut unit, screen.uuid()).await?;
                let secret = Secret::new(SCREEN_KEY, &*self.store().environment().randomness);
                let screen_key = ScreenKey {
                    screen_id: screen,
                    account_id: account,
                    prefix: secret.beginning(SCREEN_KEY),
                    created_at: unit.now(),
                };
                secret_rows::put(&mut unit, &screen_key, &secret.digest());
                Ok(End::commit(unit, secret))
            })
            .await
    }

    /// Revokes the key of a screen. Revoking it again changes nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn revoke_screen_key(
        &self,
        account: Id<Account>,
        screen: Id<Screen>,
    ) -> Result<(), Error> {
        self.store()
            .transact(account, |mut unit| async move {
                self.find_screen(&mut unit, screen).await?;
                secret_rows::remove::<ScreenKey>(&mut unit, screen.uuid()).await?;
                Ok(End::commit(unit, ()))
            })
            .await
    }

    /// Checks a screen of the unit's account to be within the caller's reach.
    async fn find_screen(
        &self,
        unit: &mut UnitOfWork<'_>,
        screen: Id<Screen>,
    ) -> Result<(), Error> {
        let (mut account, reach) = self.account_of(unit, UserRight::ManageScreens).await?;
        owned::find_in(&mut account.screens, &reach, screen).map(|_| ())
    }

    /// The screens of an account with their keys, oldest first.
    /// A user sees those of the own locations.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn screens(
        &self,
        account: Id<Account>,
    ) -> Result<Vec<(Screen, Option<ScreenKey>)>, Error> {
        let right = UserRight::ManageScreens;
        let (Account { mut screens, .. }, reach) = self.account_with(account, right).await?;
        screens.retain(|screen| reach.includes(screen.location_id));
        let by_id =
            |screen: &Screen| secret_rows::entry_key::<ScreenKey>(account.uuid(), screen.id.uuid());
        let entries: Vec<Key> = screens.iter().map(by_id).collect();
        let rows = key(GLOBAL, Family::ScreenKey, &[]);
        let follow = |key| Read::Follow { key, rows: &rows };
        let reads: Vec<_> = entries.iter().map(|key| follow(key)).collect();
        let mut state = self.store().read(&reads).await?;
        let with_key = |(screen, entry): (Screen, &Key)| {
            let followed = state.followed().map_err(Fault::from)?;
            let row = followed.and_then(|(_, row)| row);
            let screen_key = row.map(|row| serde_json::from_slice(&row)).transpose();
            let screen_key = screen_key.map_err(|e| Fault::corrupt(entry, e))?;
            Ok((screen, screen_key))
        };
        screens.into_iter().zip(&entries).map(with_key).collect()
    }
}
