//! The authors of the operations at known times.

use super::{TrailFilter, TrailScope};
use crate::{
    engine::Connect,
    storage::{Key, Read},
    transaction::{Account, Author, Error, TrailEntry, trail_key},
    wire::{Id, Location, Timestamp},
};

impl Connect {
    /// Returns the author of each operation at a location, by time.
    ///
    /// The time is that of a change, such as `createdAt` of a stock movement. It is `None` for an operation
    /// without an entry, for one whose entry is removed for its age, and at a location where the caller may not
    /// read the trail. Entries name people by their ids alone.
    ///
    /// # Errors
    /// [`Error::NotFound`]: there is no such account. [`Error::ForbiddenScope`].
    pub async fn authors_at(
        &self,
        account: Id<Account>,
        location: Id<Location>,
        times: &[Timestamp],
    ) -> Result<Vec<Option<Author>>, Error> {
        let filter = TrailFilter {
            location: Some(location),
            ..TrailFilter::default()
        };
        let chains = self.chains(TrailScope::Account(account), &filter).await?;
        // At most the chain of the location.
        let part = self.whole(&chains).await?.into_iter().next();
        let Some(part) = part.filter(|_| !times.is_empty()) else {
            return Ok(vec![None; times.len()]);
        };
        // Each operation of a location has a time of its own.
        let sought: Vec<Option<Timestamp>> = times.iter().copied().map(Some).collect();
        let parts = vec![part; times.len()];
        let numbers = self.first_since(&parts, &sought).await?;
        let keys = numbers.iter().map(|number| trail_key(part.chain, *number));
        let keys: Vec<Key> = keys.collect();
        let reads: Vec<_> = keys.iter().map(|key| Read::Get(key)).collect();
        let mut state = self.store().read(&reads).await?;
        let mut authors = Vec::with_capacity(times.len());
        for time in times {
            let entry = state.value()?;
            // The check of the trail tells of a damaged one.
            let entry = entry.and_then(|row| serde_json::from_slice::<TrailEntry>(&row).ok());
            let entry = entry.filter(|entry| entry.at == *time);
            authors.push(entry.map(|entry| entry.author));
        }
        Ok(authors)
    }
}
