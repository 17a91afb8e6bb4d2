//! Rows of secrets: a row by digest, an entry by id, and a link to the account.

use uuid::Uuid;

use crate::{
    storage::Key,
    transaction::{
        Fault, SecretRow, UnitOfWork,
        keys::{GLOBAL, KeyPart, key},
    },
};

/// The key of the entry by id for a row with a secret.
pub(super) fn entry_key<S: SecretRow>(account: Uuid, id: Uuid) -> Key {
    key(account, S::BY_ID, &[KeyPart::Id(id)])
}

/// The key of a row with a secret.
pub(super) fn row_key<S: SecretRow>(digest: &[u8; 32]) -> Key {
    key(GLOBAL, S::FAMILY, &[KeyPart::Digest(digest)])
}

/// Writes a row with a secret, its entry by id, and the link to its account.
pub(super) fn put<S: SecretRow>(unit: &mut UnitOfWork<'_>, row: &S, digest: &[u8; 32]) {
    unit.put_stored(row_key::<S>(digest), row);
}

/// Finds the digest of a secret by its id. The unit works on its account.
pub(super) async fn find_digest<S: SecretRow>(
    unit: &mut UnitOfWork<'_>,
    id: Uuid,
) -> Result<Option<[u8; 32]>, Fault> {
    let entry = entry_key::<S>(unit.partition(), id);
    let digest = unit.get(&entry).await?;
    digest.map(|digest| digest_in(&entry, &digest)).transpose()
}

/// Removes the rows of a secret, if there are any. The unit works on its account.
pub(super) async fn remove<S: SecretRow>(unit: &mut UnitOfWork<'_>, id: Uuid) -> Result<(), Fault> {
    let Some(digest) = find_digest::<S>(unit, id).await? else {
        return Ok(());
    };
    // The trail has the row as it was.
    unit.get(&row_key::<S>(&digest)).await?;
    unit.delete(entry_key::<S>(unit.partition(), id));
    unit.delete(row_key::<S>(&digest));
    unit.delete(key(GLOBAL, S::ACCOUNTS, &[KeyPart::Digest(&digest)]));
    Ok(())
}

/// Reads the digest in an entry by id.
pub(super) fn digest_in(entry: &[u8], digest: &[u8]) -> Result<[u8; 32], Fault> {
    let digest = digest.try_into();
    digest.map_err(|_| Fault::corrupt(entry, "not a digest"))
}
