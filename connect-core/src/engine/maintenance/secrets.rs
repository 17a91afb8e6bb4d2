//! The stored secrets, sealed by the first key.

use std::{collections::BTreeMap, time::Duration};

use super::super::connect::Connect;
use crate::{
    storage::{Key, Range},
    transaction::{
        Account, End, Error, Fault, LenientReader, ReadKey, SealedRow, SecretSealer, SignIn,
        StoredProvider, Webhooks,
        environment::{KeyId, KeyRing},
        keys::{after_prefix, key},
    },
    wire::{Id, limits::MAX_USERS},
};

/// The accounts read at a time.
const ACCOUNTS: usize = 100;

/// More rows than an account has of a kind.
const MOST_ROWS: usize = MAX_USERS + 1;

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
    /// The number of unopened secrets.
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
            self.count_secrets::<Webhooks>(accounts, &sealer, &mut stored)
                .await?;
            self.count_secrets::<SignIn>(accounts, &sealer, &mut stored)
                .await?;
            self.count_secrets::<StoredProvider>(accounts, &sealer, &mut stored)
                .await?;
        }
        Ok(stored)
    }

    async fn count_secrets<T: SealedRow>(
        &self,
        accounts: &[Id<Account>],
        sealer: &SecretSealer,
        stored: &mut StoredSecrets,
    ) -> Result<(), Fault> {
        for (at, mut row) in self.sealed_rows::<T>(accounts).await?.0 {
            for (place, secret) in row.secrets(&at.read) {
                match secret.key() {
                    Some(key) => *stored.by_key.entry(key).or_default() += 1,
                    None => stored.clear += 1,
                }
                stored.unopened += usize::from(sealer.open(secret, place).is_err());
            }
        }
        Ok(())
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
            for (of_kind, are_all) in [
                self.seal_rows::<Webhooks>(accounts, &sealer).await?,
                self.seal_rows::<SignIn>(accounts, &sealer).await?,
                self.seal_rows::<StoredProvider>(accounts, &sealer).await?,
            ] {
                sealed += of_kind;
                is_whole &= are_all;
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

    /// Seals the secrets of a kind of some accounts. Returns the number of changed ones.
    /// Also returns whether all rows are readable.
    async fn seal_rows<T: SealedRow>(
        &self,
        accounts: &[Id<Account>],
        sealer: &SecretSealer,
    ) -> Result<(usize, bool), Fault> {
        let (rows, are_all) = self.sealed_rows::<T>(accounts).await?;
        let mut sealed = 0;
        for (at, mut row) in rows {
            // Most rows are as they should be, and cost no commit.
            if reseal(&mut row, &at.read, sealer) > 0 {
                sealed += self.seal_row::<T>(&at, sealer).await?;
            }
        }
        Ok((sealed, are_all))
    }

    /// Seals the secrets in a row. Returns the number of changed ones.
    async fn seal_row<T: SealedRow>(
        &self,
        at: &SealedAt,
        sealer: &SecretSealer,
    ) -> Result<usize, Fault> {
        // A unit of work, as every change of the row is one: it loses none of them, and none loses it.
        let sealed = self
            .store()
            .transact(at.read.partition, |mut unit| async move {
                let Some(row) = unit.get(&at.key).await? else {
                    return Ok(End::rollback(0));
                };
                let mut row: T =
                    serde_json::from_slice(&row).map_err(|e| Fault::corrupt(&at.key, e))?;
                let sealed = reseal(&mut row, &at.read, sealer);
                if sealed > 0 {
                    let row = unit.json(&row);
                    unit.put(at.key.clone(), row);
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
    ) -> Result<(Vec<(SealedAt, T)>, bool), Fault> {
        let prefixes = accounts
            .iter()
            .map(|account| key(account.uuid(), T::FAMILY, &[]));
        let prefixes: Vec<_> = prefixes.map(|from| (after_prefix(&from), from)).collect();
        let ranges = prefixes
            .iter()
            .map(|(to, from)| Range { from, to: Some(to) });
        let ranges: Vec<_> = ranges.collect();
        let (mut rows, mut are_all) = (Vec::new(), true);
        let reader = LenientReader::new(self.store());
        for piece in reader.pieces(&ranges, MOST_ROWS).await? {
            are_all &= piece.damaged.is_none() && piece.next.is_none();
            for (key, row) in piece.entries {
                let at = ReadKey::of(&key).map(|read| SealedAt { key, read });
                match (at, serde_json::from_slice(&row)) {
                    (Some(at), Ok(parsed)) => rows.push((at, parsed)),
                    _ => are_all = false,
                }
            }
        }
        Ok((rows, are_all))
    }
}

/// The place of a row with secrets.
struct SealedAt {
    key: Key,
    read: ReadKey,
}

/// Seals the secrets of a row by the first key. Returns the number of changed ones.
fn reseal<T: SealedRow>(row: &mut T, at: &ReadKey, sealer: &SecretSealer) -> usize {
    let secrets = row.secrets(at).into_iter();
    secrets
        .map(|(place, secret)| usize::from(sealer.reseal(secret, place)))
        .sum()
}
