//! Judges the room for the records and bytes of a write.

use crate::{
    auth::{Access, Actor},
    transaction::{Error, Reason, Record, Unit},
};

/// The way in which it is judged whether there is room for what a write adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// There is room for all of it, or none of it is done.
    Whole,
    /// Each of its items is judged by itself.
    EachItem,
    /// It removes something, which is always possible.
    Removal,
}

/// Checks that the location may have one more record of a kind.
///
/// # Errors
/// [`Error::LimitReached`].
pub(super) fn check_count<R: Record>(unit: &Unit<'_>, list: &str) -> Result<(), Error> {
    let limit = unit.storage_limits().of(R::ROWS);
    let count = unit.usage().and_then(|usage| usage.count(R::ROWS));
    let (Some(limit), Some(count)) = (limit, count) else {
        return Ok(());
    };
    if count < limit {
        return Ok(());
    }
    Err(full(
        unit,
        format!(
            "this location has {count} {list}, and may have {limit}; delete {list} that are not needed, or ask \
         the operator of the server for more"
        ),
    ))
}

/// Checks that the account may store what a write has added since it stored `before`, in bytes.
///
/// What registers, kiosks and Scan & Order write may have a tenth more: a sale that was made has to be
/// written down, also when an integration has filled the account.
///
/// # Errors
/// [`Error::LimitReached`].
pub(crate) fn check_bytes(unit: &Unit<'_>, access: &Access, before: u64) -> Result<(), Error> {
    let limit = unit.storage_limits().account_bytes;
    let most = match access.actor() {
        Actor::Screen { .. } => limit.saturating_add(limit / 10),
        Actor::Token { .. } | Actor::Owner { .. } => limit,
    };
    let after = unit.account_bytes();
    if after <= before || after <= most {
        return Ok(());
    }
    Err(full(
        unit,
        format!(
            "this account stores {before} bytes, and may store {most}; delete what is not needed, or ask the \
         operator of the server for more"
        ),
    ))
}

fn full(unit: &Unit<'_>, problem: String) -> Error {
    unit.count_limit_reached();
    Error::LimitReached(Reason::new(problem))
}
