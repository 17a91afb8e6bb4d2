//! A caller who has been let in to a location.

use std::{fmt, sync::Arc};

use uuid::Uuid;

use super::credentials::Credentials;
use crate::{
    error::Error,
    record::{
        Account, AccountLocation, Fault, Reads, Token, Unit,
        keys::{Family, key},
    },
    rules::access,
    storage::{Key, Value},
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
            Self::Owner { id } => *id,
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
        })
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
    /// let in. An owner may do everything.
    pub fn allows(&self, scope: &Scope) -> bool {
        match &self.caller {
            Caller::Owner(_) => true,
            Caller::Token(credentials, _) => {
                credentials.authorize(self.location().id, scope).is_ok()
            }
        }
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
        }
    }

    /// Adds the rows that the right rests on.
    pub(crate) fn reads(&self, reads: &mut Reads) {
        reads.shared_row(self.account_key());
        if let Caller::Token(credentials, _) = &self.caller {
            reads.shared_row(credentials.token_key.clone());
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
        let token_row = match &self.caller {
            Caller::Owner(_) => None,
            Caller::Token(credentials, _) => {
                let row = unit.get(&credentials.token_key).await?;
                let row = row.ok_or_else(Error::unauthorized)?;
                unit.expect(&credentials.token_key, &row);
                Some(row)
            }
        };
        let is_same = account_row == self.account_row
            && match (&self.caller, &token_row) {
                (Caller::Token(credentials, _), Some(row)) => *row == credentials.token_row,
                _ => true,
            };
        if is_same {
            return Ok(None);
        }
        let location = self.location().id;
        let renewed = match (&self.caller, token_row) {
            (Caller::Token(before, scope), Some(token_row)) => {
                let now = Credentials::parse(before.token_key.clone(), token_row, account_row)?;
                if !access::is_valid(&now.token, unit.now()) {
                    return Err(Error::unauthorized());
                }
                now.authorize(location, scope)?;
                Self::of_token(Arc::new(now), location, scope.clone())
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
