//! The removal of image copies of erased products only.
//!
//! Copies are stored by their content, so products of several accounts may have the same one.

use std::collections::HashMap;

use super::{super::Connect, SETTLED};
use crate::{
    storage::{Commit, Expectation, Key, Value, Write},
    transaction::{
        Error, Fault, LenientReader, ReadKey, image_key_in,
        keys::{Family, GLOBAL, after_prefix, key},
    },
    wire::Timestamp,
};

/// The most copies looked at by one call: each call reads all products.
const MOST: usize = 5000;

/// Products read at a time.
const PIECE: usize = 500;

/// The seconds between two looks at all products.
const BETWEEN: i64 = 3600;

/// The most seconds from storing a copy to its product's commit.
const ON_ITS_WAY: i64 = 600;

impl Connect {
    /// Removes the image copies of erased products, without those of other products.
    pub(in super::super) async fn remove_erased_images(
        &self,
        begun: Timestamp,
    ) -> Result<(), Error> {
        // Another process may have the copies, or this one later.
        let Some(copies) = self.store().environment().image_copies.clone() else {
            return Ok(());
        };
        let name_in = |entry: &Key| ReadKey::of(entry).and_then(|at| at.text().map(str::to_owned));
        let all = self.erased_images(begun).await?.into_iter();
        let (mut erased, mut settled): (HashMap<Key, Value>, Vec<_>) = (HashMap::new(), Vec::new());
        for (entry, row) in all {
            match name_in(&entry).is_some_and(|name| copies.is_name(&name)) {
                true => drop(erased.insert(entry, row)),
                false => settled.push((entry, row)),
            }
        }
        if !erased.is_empty() && self.may_read_products(begun) {
            settled.extend(self.keep_used(&mut erased).await?);
        } else {
            erased.clear();
        }
        for (entry, row) in erased {
            let since = begun.plus_seconds(-ON_ITS_WAY);
            let Some(name) = name_in(&entry) else {
                continue;
            };
            match copies.remove(&name, since).await {
                Ok(true) => settled.push((entry, row)),
                // A product may just be getting it again.
                Ok(false) => {}
                Err(failure) => {
                    tracing::warn!(%failure, "an image of an erased product is not removed yet");
                }
            }
        }
        for rows in settled.chunks(PIECE) {
            let unchanged = |(key, row): &(Key, Value)| (key.clone(), Expectation::Is(row.clone()));
            let commit = Commit {
                expects: rows.iter().map(unchanged).collect(),
                writes: (rows.iter())
                    .map(|(key, _)| (key.clone(), Write::Remove))
                    .collect(),
                ..Commit::default()
            };
            self.store().commit(commit).await?;
        }
        Ok(())
    }

    /// Returns whether all products may be read again, and notes it.
    /// An hour is between two such reads.
    fn may_read_products(&self, now: Timestamp) -> bool {
        let mut last = self.core.products_read_at.lock();
        let is_long_ago = last.is_none_or(|last| last.plus_seconds(BETWEEN) <= now);
        if is_long_ago {
            *last = Some(now);
        }
        is_long_ago
    }

    /// The images whose products were erased an hour ago.
    async fn erased_images(&self, now: Timestamp) -> Result<HashMap<Key, Value>, Fault> {
        let start = key(GLOBAL, Family::ErasedImage, &[]);
        let end = after_prefix(&start);
        let reader = LenientReader::new(self.store());
        let rows = reader.piece(&start, Some(&end), MOST).await?.entries;
        let is_settled = |(_, row): &(Key, Value)| {
            let at: Option<Timestamp> = serde_json::from_slice(row).ok();
            at.is_none_or(|at| at.plus_seconds(SETTLED) <= now)
        };
        Ok(rows.into_iter().filter(is_settled).collect())
    }

    /// Takes the images that products have out of `erased`, and returns them.
    async fn keep_used(
        &self,
        erased: &mut HashMap<Key, Value>,
    ) -> Result<Vec<(Key, Value)>, Error> {
        let reader = LenientReader::new(self.store());
        let mut used = Vec::new();
        for id in self.account_ids().await? {
            for location in self.account(id).await?.locations {
                let start = key(location.id.uuid(), Family::Product, &[]);
                let end = after_prefix(&start);
                let mut from = Some(start);
                while let Some(at) = from {
                    let piece = reader.piece(&at, Some(&end), PIECE).await?;
                    if let Some((_, error)) = piece.damaged {
                        // It may be of one of the images.
                        return Err(Fault::from(error).into());
                    }
                    from = piece.next;
                    for (_, row) in piece.entries {
                        let entry = image_key_in(&row);
                        used.extend(entry.and_then(|entry| erased.remove_entry(&entry)));
                    }
                    tokio::task::yield_now().await;
                }
            }
        }
        Ok(used)
    }
}
