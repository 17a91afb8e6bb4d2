//! Closing and opening again.

use super::{Fault, Place, model::Model, random::Random, support::put};

/// The number of reopenings, and of the commits before each.
const TIMES: u64 = 6;
const COMMITS: u64 = 40;

pub(super) async fn keeps_everything(place: &dyn Place) -> Result<(), Fault> {
    if !place.persists() {
        return Ok(());
    }
    let mut random = Random::new(7);
    let mut model = Model::default();
    for time in 0..TIMES {
        let store = place.open().await?;
        model
            .same_as(&*store, "everything after opening again")
            .await?;
        for _ in 0..COMMITS {
            model.random_commit(&*store, &mut random).await?;
        }
        let long = vec![time as u8; 50_000 * (6 - time as usize)];
        put(&*store, &[("long", &long)]).await?;
        model.put(b"long", &long);
        drop(store);
    }
    let store = place.open().await?;
    model.same_as(&*store, "everything at last").await
}
