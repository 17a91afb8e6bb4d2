//! A token and its account, as they were last read and parsed.

use std::{collections::HashMap, fmt, slice, sync::Arc};

use parking_lot::RwLock;

use crate::{
    error::{Error, Reason},
    record::{
        Account, Fault, Store, Token,
        keys::{Family, NOBODY, Part, key},
    },
    rules::{
        access::{self, Lacks},
        secret,
    },
    storage::{Key, Read, Value},
    wire::{Id, Location, Scope},
};

/// A token and its account, each with the row that it was parsed from.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) token_key: Key,
    pub(crate) token_row: Value,
    pub(crate) token: Arc<Token>,
    pub(crate) account_row: Value,
    pub(crate) account: Arc<Account>,
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
            account: Arc::new(account),
        })
    }

    /// Checks that the token may do at `location` what `scope` allows.
    ///
    /// # Errors
    /// [`Error::ForbiddenLocation`], [`Error::ForbiddenScope`],
    /// [`Error::ApiNotAvailable`].
    pub(crate) fn authorize(&self, location: Id<Location>, scope: &Scope) -> Result<(), Error> {
        self.authorize_any(location, slice::from_ref(scope))?;
        Ok(())
    }

    /// The first of these scopes that the token has at `location`.
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
            "this token lacks the scope {names} for location {location}; its owner can make a \
             token that has it in the dashboard"
        ))))
    }

    /// Checks that the API is available to the account.
    ///
    /// # Errors
    /// [`Error::ApiNotAvailable`].
    pub(crate) fn check_available(&self) -> Result<(), Error> {
        if access::is_available(&self.account) {
            return Ok(());
        }
        Err(Error::ApiNotAvailable(Reason::new(
            "the API needs a screen of type POS, order kiosk or Scan & Order; add one in the \
             dashboard and the token works again",
        )))
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

/// The credentials in use, so that they are parsed once.
#[derive(Default)]
pub(crate) struct CredentialsCache {
    parsed: RwLock<HashMap<[u8; 32], Arc<Credentials>>>,
}

/// More tokens than this and what was parsed is forgotten, to be parsed again.
const MOST_KNOWN: usize = 10_000;

impl CredentialsCache {
    /// The token with this value and its account, whether it is still good or not.
    ///
    /// The rows are read for every request, so that a revocation holds at once whichever process
    /// wrote it; parsing them again is saved when they are the same.
    pub(crate) async fn find(
        &self,
        store: &Store,
        value: &str,
    ) -> Result<Option<Arc<Credentials>>, Fault> {
        let digest = secret::digest(value);
        let token_key = key(NOBODY, Family::Token, &[Part::Digest(&digest)]);
        let account_of_token = key(NOBODY, Family::AccountOfToken, &[Part::Digest(&digest)]);
        let known = self.parsed.read().get(&digest).cloned();
        let mut state = store
            .read(&[
                Read::Get(&token_key),
                Read::Follow {
                    key: &account_of_token,
                    rows: &[],
                },
            ])
            .await?;
        let (token_row, account) = (state.value()?, state.followed()?);
        let (Some(token_row), Some((_, Some(account_row)))) = (token_row, account) else {
            return Ok(None);
        };
        if let Some(known) = known
            && is_same(&token_row, &known.token_row)
            && is_same(&account_row, &known.account_row)
        {
            return Ok(Some(known));
        }
        let parsed = Arc::new(Credentials::parse(token_key, token_row, account_row)?);
        let mut known = self.parsed.write();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(digest, parsed.clone());
        Ok(Some(parsed))
    }
}

/// Compares two rows; cheap when the store returned the very same bytes.
fn is_same(one: &Value, other: &Value) -> bool {
    Arc::ptr_eq(one, other) || one == other
}
