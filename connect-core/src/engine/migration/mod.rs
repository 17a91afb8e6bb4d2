//! Changes of the rows written by older programs.
//!
//! A migration has the number of the [version of rows](crate::storage::RowsVersion) with the need for it. It works
//! through the storage trait, so every kind of store has the same migrations, and so has a restored backup.
//!
//! A row has the number of the last migration done, and the last account or location done by the next one. It is
//! the guard of every commit here, so a commit moves it by one of them together with its rows: a killed migration
//! continues there, and of several servers on one database, each continues from the progress of all.
//!
//! The first commit of a migration only writes this row. It raises the version of the store, so from then on older
//! programs do not write: the oldest program beside a migration is the one of its own number.

mod counts;
mod piece;
mod users;
mod words;

use std::{
    collections::BTreeSet,
    ops::Bound::{Excluded, Unbounded},
    time::Duration,
};

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use self::piece::MigrationPiece;
use super::connect::Connect;
use crate::{
    storage::{Commit, Guard, Key, Value},
    transaction::{
        Error, Fault, Store,
        keys::{Family, GLOBAL, key},
    },
};

/// The next piece of the work on a partition.
type Change<'c> = BoxFuture<'c, Result<MigrationPiece, Fault>>;

/// A change of the rows of each partition of a kind.
struct Migration {
    number: u32,
    /// The work, for the log.
    work: &'static str,
    of: Partitions,
    /// Makes the piece from a key on; the first without a key.
    change: for<'c> fn(&'c Connect, Uuid, Option<Key>) -> Change<'c>,
}

/// The number of the migration for the words of names.
const WORDS: u32 = 5;

/// All migrations, in the order of their numbers.
const ALL: [Migration; 3] = [
    Migration {
        number: 3,
        work: "counting the rows of each location",
        of: Partitions::Locations,
        change: |connect, location, _| {
            Box::pin(async move { Ok(counts::change(connect, location).await?.into()) })
        },
    },
    Migration {
        number: 4,
        work: "making the owner of each account a user",
        of: Partitions::Accounts,
        change: |connect, account, _| {
            Box::pin(async move { Ok(users::change(connect, account).await?.into()) })
        },
    },
    Migration {
        number: WORDS,
        work: "indexing the words of the names of each location",
        of: Partitions::Locations,
        change: |connect, location, from| Box::pin(words::change(connect, location, from)),
    },
];

/// The partitions changed by a migration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partitions {
    Accounts,
    Locations,
}

/// The time between two lines of progress in the log.
const TELL: Duration = Duration::from_secs(5);

/// The progress of all migrations of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Progress {
    /// The number of the last migration begun.
    begun: u32,
    /// The number of the last migration done.
    done: u32,
    /// The last account or location done by the next migration.
    #[serde(rename = "location", skip_serializing_if = "Option::is_none")]
    partition: Option<Uuid>,
    /// The place within the account or location after it, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl Progress {
    /// Returns the key to continue with in this partition.
    fn place_in(&self, partition: Uuid) -> Option<Key> {
        let place = hex::decode(self.place.as_deref()?).ok()?;
        let is_there = place.starts_with(partition.as_bytes());
        is_there.then(|| place.into())
    }
}

impl Connect {
    /// Changes the rows of older programs for this one.
    /// Call it before any other write, at each start of a service: it does nothing if the rows are those of
    /// this program. The time grows with the number of rows, and the log tells the progress by accounts or
    /// locations.
    ///
    /// It may be stopped at any time, and continues at the next call. Several processes may call it at once. An
    /// account or a location with damaged rows is left as it is, with a line in the log.
    ///
    /// # Errors
    /// [`Error::Internal`]: the storage failed, or has no room. The rows changed so far are good.
    pub async fn migrate(&self) -> Result<(), Error> {
        let mut done = self.migrated().await?.0.done;
        for migration in &ALL {
            if done < migration.number {
                done = self.run_migration(migration).await?;
            }
        }
        Ok(())
    }

    /// Runs a migration. Returns the number of the last one done.
    async fn run_migration(&self, migration: &Migration) -> Result<u32, Error> {
        let (number, work) = (migration.number, migration.work);
        let (mut progress, mut row) = self.migrated().await?;
        if progress.begun < number {
            let begun = Progress {
                begun: number,
                ..progress
            };
            self.advance(Commit::default(), &row, &begun).await?;
            (progress, row) = self.migrated().await?;
        }
        if progress.done >= number {
            return Ok(progress.done);
        }
        // Only now: no older program makes another one.
        let partitions = self.partitions(migration.of).await?;
        let of = partitions.len();
        if of > 0 {
            tracing::info!(number, of, "{work}");
        }
        let (mut told, mut looked_at) = (Instant::now(), 0);
        while progress.done < number {
            let from = progress.partition.map_or(Unbounded, Excluded);
            let Some(next) = partitions.range((from, Unbounded)).next() else {
                let done = Progress {
                    begun: number,
                    done: number,
                    ..Progress::default()
                };
                self.advance(Commit::default(), &row, &done).await?;
                (progress, row) = self.migrated().await?;
                continue;
            };
            let piece = (migration.change)(self, *next, progress.place_in(*next)).await;
            let piece = readable(piece.map_err(Error::from))?.unwrap_or_default();
            match piece.next {
                Some(place) => progress.place = Some(hex::encode(place)),
                None => {
                    (progress.partition, progress.place) = (Some(*next), None);
                    looked_at += 1;
                }
            }
            if let Some(commit) = piece.commit {
                // After a conflict, another server's progress counts.
                self.advance(commit, &row, &progress).await?;
                (progress, row) = self.migrated().await?;
            }
            if told.elapsed() >= TELL {
                told = Instant::now();
                tracing::info!(number, looked_at, of, "{work}");
            }
        }
        Ok(progress.done)
    }

    /// Returns whether the rows are those of this program, as after [`migrate`](Self::migrate).
    ///
    /// # Errors
    /// The storage failed.
    pub async fn is_migrated(&self) -> Result<bool, Error> {
        let last = ALL.last().map_or(0, |migration| migration.number);
        Ok(self.migrated().await?.0.done >= last)
    }

    /// Returns whether all names have an index of their words.
    pub(crate) async fn has_words(store: &Store) -> Result<bool, Fault> {
        let row = store.get(&migrated_key()).await?;
        let progress = row.and_then(|row| serde_json::from_slice::<Progress>(&row).ok());
        Ok(progress.is_some_and(|progress| progress.done >= WORDS))
    }

    /// Reads the progress of migrations, and its row.
    async fn migrated(&self) -> Result<(Progress, Option<Value>), Fault> {
        let key = migrated_key();
        let row = self.store().get(&key).await?;
        let progress = row.as_ref().map(|row| serde_json::from_slice(row));
        let progress = progress.transpose().map_err(|e| Fault::corrupt(&key, e))?;
        Ok((progress.unwrap_or_default(), row))
    }

    /// Commits a change together with the progress; does nothing on a conflict.
    async fn advance(
        &self,
        change: Commit,
        was: &Option<Value>,
        to: &Progress,
    ) -> Result<(), Fault> {
        let key = migrated_key();
        let row = serde_json::to_vec(to).map_err(|e| Fault::corrupt(&key, e))?;
        let guard = Guard {
            key,
            was: was.clone(),
            becomes: row.into(),
        };
        let commit = Commit {
            guard: Some(guard),
            ..change
        };
        self.store().commit(commit).await?;
        Ok(())
    }

    async fn partitions(&self, of: Partitions) -> Result<BTreeSet<Uuid>, Error> {
        let mut partitions = BTreeSet::new();
        for id in self.account_ids().await? {
            if of == Partitions::Accounts {
                partitions.insert(id.uuid());
            } else if let Some(account) = readable(self.account(id).await)? {
                partitions.extend(account.locations.iter().map(|at| at.id.uuid()));
            }
        }
        Ok(partitions)
    }
}

/// Logs damage, and goes on without the row.
fn readable<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error) if error.is_damage() => {
            let cause = error.cause();
            tracing::error!(cause, "damaged rows of an older version stay as they are");
            Ok(None)
        }
        read => read.map(Some),
    }
}

fn migrated_key() -> Key {
    key(GLOBAL, Family::Migrated, &[])
}
