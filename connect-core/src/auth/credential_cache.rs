//! Tokens and keys of screens, as they were last read and parsed.

use std::sync::Arc;

use crate::{
    rules::secret,
    storage::{Key, Read, Value},
    transaction::{
        Fault, ParsedRows, Store,
        keys::{Family, NOBODY, Part, key},
    },
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
}

/// The credentials of one kind that are in use, so that each is parsed once.
pub(crate) struct Known<C> {
    /// By the digest of the value; from its row and that of the account.
    parsed: ParsedRows<[u8; 32], C, 2>,
}

impl<C> Default for Known<C> {
    fn default() -> Self {
        Self {
            parsed: ParsedRows::default(),
        }
    }
}

impl<C: Credential> Known<C> {
    /// The credential with this value, whether it is still good or not.
    ///
    /// The rows are read for every request, so that a revocation holds at once.
    pub(crate) async fn find(&self, store: &Store, value: &str) -> Result<Option<Arc<C>>, Fault> {
        let digest = secret::digest(value);
        let own_key = key(NOBODY, C::ROWS, &[Part::Digest(&digest)]);
        let account_entry = key(NOBODY, C::ACCOUNTS, &[Part::Digest(&digest)]);
        let account = Read::Follow {
            key: &account_entry,
            rows: &[],
        };
        let mut state = store.read(&[Read::Get(&own_key), account]).await?;
        let (row, account) = (state.value()?, state.followed()?);
        let (Some(row), Some((_, Some(account_row)))) = (row, account) else {
            return Ok(None);
        };
        let rows = [row, account_row];
        if let Some(known) = self.parsed.get(&digest, &rows) {
            return Ok(Some(known));
        }
        let [row, account_row] = rows.clone();
        let parsed = C::parse(own_key, row, account_row)?;
        Ok(parsed.map(|parsed| self.parsed.put(digest, rows, parsed)))
    }
}
