//! Tokens and keys of screens, as last read and parsed.

use std::sync::Arc;

use crate::{
    rules::secret,
    storage::{Key, Read, Value},
    transaction::{
        Fault, ParseCache, SecretRow, Store, Stored,
        keys::{GLOBAL, KeyPart, key},
    },
};

/// A secret value for admission, with its own row and its account's.
pub(crate) trait Credential: Sized {
    /// Its row.
    type Row: SecretRow;
    /// The prefixes of the values.
    const PREFIXES: &'static [&'static str];

    /// Parses the two rows.
    /// Returns `None` if the account no longer has the subject of the first row.
    fn parse(key: Key, row: Value, account_row: Value) -> Result<Option<Self>, Fault>;
}

/// The credentials of one kind in use, so that each is parsed once.
/// The key is the digest of the value. A credential is parsed from its row and the account's.
pub(crate) type CredentialCache<C> = ParseCache<[u8; 32], C, 2>;

/// Finds the credential with this value, valid or not.
///
/// The rows are read for every request, so a revocation takes effect at once.
pub(crate) async fn find<C: Credential>(
    store: &Store,
    cache: &CredentialCache<C>,
    value: &str,
) -> Result<Option<Arc<C>>, Fault> {
    let digest = secret::digest(value);
    let own_key = key(GLOBAL, C::Row::FAMILY, &[KeyPart::Digest(&digest)]);
    let account_entry = key(GLOBAL, C::Row::ACCOUNTS, &[KeyPart::Digest(&digest)]);
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
    if let Some(known) = cache.get(&digest, &rows) {
        return Ok(Some(known));
    }
    let [row, account_row] = rows.clone();
    let parsed = C::parse(own_key, row, account_row)?;
    Ok(parsed.map(|parsed| cache.put(digest, rows, parsed)))
}
