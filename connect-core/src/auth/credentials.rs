//! A token and its account.

use std::{fmt, slice, sync::Arc};

use super::credential_cache::Credential;
use crate::{
    rules::{
        access::{self, Ended, Lacks},
        secret::{LIVE_TOKEN, SANDBOX_TOKEN},
    },
    storage::{Key, Value},
    transaction::{
        Account, Error, Fault, Reason, Token,
        keys::{Family, key},
    },
    wire::{Id, Location, Scope, Timestamp},
};

/// A token and its account, each with its row.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) token_key: Key,
    pub(crate) token_row: Value,
    pub(crate) token: Arc<Token>,
    pub(crate) account_row: Value,
    pub(crate) account: Account,
}

impl Credentials {
    /// Parses the two rows.
    pub(crate) fn parse(
        token_key: Key,
        token_row: Value,
        account_row: Value,
    ) -> Result<Self, Fault> {
        let token: Token =
            serde_json::from_slice(&token_row).map_err(|e| Fault::corrupt(&token_key, e))?;
        let account_key = key(token.account_id.uuid(), Family::Account, &[]);
        let account: Account =
            serde_json::from_slice(&account_row).map_err(|e| Fault::corrupt(&account_key, e))?;
        Ok(Self {
            token_key,
            token_row,
            token: Arc::new(token),
            account_row,
            account,
        })
    }

    /// Checks the validity of the token at this time.
    ///
    /// # Errors
    /// [`Error::Unauthorized`]: it has expired, or was revoked.
    pub(crate) fn check_valid(&self, now: Timestamp) -> Result<(), Error> {
        match access::ended(&self.token, now) {
            None => Ok(()),
            Some(Ended::Revoked(time)) => Err(Error::bad_token(format!("was revoked on {time}"))),
            Some(Ended::Expired(time)) => Err(Error::bad_token(format!("expired on {time}"))),
        }
    }

    /// Checks the token for `scope` at `location`.
    ///
    /// # Errors
    /// [`Error::ForbiddenLocation`], [`Error::ForbiddenScope`],
    /// [`Error::ApiNotAvailable`].
    pub(crate) fn authorize(&self, location: Id<Location>, scope: &Scope) -> Result<(), Error> {
        self.authorize_any(location, slice::from_ref(scope))?;
        Ok(())
    }

    /// Returns the first of these scopes granted to the token at `location`.
    ///
    /// # Errors
    /// As [`authorize`](Self::authorize).
    pub(crate) fn authorize_any<'s>(
        &self,
        location: Id<Location>,
        scopes: &'s [Scope],
    ) -> Result<&'s Scope, Error> {
        self.check_available()?;
        for scope in scopes {
            match access::authorize(&self.token, &self.account, location, scope) {
                Ok(_) => return Ok(scope),
                Err(Lacks::Location) => return Err(Error::forbidden_location(location)),
                Err(Lacks::Scope) => {}
            }
        }
        let names: Vec<_> = scopes.iter().map(Scope::as_str).collect();
        let names = names.join(" or ");
        Err(Error::ForbiddenScope(Reason::new(format!(
            "this token lacks the scope {names} for location {location}; ask the owner of the shop \
             for a token that has it"
        ))))
    }

    /// Checks the availability of the API to the account.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`].
    pub(crate) fn check_available(&self) -> Result<(), Error> {
        if access::is_available(&self.account) {
            return Ok(());
        }
        Err(Error::ApiNotAvailable(Reason::new(
            "the API needs a screen of type POS, order kiosk or Scan & Order; once the owner of the \
             shop adds one, the token works again",
        )))
    }
}

impl Credential for Credentials {
    type Row = Token;

    const PREFIXES: &'static [&'static str] = &[LIVE_TOKEN, SANDBOX_TOKEN];

    fn parse(key: Key, row: Value, account_row: Value) -> Result<Option<Self>, Fault> {
        Self::parse(key, row, account_row).map(Some)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("token", &self.token.id)
            .field("account", &self.account.id)
            .finish_non_exhaustive()
    }
}
