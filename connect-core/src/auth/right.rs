//! A caller who has been let in to a location.

use std::{fmt, sync::Arc};

use uuid::Uuid;

use super::{
    credential_cache::Credential as _,
    credentials::Credentials,
    device::{Device, ScreenRight},
};
use crate::{
    rules::{idempotency::Kept, rate::RateStatus},
    storage::{Key, Value},
    transaction::{
        Account, AccountLocation, Error, Fault, Reads, Screen, ScreenType, Token, Unit,
        keys::{Family, key},
    },
    wire::{Id, Location, Scope},
};

/// The right to act at one location, as the one who asked. It is checked when it is made, so an
/// operation that takes one need not ask again; a write commits only while the token and the
/// account are still as they were then, or allow the same as they are now.
#[derive(Clone)]
pub struct Access {
    account: Arc<Account>,
    account_row: Value,
    /// The location's place among those of the account.
    place: usize,
    caller: Caller,
    /// The figures of the caller's limit when it was let in, where that is a screen.
    rate: Option<RateStatus>,
}

/// The one who acts. Idempotency keys belong to one actor, and what is written can say who wrote
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Actor<'a> {
    /// A token of the account.
    Token {
        /// Its id.
        id: Id<Token>,
        /// The name that its owner gave it.
        name: &'a str,
    },
    /// A register, a kiosk, or Scan & Order.
    Screen {
        /// Its id.
        id: Id<Screen>,
        /// The type.
        kind: ScreenType,
        /// Its name.
        name: &'a str,
    },
    /// The owner, or software that has checked its caller itself.
    Owner {
        /// The id of the session, or whatever keeps one caller apart from others.
        id: Uuid,
    },
}

impl Actor<'_> {
    /// The id under which the actor's idempotency keys are kept.
    pub fn id(&self) -> Uuid {
        match self {
            Self::Token { id, .. } => id.uuid(),
            Self::Screen { id, .. } => id.uuid(),
            Self::Owner { id } => *id,
        }
    }

    /// The time for which the actor's idempotency keys are kept.
    pub(crate) fn keys_kept(&self) -> Kept {
        match self {
            Self::Screen { .. } => Kept::Days,
            Self::Token { .. } | Self::Owner { .. } => Kept::Hours,
        }
    }
}

/// The rows that the right of an actor rests on.
#[derive(Clone, Debug)]
enum Caller {
    /// An owner, or software that has checked its caller itself.
    Owner(Uuid),
    /// A token, for what this scope allows.
    Token(Arc<Credentials>, Scope),
    /// A screen with its key.
    Screen(Arc<Device>),
}

impl Caller {
    /// The row that the right rests on besides the account's, and its key.
    fn row(&self) -> Option<(&Key, &Value)> {
        match self {
            Self::Owner(_) => None,
            Self::Token(credentials, _) => Some((&credentials.token_key, &credentials.token_row)),
            Self::Screen(device) => Some((&device.key, &device.key_row)),
        }
    }

    /// The error of a token or a key that is good no longer.
    fn unauthorized(&self) -> Error {
        match self {
            Self::Owner(_) | Self::Token(..) => Error::bad_token("is there no longer"),
            Self::Screen(_) => Error::bad_screen_key("is there no longer"),
        }
    }
}

impl Access {
    /// The owner's access to `location` of the account in `account_row`; `caller` keeps the
    /// idempotency keys of one caller apart from those of others. `None` when the account has no
    /// such location.
    pub(crate) fn of_owner(
        account: Arc<Account>,
        account_row: Value,
        location: Id<Location>,
        caller: Uuid,
    ) -> Option<Self> {
        Some(Self {
            place: place_of(&account, location)?,
            account,
            account_row,
            caller: Caller::Owner(caller),
            rate: None,
        })
    }

    /// A token's access to `location`, for what `scope` allows. `None` when the account has no
    /// such location.
    pub(crate) fn of_token(
        credentials: Arc<Credentials>,
        location: Id<Location>,
        scope: Scope,
    ) -> Option<Self> {
        Some(Self {
            place: place_of(&credentials.account, location)?,
            account: credentials.account.clone(),
            account_row: credentials.account_row.clone(),
            caller: Caller::Token(credentials, scope),
            rate: None,
        })
    }

    /// The access of a screen to the location in which it stands. `None` when the account has no
    /// such location.
    pub(crate) fn of_screen(device: Arc<Device>) -> Option<Self> {
        Some(Self {
            place: place_of(&device.account, device.screen.location_id)?,
            account: device.account.clone(),
            account_row: device.account_row.clone(),
            caller: Caller::Screen(device),
            rate: None,
        })
    }

    /// The same with the figures of the request's limit.
    pub(super) fn counted(self, rate: RateStatus) -> Self {
        Self {
            rate: Some(rate),
            ..self
        }
    }

    /// Returns the figures of a screen's limit, as they were when it was let in. `None` for a token, whose
    /// [`Authenticated`](super::Authenticated) has them, and for an owner.
    pub fn rate(&self) -> Option<RateStatus> {
        self.rate
    }

    /// The account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The location.
    pub fn location(&self) -> &AccountLocation {
        &self.account.locations[self.place]
    }

    /// Returns whether the caller may do what a scope allows, by the rights that it had when it was
    /// let in. An owner may do everything. A screen has no scopes.
    pub fn allows(&self, scope: &Scope) -> bool {
        match &self.caller {
            Caller::Owner(_) => true,
            Caller::Screen(_) => false,
            Caller::Token(credentials, _) => {
                credentials.authorize(self.location().id, scope).is_ok()
            }
        }
    }

    /// Checks that a screen acts, of a type that has this right.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`].
    pub fn check_screen(&self, right: ScreenRight) -> Result<(), Error> {
        self.screen(right).map(|_| ())
    }

    /// The screen that acts, of a type that has this right.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`].
    pub(crate) fn screen(&self, right: ScreenRight) -> Result<&Screen, Error> {
        let screen = match &self.caller {
            Caller::Screen(device) => Some(&device.screen),
            Caller::Owner(_) | Caller::Token(..) => None,
        };
        right.of(screen)
    }

    /// The partition of the location's rows.
    pub(crate) fn partition(&self) -> Uuid {
        self.location().id.uuid()
    }

    /// Returns the one who acts.
    pub fn actor(&self) -> Actor<'_> {
        match &self.caller {
            Caller::Owner(id) => Actor::Owner { id: *id },
            Caller::Token(credentials, _) => Actor::Token {
                id: credentials.token.id,
                name: &credentials.token.name,
            },
            Caller::Screen(device) => Actor::Screen {
                id: device.screen.id,
                kind: device.screen.kind,
                name: &device.screen.name,
            },
        }
    }

    /// Adds the rows that the right rests on.
    pub(crate) fn reads(&self, reads: &mut Reads) {
        reads.shared_row(self.account_key());
        if let Some((key, _)) = self.caller.row() {
            reads.shared_row(key.clone());
        }
    }

    /// Makes the commit of `unit` expect the rows that the right rests on. When one of them has
    /// changed since, returns the access as it is now.
    ///
    /// # Errors
    /// The right is gone: the token was revoked, say.
    pub(crate) async fn confirm(&self, unit: &mut Unit<'_>) -> Result<Option<Self>, Error> {
        let account_key = self.account_key();
        let account_row = unit.get(&account_key).await?;
        let account_row = account_row.ok_or_else(|| self.lost())?;
        unit.expect(&account_key, &account_row);
        let own_row = match self.caller.row() {
            None => None,
            Some((key, _)) => {
                let row = unit.get(key).await?;
                let row = row.ok_or_else(|| self.caller.unauthorized())?;
                unit.expect(key, &row);
                Some(row)
            }
        };
        let before = self.caller.row().map(|(_, row)| row);
        if account_row == self.account_row && own_row.as_ref() == before {
            return Ok(None);
        }
        let location = self.location().id;
        let renewed = match (&self.caller, own_row) {
            (Caller::Token(before, scope), Some(token_row)) => {
                let now = Credentials::parse(before.token_key.clone(), token_row, account_row)?;
                now.check_valid(unit.now())?;
                now.authorize(location, scope)?;
                Self::of_token(Arc::new(now), location, scope.clone())
            }
            (Caller::Screen(before), Some(key_row)) => {
                let now = Device::parse(before.key.clone(), key_row, account_row)?;
                let now = now.ok_or_else(|| self.caller.unauthorized())?;
                // A screen that was moved writes at its new location from the next request on.
                let is_here = now.screen.location_id == location;
                is_here.then(|| Self::of_screen(now.into())).flatten()
            }
            _ => {
                let account = serde_json::from_slice::<Account>(&account_row)
                    .map_err(|e| Fault::corrupt(&account_key, e))?;
                Self::of_owner(account.into(), account_row, location, self.actor().id())
            }
        };
        renewed.map(Some).ok_or_else(|| self.lost())
    }

    fn account_key(&self) -> Key {
        key(self.account.id.uuid(), Family::Account, &[])
    }

    fn lost(&self) -> Error {
        Error::not_found("location", self.location().id)
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("account", &self.account.id)
            .field("location", &self.location().id)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

fn place_of(account: &Account, location: Id<Location>) -> Option<usize> {
    let mut places = account.locations.iter();
    places.position(|place| place.id == location)
}
