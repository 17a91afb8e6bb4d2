//! A store on a full disk.

use std::time::Duration;

use tokio::time::sleep;

use super::{
    Fault, Place,
    place::MOST_ROOM,
    random::Random,
    support::{ALL, ascending, get, guarded, same, same_value, soon},
};
use crate::storage::{CommitError, Read, Storage};

/// The length of the rows to fill the store with, and the number of tries once it is full.
/// Now and then a store finds a bit of room it had reserved.
const LEN: usize = 100_000;
const TRIES: u32 = 10;

pub(super) async fn refuses(place: &dyn Place) -> Result<(), Fault> {
    let Some(place) = place.small_disk().await? else {
        return Ok(());
    };
    let store = place.open().await?;
    let mut filled = Filled::default();
    filled.fill(&*store).await?;
    filled.is_all_there(&*store).await
}

pub(super) async fn opens(place: &dyn Place) -> Result<(), Fault> {
    let Some(place) = place.small_disk().await? else {
        return Ok(());
    };
    let mut filled = Filled::default();
    for _ in 0..2 {
        let store = place.open().await?;
        filled.is_all_there(&*store).await?;
        filled.fill(&*store).await?;
        drop(store);
    }
    filled.is_all_there(&*place.open().await?).await
}

pub(super) async fn goes_on(place: &dyn Place) -> Result<(), Fault> {
    let Some(cramped) = place.small_disk().await? else {
        return Ok(());
    };
    let mut filled = Filled::default();
    let store = cramped.open().await?;
    filled.fill(&*store).await?;
    cramped.make_room().await?;
    let going_on = filled.go_on(&*store);
    soon("a commit, with room again", place, going_on).await??;
    filled.is_all_there(&*store).await?;
    drop(store);
    filled.is_all_there(&*cramped.open().await?).await
}

/// The acknowledged rows: commit n wrote row n, and the guard holds the last number.
#[derive(Default)]
struct Filled {
    rows: u64,
}

impl Filled {
    fn key(number: u64) -> Vec<u8> {
        [b"row", &number.to_be_bytes()[..]].concat()
    }

    fn value(number: u64) -> Vec<u8> {
        // Of all lengths, to use up the rest of the room too.
        Random::new(number).bytes(LEN >> (number % 8))
    }

    /// Makes a commit. `false`: refused for lack of room.
    async fn one_more(&mut self, store: &dyn Storage) -> Result<bool, Fault> {
        let number = self.rows + 1;
        let (was, becomes) = (self.rows.to_be_bytes(), number.to_be_bytes());
        let was = (self.rows > 0).then_some(&was[..]);
        let row = Self::value(number);
        let more = guarded(b"guard", was, &becomes, &Self::key(number), &row);
        match store.commit(more).await {
            Ok(()) => {
                self.rows = number;
                Ok(true)
            }
            Err(CommitError::NotApplied(_)) => Ok(false),
            Err(error) => Err(Fault::new(format_args!(
                "a full store has to refuse as NotApplied, got: {error}"
            ))),
        }
    }

    /// Writes until the store is full, then tries a few more times.
    async fn fill(&mut self, store: &dyn Storage) -> Result<(), Fault> {
        let mut refused = 0;
        let mut written = 0;
        while refused < TRIES {
            if self.one_more(store).await? {
                written += Self::value(self.rows).len();
            } else {
                refused += 1;
                // Reads go on between the refusals.
                let last = get(store, &Self::key(self.rows)).await?;
                let wanted = (self.rows > 0).then(|| Self::value(self.rows));
                same_value("the last row", last.as_ref(), wanted.as_deref())?;
            }
            if written > MOST_ROOM {
                let what = format!("{written} bytes were written to a place with little room");
                return Err(Fault::new(what));
            }
        }
        Ok(())
    }

    /// Waits until the store notices the new room, then writes some more.
    async fn go_on(&mut self, store: &dyn Storage) -> Result<(), Fault> {
        while !self.one_more(store).await? {
            sleep(Duration::from_millis(50)).await;
        }
        for _ in 0..10 {
            if !self.one_more(store).await? {
                return Err(Fault::new("with room, refused after it went on"));
            }
        }
        Ok(())
    }

    async fn is_all_there(&self, store: &dyn Storage) -> Result<(), Fault> {
        let keys: Vec<_> = (1..=self.rows).map(Self::key).collect();
        let mut reads = vec![ascending(ALL, usize::MAX), Read::Get(b"guard")];
        reads.extend(keys.iter().map(|key| Read::Get(key)));
        let mut found = store.read(&reads).await?;
        let guard = u64::from(self.rows > 0);
        let rows = found.entries()?.len() as u64;
        same("rows in all", rows, self.rows + guard)?;
        let guard = found.value()?;
        let wanted = (self.rows > 0).then(|| self.rows.to_be_bytes());
        let wanted = wanted.as_ref().map(|wanted| &wanted[..]);
        same_value("the guard", guard.as_ref(), wanted)?;
        for number in 1..=self.rows {
            let row = found.value()?;
            let what = format_args!("acknowledged row {number}");
            same_value(what, row.as_ref(), Some(&Self::value(number)))?;
        }
        Ok(())
    }
}
