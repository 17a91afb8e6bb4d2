//! Things in a list of their account: screens, locations, webhooks.
//!
//! A kind of thing declares its name and its limit.

use uuid::Uuid;

use crate::{
    rules::role::Reach,
    transaction::{Error, Reason},
    wire::{Id, Location},
};

/// A thing in a list of its account.
pub(super) trait Owned {
    /// Its name in texts.
    const NAME: &'static str;

    /// The most that an account may have.
    const MOST: usize;

    /// The word for taking one away.
    const REMOVE: &'static str;

    /// Its id.
    fn id(&self) -> Uuid;

    /// Its location, if it has one: other locations' things are beyond the reach of some callers.
    fn location(&self) -> Option<Id<Location>> {
        None
    }
}

/// Adds a thing to the list of its account.
///
/// # Errors
/// [`Error::Conflict`]: the account has the most.
pub(super) fn add<T: Owned>(list: &mut Vec<T>, new: T) -> Result<(), Error> {
    if list.len() >= T::MOST {
        return Err(most_reached(T::MOST, T::NAME, "", T::REMOVE));
    }
    list.push(new);
    Ok(())
}

/// The thing with this id, to be changed.
///
/// # Errors
/// [`Error::NotFound`].
pub(super) fn find<T: Owned, U>(list: &mut [T], id: Id<U>) -> Result<&mut T, Error> {
    let found = list.iter_mut().find(|other| other.id() == id.uuid());
    found.ok_or_else(|| missing(T::NAME, id))
}

/// The thing with this id within reach, to be changed.
///
/// # Errors
/// [`Error::NotFound`], also beyond the reach.
pub(super) fn find_in<'a, T: Owned, U>(
    list: &'a mut [T],
    reach: &Reach,
    id: Id<U>,
) -> Result<&'a mut T, Error> {
    let found = find(list, id)?;
    match found.location() {
        Some(location) if !reach.includes(location) => Err(missing(T::NAME, id)),
        _ => Ok(found),
    }
}

/// Takes a thing from the list of its account.
///
/// # Errors
/// [`Error::NotFound`].
pub(super) fn remove<T: Owned, U>(list: &mut Vec<T>, id: Id<U>) -> Result<T, Error> {
    let place = list.iter().position(|other| other.id() == id.uuid());
    Ok(list.remove(place.ok_or_else(|| missing(T::NAME, id))?))
}

/// The refusal of a call about a missing thing.
pub(super) fn missing<T>(name: &str, id: Id<T>) -> Error {
    Error::NotFound(Reason::new(format!(
        "there is no {name} {id} in this account"
    )))
}

/// The refusal of one thing more than an account may have.
pub(super) fn most_reached(most: usize, name: &str, in_use: &str, remove: &str) -> Error {
    Error::Conflict(Reason::new(format!(
        "this account has {most} {name}s{in_use}, the maximum; {remove} one first"
    )))
}
