//! The stored secrets, sealed by the first key.
//!
//! A row is replaced only as it was read, so a concurrent change of it is never lost: the next round seals the
//! changed row.

use std::collections::BTreeMap;

use super::super::connect::Connect;
use crate::{
    storage::{Commit, Expectation, Key, Value, Write},
    transaction::{
        Account, Error, Fault, LenientReader, Lookup, SealedRow, Webhooks,
        environment::{KeyId, KeyRing},
    },
    wire::Id,
};

/// The accounts read at a time.
const ACCOUNTS: usize = 100;

/// The stored secrets, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSecrets {
    /// The ids of the present keys, the first one first.
    pub keys: Vec<KeyId>,
    /// The number of secrets by the id of their key.
    pub by_key: BTreeMap<KeyId, usize>,
    /// The number of secrets in clear.
    pub clear: usize,
    /// The number of secrets that do not open.
    pub unopened: usize,
}

impl Connect {
    /// Counts the stored secrets.
    /// A key without secrets is needed for older copies of the store only.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn stored_secrets(&self) -> Result<StoredSecrets, Error> {
        let sealer = self.store().sealer();
        let keys = sealer.keys().into_iter().flat_map(KeyRing::iter);
        let mut stored = StoredSecrets {
            keys: keys.map(|key| key.id().clone()).collect(),
            ..StoredSecrets::default()
        };
        for accounts in self.account_ids().await?.chunks(ACCOUNTS) {
            for (_, _, mut row) in self.sealed_rows::<Webhooks>(accounts).await?.0 {
                for (place, secret) in row.secrets() {
                    match secret.key() {
                        Some(key) => *stored.by_key.entry(key).or_default() += 1,
                        None => stored.clear += 1,
                    }
                    stored.unopened += usize::from(sealer.open(secret, place).is_err());
                }
            }
        }
        Ok(stored)
    }

    /// Seals all secrets by the first key, and returns the number of changed ones.
    /// Once all are sealed, it does nothing until the keys change.
    pub(super) async fn seal_secrets(&self) -> Result<usize, Error> {
        let sealer = self.store().sealer();
        let Some(keys) = sealer.keys() else {
            return Ok(0);
        };
        if self.core.sealed_for.lock().as_ref() == Some(keys) {
            return Ok(0);
        }
        let (mut sealed, mut is_whole) = (0, true);
        for accounts in self.account_ids().await?.chunks(ACCOUNTS) {
            let (rows, are_all) = self.sealed_rows::<Webhooks>(accounts).await?;
            is_whole &= are_all;
            for (key, before, mut row) in rows {
                let secrets = row.secrets().into_iter();
                let changed = secrets
                    .filter_map(|(place, secret)| sealer.reseal(secret, place).then_some(()));
                let changed = changed.count();
                if changed == 0 {
                    continue;
                }
                let after = serde_json::to_vec(&row).map_err(|e| Fault::corrupt(&key, e))?;
                let commit = Commit {
                    expects: vec![(key.clone(), Expectation::Is(before))],
                    writes: vec![(key, Write::Put(after.into()))],
                    ..Commit::default()
                };
                match self.store().commit(commit).await? {
                    true => sealed += changed,
                    false => is_whole = false,
                }
            }
        }
        if sealed > 0 {
            tracing::info!(sealed, "stored secrets were sealed by the first key");
        }
        if is_whole {
            *self.core.sealed_for.lock() = Some(keys.clone());
        }
        Ok(sealed)
    }

    /// Reads the rows of a kind of some accounts, as stored and parsed.
    /// Also returns whether all of them are readable.
    async fn sealed_rows<T: SealedRow>(
        &self,
        accounts: &[Id<Account>],
    ) -> Result<(Vec<(Key, Value, T)>, bool), Fault> {
        let keys = accounts.iter().map(|account| T::key_of(account.uuid()));
        let keys: Vec<Key> = keys.collect();
        let found = LenientReader::new(self.store()).values(&keys).await?;
        let (mut rows, mut are_all) = (Vec::new(), true);
        for (key, row) in keys.into_iter().zip(found) {
            let parsed = match &row {
                Lookup::Found(None) => continue,
                Lookup::Found(Some(row)) => serde_json::from_slice(row).ok(),
                Lookup::Damaged => None,
            };
            match (row, parsed) {
                (Lookup::Found(Some(row)), Some(parsed)) => rows.push((key, row, parsed)),
                _ => are_all = false,
            }
        }
        Ok((rows, are_all))
    }
}
