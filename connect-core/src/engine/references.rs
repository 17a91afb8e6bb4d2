//! References between records of a location: product to category, for example.

use std::collections::HashSet;

use uuid::Uuid;

use super::{
    change::yield_periodically,
    resource::{Draft, Resource},
};
use crate::{
    auth::Access,
    transaction::{
        Error, Reads, Reason, Record, UnitOfWork,
        keys::{Family, KeyPart, key},
    },
    wire::read::Invalid,
};

/// The most lookups of unknown records at other locations for one write.
/// It suffices for all items of a batch at ten locations.
const MOST_ELSEWHERE: usize = 5000;

/// Adds the reads of the records a draft refers to.
pub(super) fn reads<R: Resource>(draft: &Draft<R>, reads: &mut Reads) {
    for reference in R::REFERENCES {
        for id in reference.sent_ids(draft) {
            // Items of a batch mostly share a few categories.
            let row = key(reads.partition(), reference.rows, &[KeyPart::Id(id)]);
            reads.shared_row(row);
        }
    }
}

/// Adds lookups at other locations for records missing at this one.
/// They decide between two refusals of [`check`].
pub(crate) fn reads_elsewhere<R: Resource>(
    drafts: &[&Draft<R>],
    access: &Access,
    unit: &UnitOfWork<'_>,
    reads: &mut Reads,
) {
    let references = R::REFERENCES.iter().flat_map(|reference| {
        let ids = drafts.iter().flat_map(|draft| reference.sent_ids(draft));
        ids.map(|id| (reference.rows, id))
    });
    look_elsewhere(references, access, unit, reads);
}

/// Adds lookups at other locations for rows missing at this one.
/// Only rows already known to be missing count.
pub(crate) fn look_elsewhere(
    rows: impl Iterator<Item = (Family, Uuid)>,
    access: &Access,
    unit: &UnitOfWork<'_>,
    reads: &mut Reads,
) {
    let row = |location, (rows, id)| key(location, rows, &[KeyPart::Id(id)]);
    let mut seen = HashSet::new();
    let unknown = rows.filter(|sought| {
        unit.known(&row(unit.partition(), *sought)) == Some(None) && seen.insert(*sought)
    });
    let elsewhere = unknown.flat_map(|sought| others(access).map(move |other| row(other, sought)));
    for key in elsewhere.take(MOST_ELSEWHERE) {
        reads.row(key);
    }
}

/// Returns true if another location of the account has a row.
/// Only the lookups of [`look_elsewhere`] are considered.
pub(crate) fn is_elsewhere(access: &Access, unit: &UnitOfWork<'_>, rows: Family, id: Uuid) -> bool {
    let row = |location| key(location, rows, &[KeyPart::Id(id)]);
    others(access).any(|other| matches!(unit.known(&row(other)), Some(Some(_))))
}

/// Requires new references of `record` to lead to this location's records.
/// References also in `old` are not checked. A record of another location of the account is forbidden
/// rather than unknown, so that the integrator sees the mix-up.
pub(super) async fn check<R: Resource>(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    old: Option<&R>,
    record: &R,
) -> Result<(), Error> {
    for reference in R::REFERENCES {
        if old.is_some_and(|old| reference.ids(old).eq(reference.ids(record))) {
            continue;
        }
        for (place, id) in reference.ids(record).enumerate() {
            let row = key(unit.partition(), reference.rows, &[KeyPart::Id(id)]);
            let is_old = old.is_some_and(|old| reference.ids(old).any(|before| before == id));
            if is_old || unit.get(&row).await?.is_some() {
                continue;
            }
            let (field, name) = (reference.path(place), reference.name);
            if is_elsewhere(access, unit, reference.rows, id) {
                let problem = format!("{name} {id} belongs to another location");
                return Err(Error::ForbiddenLocation(Reason::of(&field, problem)));
            }
            let problem = format!("there is no {name} {id} at this location");
            return Err(Invalid::new(&field, problem).into());
        }
    }
    Ok(())
}

/// Changes every record with a reference to the deleted `id`.
/// The deletion is in the same commit. `index` is their index by this reference. Returns their ids, in the
/// order of the index.
pub(crate) async fn unlink<R: Record + Clone>(
    unit: &mut UnitOfWork<'_>,
    index: Family,
    id: Uuid,
    clear: impl Fn(&mut R) + Send,
) -> Result<Vec<Uuid>, Error> {
    let prefix = key(unit.partition(), index, &[KeyPart::Id(id)]);
    let ids = unit.members(&prefix, R::ROWS).await?;
    for (place, id) in ids.iter().enumerate() {
        // There may be as many as in a whole catalog.
        yield_periodically(place).await;
        if let Some(old) = unit.find::<R>(*id).await? {
            unit.update_with(&old, &clear);
        }
    }
    Ok(ids)
}

/// The other locations of the account.
fn others(access: &Access) -> impl Iterator<Item = Uuid> {
    let own = access.partition();
    let all = access.account().locations.iter();
    all.map(|location| location.id.uuid())
        .filter(move |location| *location != own)
}
