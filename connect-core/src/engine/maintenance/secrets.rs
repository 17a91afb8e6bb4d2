//! The stored secrets, sealed by the first key.

use std::{collections::BTreeMap, time::Duration};

use super::super::connect::Connect;
use crate::{
    storage::Key,
    transaction::{
        Account, End, Error, Fault, LenientReader, Lookup, SealedRow, SecretSealer, Webhooks,
        environment::{KeyId, KeyRing},
    },
    wire::Id,
};

/// The accounts read at a time.
const ACCOUNTS: usize = 100;

/// The time between two looks at all secrets, with the same keys.
/// Another process may have learnt of them later.
const AGAIN: Duration = Duration::from_secs(3600);

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
            for (_, mut row) in self.sealed_rows::<Webhooks>(accounts).await?.0 {
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
    /// Once all are sealed, it does nothing until the keys change, or an hour later.
    pub(super) async fn seal_secrets(&self) -> Result<usize, Error> {
        let sealer = self.store().sealer();
        let Some(keys) = sealer.keys() else {
            return Ok(0);
        };
        let now = self.store().elapsed();
        if let Some((sealed_for, at)) = &*self.core.sealed_for.lock()
            && sealed_for == keys
            && now.saturating_sub(*at) < AGAIN
        {
            return Ok(0);
        }
        let (mut sealed, mut is_whole) = (0, true);
        for accounts in self.account_ids().await?.chunks(ACCOUNTS) {
            let (rows, are_all) = self.sealed_rows::<Webhooks>(accounts).await?;
            is_whole &= are_all;
            for (account, mut row) in rows {
                // Most rows are as they should be, and cost no commit.
                if reseal(&mut row, &sealer) > 0 {
                    sealed += self.seal_row::<Webhooks>(account, &sealer).await?;
                }
            }
        }
        if sealed > 0 {
            tracing::info!(sealed, "stored secrets were sealed by the first key");
        }
        if is_whole {
            *self.core.sealed_for.lock() = Some((keys.clone(), now));
        }
        Ok(sealed)
    }

    /// Seals the secrets in a row of an account. Returns the number of changed ones.
    async fn seal_row<T: SealedRow>(
        &self,
        account: Id<Account>,
        sealer: &SecretSealer,
    ) -> Result<usize, Fault> {
        // A unit of work, as every change of the row is one: it loses none of them, and none loses it.
        let sealed = self.store().transact(account, |mut unit| async move {
            let key = T::key_of(account.uuid());
            let Some(row) = unit.get(&key).await? else {
                return Ok(End::rollback(0));
            };
            let mut row: T = serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&key, e))?;
            let sealed = reseal(&mut row, sealer);
            if sealed > 0 {
                let row = unit.json(&row);
                unit.put(key, row);
            }
            Ok(End::commit(unit, sealed))
        });
        sealed.await
    }

    /// Reads the rows of a kind of some accounts.
    /// Also returns whether all of them are readable.
    async fn sealed_rows<T: SealedRow>(
        &self,
        accounts: &[Id<Account>],
    ) -> Result<(Vec<(Id<Account>, T)>, bool), Fault> {
        let keys = accounts.iter().map(|account| T::key_of(account.uuid()));
        let keys: Vec<Key> = keys.collect();
        let found = LenientReader::new(self.store()).values(&keys).await?;
        let (mut rows, mut are_all) = (Vec::new(), true);
        for (account, row) in accounts.iter().zip(found) {
            let parsed = match row {
                Lookup::Found(None) => continue,
                Lookup::Found(Some(row)) => serde_json::from_slice(&row).ok(),
                Lookup::Damaged => None,
            };
            match parsed {
                Some(parsed) => rows.push((*account, parsed)),
                None => are_all = false,
            }
        }
        Ok((rows, are_all))
    }
}

/// Seals the secrets of a row by the first key. Returns the number of changed ones.
fn reseal<T: SealedRow>(row: &mut T, sealer: &SecretSealer) -> usize {
    let secrets = row.secrets().into_iter();
    secrets
        .map(|(place, secret)| usize::from(sealer.reseal(secret, place)))
        .sum()
}
