//! Tokens and accounts as they were last parsed, with the bytes they were parsed from.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;

use crate::{
    record::{
        Account, Fault, Token,
        keys::{Family, NOBODY, Part, key},
    },
    rules::secret,
    storage::{Storage, Value},
};

/// A token and its account.
#[derive(Clone)]
pub(super) struct Known {
    token_row: Value,
    pub(super) token: Arc<Token>,
    account_row: Value,
    pub(super) account: Arc<Account>,
}

/// The tokens in use.
#[derive(Default)]
pub(super) struct KnownTokens {
    parsed: RwLock<HashMap<[u8; 32], Known>>,
}

/// More tokens than this and what was parsed is forgotten, to be parsed again.
const MOST_KNOWN: usize = 10_000;

impl KnownTokens {
    /// The token with this value and its account, whether it is still good or not.
    ///
    /// The rows are read for every request, so that a revocation holds at once whichever process
    /// wrote it; what is saved is parsing them again when they are the same.
    pub(super) async fn find(
        &self,
        storage: &dyn Storage,
        value: &str,
    ) -> Result<Option<Known>, Fault> {
        let digest = secret::digest(value);
        let token_key = key(NOBODY, Family::Token, &[Part::Digest(&digest)]);
        let known = self.parsed.read().get(&digest).cloned();
        if let Some(known) = known {
            let account_key = key(known.account.id, Family::Account, &[]);
            let rows = storage.get(&[&token_key, &account_key]).await?;
            if let [Some(token), Some(account)] = &rows[..]
                && is_same(token, &known.token_row)
                && is_same(account, &known.account_row)
            {
                return Ok(Some(known));
            }
        }
        let Some(token_row) = storage.get(&[&token_key]).await?.pop().flatten() else {
            return Ok(None);
        };
        let token: Token =
            serde_json::from_slice(&token_row).map_err(|e| Fault::corrupt(&token_key, e))?;
        let account_key = key(token.account_id, Family::Account, &[]);
        let Some(account_row) = storage.get(&[&account_key]).await?.pop().flatten() else {
            return Ok(None);
        };
        let account =
            serde_json::from_slice(&account_row).map_err(|e| Fault::corrupt(&account_key, e))?;
        let parsed = Known {
            token_row,
            token: Arc::new(token),
            account_row,
            account: Arc::new(account),
        };
        let mut known = self.parsed.write();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(digest, parsed.clone());
        Ok(Some(parsed))
    }
}

/// Whether two rows are the same; cheap when the store returned the very same bytes.
fn is_same(one: &Value, other: &Value) -> bool {
    Arc::ptr_eq(one, other) || one == other
}
