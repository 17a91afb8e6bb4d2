//! Tokens and keys of screens, as they were last read and parsed.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;

use crate::{
    record::{
        Fault, Store,
        keys::{Family, NOBODY, Part, key},
    },
    rules::secret,
    storage::{Key, Read, Value},
};

/// A secret value that lets a caller in, with what it leads to: its row, and that of its account.
pub(crate) trait Credential: Sized {
    /// The rows, by the digest of the value.
    const ROWS: Family;
    /// The entries that lead to the account, by the same digest.
    const ACCOUNTS: Family;
    /// The beginnings of the values.
    const PREFIXES: &'static [&'static str];

    /// Parses the two rows. `None` when the account no longer has what the first is about.
    fn parse(key: Key, row: Value, account_row: Value) -> Result<Option<Self>, Fault>;

    /// The row and the row of the account that this was parsed from.
    fn rows(&self) -> (&Value, &Value);
}

/// The credentials of one kind that are in use, so that each is parsed once.
pub(crate) struct Known<C> {
    parsed: RwLock<HashMap<[u8; 32], Arc<C>>>,
}

/// More credentials than this and what was parsed is forgotten, to be parsed again.
const MOST_KNOWN: usize = 10_000;

impl<C> Default for Known<C> {
    fn default() -> Self {
        Self {
            parsed: RwLock::default(),
        }
    }
}

impl<C: Credential> Known<C> {
    /// The credential with this value, whether it is still good or not.
    ///
    /// The rows are read for every request, so that a revocation holds at once whichever process
    /// wrote it; parsing them again is saved when they are the same.
    pub(crate) async fn find(&self, store: &Store, value: &str) -> Result<Option<Arc<C>>, Fault> {
        let digest = secret::digest(value);
        let own_key = key(NOBODY, C::ROWS, &[Part::Digest(&digest)]);
        let account_entry = key(NOBODY, C::ACCOUNTS, &[Part::Digest(&digest)]);
        let known = self.parsed.read().get(&digest).cloned();
        let account = Read::Follow {
            key: &account_entry,
            rows: &[],
        };
        let mut state = store.read(&[Read::Get(&own_key), account]).await?;
        let (row, account) = (state.value()?, state.followed()?);
        let (Some(row), Some((_, Some(account_row)))) = (row, account) else {
            return Ok(None);
        };
        if let Some(known) = known {
            let (known_row, known_account) = known.rows();
            if is_same(&row, known_row) && is_same(&account_row, known_account) {
                return Ok(Some(known));
            }
        }
        let Some(parsed) = C::parse(own_key, row, account_row)?.map(Arc::new) else {
            return Ok(None);
        };
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
