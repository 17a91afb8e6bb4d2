//! References from a record to another of its location, such as that of a product to its category.

use std::collections::HashSet;

use uuid::Uuid;

use crate::{
    access::Access,
    engine::Resource,
    error::{Error, Reason},
    record::{
        Reads, Record, Unit,
        keys::{Family, Part, key},
    },
    storage::Key,
    wire::read::Invalid,
};

/// The most look-ups of unknown records at other locations for one write: those of all items of a
/// batch at ten locations.
const MOST_ELSEWHERE: usize = 5000;

/// Adds the look-ups at other locations of the records that this one does not have, to be called by
/// [`more_reads`](Resource::more_reads): they decide between two refusals of [`check`].
pub(super) fn reads_elsewhere<T: Record>(
    ids: impl Iterator<Item = Uuid>,
    access: &Access,
    unit: &Unit<'_>,
    reads: &mut Reads,
) {
    let mut unknown = HashSet::new();
    let mut left = MOST_ELSEWHERE;
    for id in ids {
        let own = row::<T>(access.location().id, id);
        if unit.known(&own) == Some(None) && unknown.insert(id) {
            for other in others(access).take(left) {
                reads.row(row::<T>(other, id));
                left -= 1;
            }
        }
    }
}

/// Checks that the record `id`, which `field` refers to, is of this location. One of another
/// location of the account is forbidden rather than unknown, which tells an integrator what is
/// mixed up, as far as [`reads_elsewhere`] looked.
pub(super) async fn check<T: Resource>(
    unit: &mut Unit<'_>,
    access: &Access,
    field: &str,
    id: Uuid,
) -> Result<(), Error> {
    let own = row::<T>(access.location().id, id);
    if unit.get(&own).await?.is_some() {
        return Ok(());
    }
    let name = T::NAME;
    if others(access).any(|other| matches!(unit.known(&row::<T>(other, id)), Some(Some(_)))) {
        let problem = format!("{name} {id} belongs to another location");
        return Err(Error::ForbiddenLocation(Reason::of(field, problem)));
    }
    let problem = format!("there is no {name} {id} at this location");
    Err(Invalid::new(field, problem).into())
}

/// Changes every record that refers to `id`, which is deleted in the same commit. `index` is their
/// index by that reference. Returns their ids, in the order of the index.
pub(super) async fn clear<R: Record + Clone>(
    unit: &mut Unit<'_>,
    index: Family,
    id: Uuid,
    clear: impl Fn(&mut R) + Send,
) -> Result<Vec<Uuid>, Error> {
    let prefix = key(unit.partition(), index, &[Part::Id(id)]);
    let ids = unit.members(&prefix, R::ROWS).await?;
    for (place, id) in ids.iter().enumerate() {
        if place % 200 == 199 {
            // There may be as many as a whole catalog has; others want the thread too.
            tokio::task::yield_now().await;
        }
        if let Some(old) = unit.find::<R>(*id).await? {
            let mut record = old.clone();
            clear(&mut record);
            record.set_updated_at(unit.time());
            unit.save(Some(&old), &record);
        }
    }
    Ok(ids)
}

fn row<T: Record>(location: Uuid, id: Uuid) -> Key {
    key(location, T::ROWS, &[Part::Id(id)])
}

/// The other locations of the account.
fn others(access: &Access) -> impl Iterator<Item = Uuid> {
    let own = access.location().id;
    let all = access.account().locations.iter();
    all.map(|location| location.id)
        .filter(move |location| *location != own)
}
