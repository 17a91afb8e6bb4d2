//! An admitted caller at a location.

use std::{fmt, sync::Arc};

use uuid::Uuid;

use super::{
    credential_cache::Credential as _,
    credentials::Credentials,
    device::{Device, ScreenRight},
};
use crate::{
    rules::{idempotency::KeyRetention, rate::RateStatus, role::UserRight},
    storage::{Key, Value},
    transaction::{
        Account, AccountLocation, Error, Fault, Reads, Reason, Screen, ScreenType, Token,
        UnitOfWork, User,
        keys::{Family, key},
    },
    wire::{Id, Location, Scope},
};

/// The right of a caller to act at one location.
/// It is checked when made, so an operation with one need not check again. A write commits only if the
/// token and the account are unchanged since, or still give the same right.
#[derive(Clone)]
pub struct Access {
    caller: Caller,
    /// The index of the location in the account.
    place: usize,
    /// The rate-limit status at admission, if the caller is a screen.
    rate: Option<RateStatus>,
}

/// The acting caller.
/// Idempotency keys belong to one actor, and a written record can name its actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Actor<'a> {
    /// A token of the account.
    Token {
        /// Its id.
        id: Id<Token>,
        /// The name given by its owner.
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
    /// A user, or software with its own check of callers.
    Owner {
        /// The id of the user, or another id unique to one caller.
        id: Uuid,
        /// The user, if it is one.
        user: Option<Id<User>>,
    },
}

impl Actor<'_> {
    /// The id to store the actor's idempotency keys under.
    pub fn id(&self) -> Uuid {
        match self {
            Self::Token { id, .. } => id.uuid(),
            Self::Screen { id, .. } => id.uuid(),
            Self::Owner { id, .. } => *id,
        }
    }

    /// The retention time of the actor's idempotency keys.
    pub(crate) fn keys_kept(&self) -> KeyRetention {
        match self {
            Self::Screen { .. } => KeyRetention::Days,
            Self::Token { .. } | Self::Owner { .. } => KeyRetention::Hours,
        }
    }
}

/// The caller and its account, with the rows its right depends on.
/// Cheap to clone: each request does so a few times.
#[derive(Clone, Debug)]
enum Caller {
    /// A user, or software with its own check of callers.
    Owner(Arc<Owner>),
    /// A token, with the permitted scope.
    Token(Arc<Credentials>, Scope),
    /// A screen with its key.
    Screen(Arc<Device>),
}

/// The account of a user or of other software, and the id of the caller.
struct Owner {
    id: Uuid,
    /// The user, with the permitted right.
    user: Option<(Id<User>, UserRight)>,
    account: Account,
    account_row: Value,
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owner")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Caller {
    /// The account, and its row.
    fn account(&self) -> (&Account, &Value) {
        match self {
            Self::Owner(owner) => (&owner.account, &owner.account_row),
            Self::Token(credentials, _) => (&credentials.account, &credentials.account_row),
            Self::Screen(device) => (&device.account, &device.account_row),
        }
    }

    /// The row behind the right besides the account's, and its key.
    fn row(&self) -> Option<(&Key, &Value)> {
        match self {
            Self::Owner(_) => None,
            Self::Token(credentials, _) => Some((&credentials.token_key, &credentials.token_row)),
            Self::Screen(device) => Some((&device.key, &device.key_row)),
        }
    }

    /// The error of a token or key deleted meanwhile.
    fn unauthorized(&self) -> Error {
        match self {
            Self::Owner(_) | Self::Token(..) => Error::bad_token("no longer exists"),
            Self::Screen(_) => Error::bad_screen_key("no longer exists"),
        }
    }
}

impl Access {
    /// The access of software with its own check of callers to `location` of the account in `account_row`.
    /// `caller` separates the idempotency keys of different callers. `None` if the account has no such
    /// location.
    pub(crate) fn of_owner(
        account: Account,
        account_row: Value,
        location: Id<Location>,
        caller: Uuid,
    ) -> Option<Self> {
        let owner = Owner {
            id: caller,
            user: None,
            account,
            account_row,
        };
        Self::of(Caller::Owner(owner.into()), location)
    }

    /// A user's access to `location` of the account in `account_row`, with this right.
    ///
    /// # Errors
    /// The account has no such location or user, or the user has not the right there.
    pub(crate) fn of_user(
        account: Account,
        account_row: Value,
        location: Id<Location>,
        (user, right): (Id<User>, UserRight),
    ) -> Result<Self, Error> {
        let found = account.user(user);
        // A location elsewhere is as one that does not exist.
        let missing = || Error::not_found("location", location);
        let reach = account.reach(found.ok_or_else(missing)?, right)?;
        if !reach.includes(location) {
            return Err(missing());
        }
        let owner = Owner {
            id: user.uuid(),
            user: Some((user, right)),
            account,
            account_row,
        };
        Self::of(Caller::Owner(owner.into()), location).ok_or_else(missing)
    }

    /// A token's access to `location`, within `scope`.
    /// `None` if the account has no such location.
    pub(crate) fn of_token(
        credentials: Arc<Credentials>,
        location: Id<Location>,
        scope: Scope,
    ) -> Option<Self> {
        Self::of(Caller::Token(credentials, scope), location)
    }

    /// A screen's access to its location.
    /// `None` if the account has no such location.
    pub(crate) fn of_screen(device: Arc<Device>) -> Option<Self> {
        let location = device.screen.location_id;
        Self::of(Caller::Screen(device), location)
    }

    fn of(caller: Caller, location: Id<Location>) -> Option<Self> {
        let (account, _) = caller.account();
        let mut places = account.locations.iter();
        Some(Self {
            place: places.position(|place| place.id == location)?,
            caller,
            rate: None,
        })
    }

    /// Adds the rate-limit status of the request.
    pub(super) fn counted(self, rate: RateStatus) -> Self {
        Self {
            rate: Some(rate),
            ..self
        }
    }

    /// Returns the rate-limit status of a screen at its admission.
    /// `None` for a token, since its [`Authenticated`](super::Authenticated) has the status, and for an
    /// owner.
    pub fn rate(&self) -> Option<RateStatus> {
        self.rate
    }

    /// The account.
    pub fn account(&self) -> &Account {
        self.caller.account().0
    }

    /// The location.
    pub fn location(&self) -> &AccountLocation {
        &self.account().locations[self.place]
    }

    /// Returns true if the caller's rights at admission include a scope.
    /// A user has those of the roles here. A screen has no scopes.
    pub fn allows(&self, scope: &Scope) -> bool {
        match &self.caller {
            Caller::Owner(owner) => match (owner.user, UserRight::of_scope(scope)) {
                (None, _) => true,
                (Some((user, _)), Some(right)) => {
                    let user = owner.account.user(user);
                    let reach = user.and_then(|user| owner.account.reach(user, right).ok());
                    reach.is_some_and(|reach| reach.includes(self.location().id))
                }
                (Some(_), None) => false,
            },
            Caller::Screen(_) => false,
            Caller::Token(credentials, _) => {
                credentials.authorize(self.location().id, scope).is_ok()
            }
        }
    }

    /// Requires the caller to be a screen of a type with this right.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`].
    pub fn check_screen(&self, right: ScreenRight) -> Result<(), Error> {
        self.screen(right).map(|_| ())
    }

    /// Returns the calling screen, if its type has this right.
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

    /// Refuses callers other than the owner, with this problem.
    ///
    /// # Errors
    /// [`Error::ForbiddenScope`].
    pub(crate) fn check_owner(&self, problem: &str) -> Result<(), Error> {
        match self.caller {
            Caller::Owner(_) => Ok(()),
            Caller::Token(..) | Caller::Screen(_) => {
                Err(Error::ForbiddenScope(Reason::new(problem)))
            }
        }
    }

    /// The partition of the location's rows.
    pub(crate) fn partition(&self) -> Uuid {
        self.location().id.uuid()
    }

    /// Returns the acting caller.
    pub fn actor(&self) -> Actor<'_> {
        match &self.caller {
            Caller::Owner(owner) => Actor::Owner {
                id: owner.id,
                user: owner.user.map(|(user, _)| user),
            },
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

    /// Adds the rows of the right to the reads.
    pub(crate) fn reads(&self, reads: &mut Reads) {
        reads.shared_row(self.account_key());
        if let Some((key, _)) = self.caller.row() {
            reads.shared_row(key.clone());
        }
    }

    /// Makes the commit of `unit` expect unchanged rows of the right.
    /// If one of them has changed since, returns the current access.
    ///
    /// # Errors
    /// The right is gone: the token was revoked, for example.
    pub(crate) async fn confirm(&self, unit: &mut UnitOfWork<'_>) -> Result<Option<Self>, Error> {
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
        if account_row == *self.caller.account().1 && own_row.as_ref() == before {
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
                // A moved screen writes at its new location from the next request on.
                let is_here = now.screen.location_id == location;
                is_here.then(|| Self::of_screen(now.into())).flatten()
            }
            _ => {
                let account = serde_json::from_slice::<Account>(&account_row)
                    .map_err(|e| Fault::corrupt(&account_key, e))?;
                let user = match &self.caller {
                    Caller::Owner(owner) => owner.user,
                    _ => None,
                };
                match user {
                    Some(user) => Some(Self::of_user(account, account_row, location, user)?),
                    None => Self::of_owner(account, account_row, location, self.actor().id()),
                }
            }
        };
        renewed.map(Some).ok_or_else(|| self.lost())
    }

    fn account_key(&self) -> Key {
        key(self.account().id.uuid(), Family::Account, &[])
    }

    fn lost(&self) -> Error {
        Error::not_found("location", self.location().id)
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("account", &self.account().id)
            .field("location", &self.location().id)
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}
