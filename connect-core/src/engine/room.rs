//! Storage limits of records and bytes.

use crate::{
    auth::{Access, Actor},
    transaction::{Error, Reason, Record, UnitOfWork},
};

/// The way to check the storage limits for a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// All of it must fit, or none of it is done.
    Whole,
    /// Each item is checked separately.
    EachItem,
    /// A removal: it is always allowed.
    Removal,
}

/// Checks the limit of records of a kind for one more.
///
/// # Errors
/// [`Error::LimitReached`].
pub(super) fn check_count<R: Record>(unit: &UnitOfWork<'_>, list: &str) -> Result<(), Error> {
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

/// Checks the limit of an account's bytes after a write.
/// `before` is their number before the write. A write without growth always passes.
///
/// Registers, kiosks and Scan & Order may exceed the limit by a tenth: a completed sale must be recorded,
/// even if an integration has filled the account.
///
/// # Errors
/// [`Error::LimitReached`].
pub(crate) fn check_bytes(
    unit: &UnitOfWork<'_>,
    access: &Access,
    before: u64,
) -> Result<(), Error> {
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
            "this account stores {before} bytes, and may store {most}; delete records that are \
         not needed, or ask the operator of the server for more"
        ),
    ))
}

fn full(unit: &UnitOfWork<'_>, problem: String) -> Error {
    unit.count_limit_reached();
    Error::LimitReached(Reason::new(problem))
}
