//! Callers that go away.

use std::time::Duration;

use futures_util::future::poll_immediate;
use tokio::{task::yield_now, time::sleep};

use super::{
    Fault, Place,
    support::{ALL, commit, put, same},
};

/// How many commits are given up, each a little later than the one before.
const ROUNDS: u32 = 120;

pub(super) async fn whole_or_nothing(place: &dyn Place) -> Result<(), Fault> {
    let store = place.open().await?;
    let key = |round: u32, part: u8| [&round.to_be_bytes()[..], &[part]].concat();
    let parts = 0..6_u8;
    for round in 0..ROUNDS {
        let len = if round % 7 == 0 { 100_000 } else { 10 };
        let value = vec![b'v'; len];
        let writes: Vec<_> = parts
            .clone()
            .map(|p| (key(round, p), Some(&value)))
            .collect();
        let given_up = commit(&[], &writes);
        // Given up after a few polls, between which the store may have got on with it.
        let mut future = store.commit(given_up);
        for poll in 0..=round % 12 {
            match poll_immediate(&mut future).await {
                Some(acknowledged) => {
                    acknowledged?;
                    break;
                }
                None if (round + poll) % 5 == 0 => sleep(Duration::from_millis(1)).await,
                None => yield_now().await,
            }
        }
        drop(future);
        // Read at once, while it may still be under way.
        let keys: Vec<_> = parts.clone().map(|p| key(round, p)).collect();
        let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        let there = store.get(&keys).await?.iter().flatten().count();
        if there != 0 && there != parts.len() {
            return Err(Fault::new(format_args!(
                "{there} of {} rows are there",
                parts.len()
            )));
        }
    }
    // A store that still works, and nothing in part.
    put(&*store, &[("\u{ff}end", "")]).await?;
    let rows = store.scan(ALL, usize::MAX).await?.len() - 1;
    same("rows left over from commits in part", rows % parts.len(), 0)
}
